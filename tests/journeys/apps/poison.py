"""Tasks that take down whatever runs them, and others that raise what ends programs."""

import os
import sys

from tenuto import App
from tests.journeys.apps.world import at_gate_sync, effect

app = App("poison")


@app.task(executor="process")
def die_in_process() -> None:
    os._exit(7)


@app.task
async def die_on_the_loop() -> None:
    os._exit(9)


@app.task
async def note(name: str) -> str:
    effect(name)
    return name


@app.task(executor="process")
def who(gate: str) -> int:
    effect(f"begun {gate}")
    at_gate_sync(gate)
    return os.getpid()


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
