"""A task that waits in every way and takes steps between, on the loop and in a thread; parents with many children."""

from tenuto import App, Context, SyncContext
from tests.journeys.apps.world import at_gate, at_gate_sync, effect

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


@app.task
async def double(number: int) -> int:
    return 2 * number


@app.task
async def parent(ctx: Context, children: int) -> int:
    return sum(await ctx.gather(*ctx.map(double, list(range(children)))))
