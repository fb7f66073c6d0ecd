"""An app that runs escapes inside a sandbox and, as a control, outside of one."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from tenuto import App, Context, DataObject, Limit
from tests.support.sandbox import escapes, kernel_escapes, process_escapes

app = App("probe")
ESCAPES: dict[str, Callable[..., Any]] = {
    "print": print,
    **vars(escapes),
    **vars(process_escapes),
    **vars(kernel_escapes),
}


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
def inside(probe: str, arguments: list[Any]) -> Any:
    return ESCAPES[probe](*arguments)


@app.task(executor="process", max_attempts=1, timeout="30s")
def outside(probe: str, arguments: list[Any]) -> Any:
    return ESCAPES[probe](*arguments)


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
async def ask_inside(ctx: Context, verb: str, arguments: dict[str, Any]) -> Any:
    return await ctx.api.call(verb, **arguments)


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
async def read_object(ctx: Context, first: str, rest: str) -> Any:
    return await ctx.api.call("get_object", id=first + rest)


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
async def fetch(ctx: Context, object: DataObject) -> str:
    return (await ctx.get(object)).decode()


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
async def remember(ctx: Context, first: str, rest: str, how: str) -> Any:
    """Says an id in every way that comes back, then asks for it."""
    thing = {"$object": first + rest} if how != "text" else first + rest
    match how:
        case "step" | "text":
            await ctx.api.call("record_step", step_no=1, name="echo", kind="step", value=thing)
            await ctx.api.call("get_steps")
        case "child step":
            await ctx.api.call("record_step", step_no=1, name="echo", kind="child", value=[first + rest])
        case "data":
            await ctx.api.call("put_task_data", values={"echo": thing})
        case "child":
            await ctx.api.call("start_children", kinds=[{"type": "probe.read_given"}], inputs=[[thing]])
    return await ctx.api.call("get_object", id=first + rest)


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
def return_object(first: str, rest: str) -> DataObject:
    return DataObject(UUID(first + rest))


@app.task(runtime="sandbox", max_attempts=2, timeout="30s")
async def keep_own(ctx: Context) -> Any:
    """What it has put itself it can read, also on its second attempt."""
    stored = await ctx.step("store", ctx.put, b"own")
    if ctx.attempt == 1:
        raise ValueError("once more")
    return (await ctx.get(stored)).decode()


@app.task(runtime="sandbox", max_attempts=1, timeout="30s", limit=Limit(2, key="who"), queue="default")
async def read_given(ctx: Context, who: Any) -> Any:
    return who


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
async def gather_one(ctx: Context) -> Any:
    return await ctx.gather(ctx.start(read_given, "me"))


@app.task(max_attempts=1)
async def ask_outside(ctx: Context, verb: str, arguments: dict[str, Any]) -> Any:
    return await ctx.api.call(verb, **arguments)
