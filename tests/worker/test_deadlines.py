"""One timer for all deadlines."""

import asyncio
import weakref
from dataclasses import dataclass
from typing import Any, cast

from tenuto.runtimes.base import Attempt
from tenuto.worker.execution import deadlines
from tenuto.worker.execution.deadlines import Deadlines


@dataclass
class Found:
    name: str
    over: bool = False


def attempt(name: str) -> Any:
    return cast("Attempt", Found(name))


async def watch(*seconds: float, ends: tuple[int, ...] = ()) -> list[str]:
    """What rings, in order, for attempts with these timeouts; those in `ends` are over before."""
    loop, rung = asyncio.get_running_loop(), []
    quiet = asyncio.Event()
    hard_left = len(seconds) - len(ends)

    def hard(found: Any) -> None:
        nonlocal hard_left
        rung.append(f"hard {found.name}")
        hard_left -= 1
        if not hard_left:
            quiet.set()

    watched = Deadlines(loop, soft=lambda found: rung.append(f"soft {cast('Any', found).name}"), hard=hard)
    attempts = [attempt(str(no)) for no in range(len(seconds))]
    for found, time in zip(attempts, seconds, strict=True):
        watched.watch(found, time)
    for no in ends:
        attempts[no].over = True
    await asyncio.wait_for(quiet.wait(), 10)
    return rung


def test_deadlines_ring_in_their_order_whatever_order_they_were_set_in(monkeypatch: Any):
    monkeypatch.setattr(deadlines, "STOP_GRACE_SECONDS", 0.2)
    rung = asyncio.run(watch(0.06, 0.02, 0.04))
    assert rung == ["soft 1", "soft 2", "soft 0", "hard 1", "hard 2", "hard 0"]


def test_what_is_over_does_not_ring(monkeypatch: Any):
    monkeypatch.setattr(deadlines, "STOP_GRACE_SECONDS", 0.02)
    rung = asyncio.run(watch(0.01, 0.02, ends=(0,)))
    assert rung == ["soft 1", "hard 1"]


def test_what_is_over_is_let_go_long_before_its_deadline():
    async def watch_many() -> int:
        watched = Deadlines(asyncio.get_running_loop(), soft=lambda _: None, hard=lambda _: None)
        made = []
        for no in range(10_000):
            found = attempt(str(no))
            made.append(weakref.ref(found))
            watched.watch(found, 3600)
            found.over = True
        return sum(one() is not None for one in made)

    assert asyncio.run(watch_many()) <= 2 * deadlines.MAX_PER_LOOK
