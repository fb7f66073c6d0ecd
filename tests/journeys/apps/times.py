"""Tasks that take too long: some stop when they are asked to, some do not."""

import asyncio
import time

from tenuto import App, Context, SyncContext
from tests.journeys.apps.world import at_gate, at_gate_sync, effect

app = App("times")


@app.task
async def polite() -> None:
    try:
        await at_gate("never")
    finally:
        effect("polite stopped")


@app.task
def polite_thread(ctx: SyncContext) -> None:
    while not ctx.cancelled:
        time.sleep(0.01)
    effect("polite_thread stopped")
    raise RuntimeError("stopped")


@app.task(executor="process")
def polite_process(ctx: SyncContext) -> None:
    while not ctx.cancelled:
        time.sleep(0.01)
    effect("polite_process stopped")
    raise RuntimeError("stopped")


@app.task
async def stubborn() -> None:
    while True:
        try:
            await at_gate("never")
        except asyncio.CancelledError:
            effect("stubborn asked")


@app.task
def stubborn_thread() -> None:
    at_gate_sync("never")


@app.task(executor="process")
def stubborn_process() -> None:
    effect("stubborn_process begun")
    at_gate_sync("never")


@app.task
async def silent() -> None:
    await at_gate("never")


@app.task
async def talking(ctx: Context, beats: int) -> str:
    for _ in range(beats):
        ctx.heartbeat()
        await asyncio.sleep(0.1)
    return "done"


@app.task
async def note(name: str) -> str:
    effect(name)
    return name
