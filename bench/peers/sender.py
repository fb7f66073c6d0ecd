"""The common part of all Python programs that send tasks: executes commands from JSON lines and measures the time.

Uses only the standard library, because it also runs in the peers' own environment.
"""

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Protocol


class Sender(Protocol):
    """The operations of a system's sender; unsupported ones are left out."""

    async def prepare(self) -> None:
        """Install tables and queues; called once, before anything else."""
        ...

    async def send(self, n: int) -> None:
        """Send one no-op task on its own."""
        ...

    async def send_late(self, sent: int) -> None:
        """Send one task that records how long ago it was sent."""
        ...


def url() -> str:
    return os.environ["BENCH_URL"]


def run(make: Callable[[], Awaitable[Sender]], *, loop: Callable[[], asyncio.AbstractEventLoop] | None = None) -> None:
    """Execute commands until standard input ends."""
    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(_obey(make))


async def _obey(make: Callable[[], Awaitable[Sender]]) -> None:
    sender = await make()
    while line := await asyncio.to_thread(sys.stdin.readline):
        order = json.loads(line)
        started = time.monotonic()
        try:
            await _do(sender, order.pop("do"), **order)
        except Exception as error:
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
        else:
            print(json.dumps({"started": started, "ended": time.monotonic()}), flush=True)


async def _do(sender: Sender, what: str, *, count: int = 0, width: int = 0, gap: float = 0.0) -> None:
    match what:
        case "prepare":
            await sender.prepare()
        case "send":
            for n in range(count):
                await sender.send(n)
        case "send_late":
            for _ in range(count):
                await asyncio.sleep(gap * random.uniform(0.5, 1.5))  # random, so as not to be in step with any polling
                await sender.send_late(time.monotonic_ns())
        case "send_fans":
            await sender.send_fans(count, width)  # type: ignore[attr-defined]
        case _:  # send_many, send_chains
            await getattr(sender, what)(count)
