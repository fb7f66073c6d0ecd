"""An app that runs deeds inside a sandbox and, as a control, outside of one."""

from collections.abc import Callable
from typing import Any

from tenuto import App, Context
from tests.support import crowd_deeds, deeds

app = App("probe")
DEEDS: dict[str, Callable[..., Any]] = {"print": print, **vars(deeds), **vars(crowd_deeds)}


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
def inside(probe: str, arguments: list[Any]) -> Any:
    return DEEDS[probe](*arguments)


@app.task(executor="process", max_attempts=1, timeout="30s")
def outside(probe: str, arguments: list[Any]) -> Any:
    return DEEDS[probe](*arguments)


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
async def ask_inside(ctx: Context, verb: str, arguments: dict[str, Any]) -> Any:
    return await ctx.port.ask(verb, **arguments)


@app.task(runtime="sandbox", max_attempts=1, timeout="30s")
async def read_object(ctx: Context, first: str, rest: str) -> Any:
    return await ctx.port.ask("get_object", id=first + rest)


@app.task(max_attempts=1)
async def ask_outside(ctx: Context, verb: str, arguments: dict[str, Any]) -> Any:
    return await ctx.port.ask(verb, **arguments)
