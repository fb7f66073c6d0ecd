"""Tasks that do little: note something, take a while, wait to be let go."""

import asyncio
import logging
import os
import time

from tenuto import App
from tests.journeys.apps.world import at_gate, at_gate_sync, effect

app = App("plain")


@app.task
async def noop(no: int = 0) -> int:
    return no


@app.task
async def note(name: str) -> str:
    effect(name)
    return name


@app.task
async def nap(seconds: float) -> None:
    await asyncio.sleep(seconds)


@app.task
async def hold(gate: str) -> str:
    effect(f"begun {gate}")
    await at_gate(gate)
    return gate


@app.task
def hold_thread(gate: str) -> str:
    effect(f"begun {gate}")
    at_gate_sync(gate)
    return gate


@app.task(executor="process")
def hold_process(gate: str) -> str:
    effect(f"begun {gate}")
    at_gate_sync(gate)
    return gate


@app.task
async def linger(seconds: float) -> str:
    """Takes its time to end when it is asked to, and then says how it was."""
    effect("begun")
    try:
        await asyncio.sleep(3600)
    finally:
        time.sleep(seconds)
        effect("asked to stop")
    return "not reached"


@app.task
async def block_loop(gate: str) -> None:
    logging.getLogger("shop").info("about to block")
    at_gate_sync(gate)


kept: list[bytes] = []


@app.task
async def grow(megabytes: int) -> int:
    kept.append(b"x" * megabytes * 1_000_000)
    return os.getpid()


@app.task(executor="process")
def pid_of_process(no: int) -> int:
    return os.getpid()
