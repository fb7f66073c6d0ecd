"""Gives the scenes of the demo the client, the workers and the screen, and checks every result."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from tenuto.demo.screen import Screen
from tenuto.demo.workers import DemoWorker
from tenuto.sdk.client.client import Client

MAX_SECONDS = 120.0  # for what takes less than two seconds on an idle machine
POLL_SECONDS = 0.02


class UnexpectedResult(Exception):
    """The demo did not do what it shows."""


@dataclass(frozen=True)
class Stage:
    """The client, the workers, the home and the screen of a demo."""

    tn: Client
    workers: list[DemoWorker]
    home: Path
    screen: Screen

    async def wait(self, what: str, condition: Callable[[], Awaitable[bool]]) -> float:
        """Wait until the condition is true; return how many seconds that took."""
        self.screen.waits(f"waiting until {what}")
        started = time.monotonic()
        while not await condition():
            if all(worker.process.poll() is not None for worker in self.workers):
                raise UnexpectedResult(f"all workers have ended, and the demo waited until {what}")
            if time.monotonic() - started > MAX_SECONDS:
                raise UnexpectedResult(f"this did not happen within {MAX_SECONDS:.0f} s: {what}")
            await asyncio.sleep(POLL_SECONDS)
        return time.monotonic() - started


def expect(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise UnexpectedResult(f"{what}: {found!r} instead of {expected!r}")
