"""A task that waits in every way and takes steps between, on the loop and in a thread; parents with many children."""

from tenuto import App, Context, Fixed, SyncContext, step
from tests.journeys.apps.world import at_gate, at_gate_sync, effect, gate_is_open

app = App("durable")


@app.task(max_attempts=10)
async def order(ctx: Context) -> dict[str, str]:
    await ctx.step("charge", effect, "charge async")
    await ctx.sleep("1h")
    await ctx.step("pack", effect, "pack async")
    approved = await ctx.wait("approved")
    await ctx.step("ship", effect, "ship async")
    await at_gate("after shipping")
    await ctx.step("bill", effect, "bill async")
    return approved


@app.task(max_attempts=10)
def order_thread(ctx: SyncContext) -> dict[str, str]:
    ctx.step("charge", effect, "charge thread")
    ctx.sleep("1h")
    ctx.step("pack", effect, "pack thread")
    approved = ctx.wait("approved")
    ctx.step("ship", effect, "ship thread")
    at_gate_sync("after shipping")
    ctx.step("bill", effect, "bill thread")
    return approved


@app.task(max_attempts=10, executor="process")
def order_process(ctx: SyncContext) -> dict[str, str]:
    ctx.step("charge", effect, "charge process")
    ctx.sleep("1h")
    ctx.step("pack", effect, "pack process")
    approved = ctx.wait("approved")
    ctx.step("ship", effect, "ship process")
    at_gate_sync("after shipping")
    ctx.step("bill", effect, "bill process")
    return approved


class BankDown(Exception):
    def __init__(self, bank: str) -> None:
        super().__init__(f"{bank} does not answer")
        self.bank = bank


def charge(kind: str) -> None:
    effect(f"charge {kind}")
    raise BankDown(f"bank {kind}")


@app.task(max_attempts=10)
async def saga(ctx: Context) -> str:
    try:
        await ctx.step("charge", charge, "async")
    except BankDown as error:
        await ctx.step("cancel", effect, "cancel async")
        await at_gate("after cancelling")
        await ctx.sleep("1h")
        await ctx.step("tell", effect, "tell async")
        return f"cancelled, {error.bank}"
    return "charged"


def plain_saga(ctx: SyncContext, kind: str) -> str:
    try:
        ctx.step("charge", charge, kind)
    except BankDown as error:
        ctx.step("cancel", effect, f"cancel {kind}")
        at_gate_sync("after cancelling")
        ctx.sleep("1h")
        ctx.step("tell", effect, f"tell {kind}")
        return f"cancelled, {error.bank}"
    return "charged"


@app.task(max_attempts=10)
def saga_thread(ctx: SyncContext) -> str:
    return plain_saga(ctx, "thread")


@app.task(max_attempts=10, executor="process")
def saga_process(ctx: SyncContext) -> str:
    return plain_saga(ctx, "process")


@step(max_attempts=3, retry=Fixed("1h"))
def flaky(kind: str) -> str:
    effect(f"try {kind}")
    if not gate_is_open("the bank is back"):
        raise BankDown(f"bank {kind}")
    return f"charged {kind}"


@app.task(max_attempts=1)
async def retried(ctx: Context) -> str:
    return await ctx.step("charge", flaky, "async")


@app.task(max_attempts=1)
def retried_thread(ctx: SyncContext) -> str:
    return ctx.step("charge", flaky, "thread")


@app.task(max_attempts=1, executor="process")
def retried_process(ctx: SyncContext) -> str:
    return ctx.step("charge", flaky, "process")


@app.task
async def double(number: int) -> int:
    return 2 * number


@app.task
async def parent(ctx: Context, children: int) -> int:
    return sum(await ctx.gather(*ctx.map(double, list(range(children)))))
