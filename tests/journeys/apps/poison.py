"""Tasks that take down whatever runs them, and others that raise what ends programs."""

import asyncio
import os
import sys

from tenuto import App, Context
from tests.journeys.apps.world import at_gate, at_gate_sync, effect

app = App("poison")


@app.task(executor="process")
def die_in_process() -> None:
    os._exit(7)


@app.task
async def die_on_the_loop() -> None:
    os._exit(9)


@app.task
async def end_the_process(how: str) -> None:
    """Ends the process through Python, so that its clean-up runs."""
    loop = asyncio.get_running_loop()
    match how:
        case "exit in a task":
            loop.create_task(exit_soon())  # noqa: RUF006 (it ends everything)
        case "exit in a callback":
            loop.call_soon(sys.exit, 0)
        case "stop the loop":
            loop.stop()
        case "cancel all tasks":
            for task in asyncio.all_tasks():
                task.cancel()
        case _:  # after its own end
            loop.call_soon(sys.exit, 0)
            return
    await asyncio.sleep(60)


async def exit_soon() -> None:
    sys.exit(1)


@app.task
async def note(name: str) -> str:
    effect(name)
    return name


@app.task(executor="process")
def who(gate: str) -> int:
    effect(f"begun {gate}")
    at_gate_sync(gate)
    return os.getpid()


@app.task(max_attempts=1)
async def end_at_gate(ctx: Context, how: str) -> None:
    effect("begun")
    await at_gate("door")
    if how == "fail":
        raise ValueError("as told")
    if how == "wait":
        await ctx.sleep(3600)


@app.task
async def leave_async() -> None:
    sys.exit(3)


@app.task
def leave_thread() -> None:
    sys.exit(3)


@app.task(executor="process")
def leave_process() -> None:
    sys.exit(3)


@app.task
async def nul() -> str:
    return "a\x00b"


@app.task
async def nothing_json_knows() -> object:
    return object()
