"""A lease runs out by a clock that goes on while the machine is suspended."""

import asyncio
from typing import Any

import pytest

from tenuto.sdk.app import App
from tenuto.worker.process import registration
from tenuto.worker.process.registration import NO_OPERATORS, Registration
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings
from tests.support.clock import StoppedClock

SETTINGS = WorkerSettings([], url="", org_id="", name="w", home="", lease=60.0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> StoppedClock:
    clock = StoppedClock(1000.0)
    monkeypatch.setattr(registration, "lease_time", clock)
    monkeypatch.setattr(registration, "LOOK_EVERY", 0.001)
    return clock


def test_what_is_held_stops_when_the_machine_was_suspended_for_longer_than_the_lease(clock: StoppedClock) -> None:
    async def story() -> tuple[bool, bool]:
        lost, session = asyncio.Event(), WorkerSession()
        session.open.set()
        backend: Any = None
        watched = Registration(backend, SETTINGS, App("a"), session, NO_OPERATORS, lost=lost.set, resolve=lambda: None)
        watched.renewed(clock.now)
        clock.now += 53  # of 54 that it counts on
        await asyncio.sleep(0.01)
        early = lost.is_set()
        clock.now += 3600
        async with asyncio.timeout(60):
            while not lost.is_set():
                clock.now += 0.1
                await asyncio.sleep(0.001)
        return early, session.open.is_set()

    assert asyncio.run(story()) == (False, False)
