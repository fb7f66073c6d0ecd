"""The part that every Python program sending tasks shares: it obeys JSON lines and takes the times.

Only the standard library, because it runs in the peers' own environment too.
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
    """What a system's sender can do; what it cannot do it leaves out."""

    async def prepare(self) -> None:
        """Install tables and queues; called once, before anything else."""
        ...

    async def send(self, n: int) -> None:
        """One no-op task, on its own."""
        ...

    async def send_late(self, sent: int) -> None:
        """One task that notes how long ago it was sent."""
        ...


def url() -> str:
    return os.environ["BENCH_URL"]


def run(make: Callable[[], Awaitable[Sender]], *, loop: Callable[[], asyncio.AbstractEventLoop] | None = None) -> None:
    """Obey until standard input ends."""
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
                await asyncio.sleep(gap * random.uniform(0.5, 1.5))  # not in step with anybody's polling
                await sender.send_late(time.monotonic_ns())
        case "send_fans":
            await sender.send_fans(count, width)  # type: ignore[attr-defined]
        case _:  # send_many, send_chains
            await getattr(sender, what)(count)
