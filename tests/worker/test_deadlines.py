"""One timer for all deadlines."""

import asyncio
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
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


class Timers:
    """A loop in which time passes as its timers ring."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._due: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, at: float, ring: Callable[[], None]) -> Any:
        entry = (at, ring)
        self._due.append(entry)
        return SimpleNamespace(cancel=lambda: entry in self._due and self._due.remove(entry))

    def run(self) -> None:
        while self._due:
            entry = min(self._due, key=lambda due: due[0])
            self._due.remove(entry)
            self.now = entry[0]
            entry[1]()


def watch(*seconds: float, ends: tuple[int, ...] = ()) -> list[str]:
    """What rings, in order, for attempts with these timeouts; those in `ends` are over before."""
    timers: Any = Timers()
    rung: list[str] = []

    def ring(how: str) -> Callable[[Any], None]:
        return lambda found: rung.append(f"{how} {found.name} after {timers.now - 1000:g}")

    watched = Deadlines(timers, soft=ring("soft"), hard=ring("hard"))
    attempts = [attempt(str(no)) for no in range(len(seconds))]
    for found, time in zip(attempts, seconds, strict=True):
        watched.watch(found, time)
    for no in ends:
        attempts[no].over = True
    timers.run()
    return rung


def test_deadlines_ring_in_their_order_whatever_order_they_were_set_in():
    soft = ["soft 1 after 1", "soft 2 after 2", "soft 0 after 2.5"]
    assert watch(2.5, 1, 2) == [*soft, "hard 1 after 4", "hard 2 after 5", "hard 0 after 5.5"]


def test_what_is_over_does_not_ring():
    assert watch(1, 2, ends=(0,)) == ["soft 1 after 2", "hard 1 after 5"]


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
