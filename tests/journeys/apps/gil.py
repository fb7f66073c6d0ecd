"""Tasks that hold the interpreter in C, as a bad extension does."""

import ctypes

from tenuto import App
from tests.journeys.apps.world import at_gate, effect

app = App("gil")

_sleep = ctypes.PyDLL(None).sleep  # PyDLL, unlike CDLL, does not let the interpreter go


@app.task
def hold_gil(seconds: int) -> str:
    effect("begun")
    _sleep(seconds)
    return "done"


@app.task
async def hold_gil_on_the_loop(seconds: int) -> str:
    effect("begun")
    _sleep(seconds)
    return "done"


@app.task
async def neighbour(gate: str) -> str:
    effect(f"begun {gate}")
    await at_gate(gate)
    return gate
