"""Tasks that use everything a running task can ask, on the loop, in a thread and in a process."""

import asyncio
from typing import Any

from tenuto import App, Context, SyncContext
from tests.journeys.apps.world import effect

app = App("remote")

LARGE = 1_200_000  # more than a row holds


@app.task
async def double(number: int) -> int:
    return 2 * number


@app.task
async def everything(ctx: Context, name: str) -> dict[str, Any]:
    charged = await ctx.step("charge", _charge, name)
    await ctx.sleep(0.2)
    ctx.progress(0.5, "half")
    ctx.log.info("halfway", extra={"order": name})
    ctx.data["total"] = charged
    doubled = await ctx.gather(*ctx.map(double, [1, 2, 3]))
    stored = await ctx.put(b"\x00bytes", type="blob", metadata={"of": name})
    await ctx.publish("deliver", {"destination": "crm", "body": name})
    runs = await ctx.state.update("runs", lambda count: count + 1, default=0)
    ctx.state["last"] = f"{ctx.org} {runs > 0}"
    approved = await ctx.wait("approved")
    found = await ctx.data.find("tot*")
    content = await ctx.get(stored)
    return {"charged": charged, "doubled": doubled, "approved": approved, "found": found, "content": content.hex()}


@app.task
def everything_thread(ctx: SyncContext, name: str) -> dict[str, Any]:
    return _everything(ctx, name)


@app.task(executor="process")
def everything_process(ctx: SyncContext, name: str) -> dict[str, Any]:
    return _everything(ctx, name)


def _everything(ctx: SyncContext, name: str) -> dict[str, Any]:
    charged = ctx.step("charge", _charge, name)
    ctx.sleep(0.2)
    ctx.progress(0.5, "half")
    ctx.log.info("halfway", extra={"order": name})
    ctx.data["total"] = charged
    doubled = ctx.gather(*ctx.map(double, [1, 2, 3]))
    stored = ctx.put(b"\x00bytes", type="blob", metadata={"of": name})
    ctx.publish("deliver", {"destination": "crm", "body": name})
    runs = ctx.state.update("runs", lambda count: count + 1, default=0)
    ctx.state["last"] = f"{ctx.org} {runs > 0}"
    approved = ctx.wait("approved")
    found = ctx.data.find("tot*")
    content = ctx.get(stored)
    return {"charged": charged, "doubled": doubled, "approved": approved, "found": found, "content": content.hex()}


def _charge(name: str) -> str:
    effect(f"charge {name}")
    return f"charged {name}"


@app.task
async def large() -> str:
    return "x" * LARGE


@app.task
async def text() -> str:
    return "x" * 850_000


@app.task
async def lengths(texts: list[str]) -> int:
    return sum(map(len, texts))


@app.task
async def length_of_large(ctx: Context) -> int:
    (text,) = await ctx.gather(ctx.start(large))
    return len(text)


@app.task
async def fails_once(ctx: Context) -> int:
    if ctx.attempt == 1:
        raise ValueError("not yet")
    return ctx.attempt


@app.task
async def too_long() -> None:
    await asyncio.sleep(3600)


@app.task
async def snoozes(ctx: Context) -> int:
    if await ctx.data.get("snoozed") is None:
        await ctx.data.put("snoozed", True)
        ctx.snooze(0.1)
    return ctx.attempt


@app.task
async def slow_note(name: str) -> str:
    await asyncio.sleep(0.005)
    effect(name)
    return name


@app.task(queue="mail")
async def mail(name: str) -> None:
    effect(f"mail {name}")


@app.task(max_attempts=3)
async def amount(ctx: Context) -> int:
    return await ctx.wait("amount", int)


@app.task(max_attempts=3, executor="process")
def amount_process(ctx: SyncContext) -> int:
    return ctx.wait("amount", int)
