"""The main loop of a dispatcher. It finds which loops of the table are due, runs them in bounded batches, and waits
until database outages are over."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tenuto.db.connection.errors import Unreachable
from tenuto.model.backoff import Backoff, jitter
from tenuto.model.errors import message_of
from tenuto.model.metrics import LOOP_ERRORS, LOOP_ROWS, LOOP_SECONDS, LOOP_TURNS

BUSY_TICK_SECONDS = 0.05  # while there is activity; if work makes other work due, each such step waits this long
IDLE_TICK_SECONDS = 0.8  # 1.25 queries/s when idle; periodic loops add about 0.5 queries/s
BUSY_FOR_SECONDS = 0.5  # how long after the last activity the ticks stay short
MAX_REST_SECONDS = 1.0  # for a loop that is due but processes no rows: another dispatcher runs it, or it must wait
# The pause after a tick, in multiples of the duration of its query. So ticks use at most a fifth of a core, even if the
# query reads many dead rows.
REST_PER_TICK = 4
MAX_PAUSE_SECONDS = 15.0  # after failures
# A process that has just started should first run tasks. Without this pause, clean-up and statistics took 0.3 s of CPU
# time in its first second.
UPKEEP_AFTER_SECONDS = 10.0
SHUTDOWN_SECONDS = 5.0  # how long a dispatcher that stops waits for batches in progress

log = logging.getLogger("tenuto.dispatcher")
T = TypeVar("T")
D = TypeVar("D")  # the dispatcher, which all steps share


@dataclass(frozen=True)
class Loop(Generic[D]):
    """An entry of the table of loops. `step` processes at most `limit` rows and returns how many it processed."""

    name: str
    step: Callable[[D, int], Awaitable[int]]
    batch: int = 1
    every: float | None = None  # seconds after which the loop runs even if it is not due
    at_rest: float | None = None  # used instead of `every` while the loop finds nothing to do
    alone: bool = True  # True: one dispatcher at a time runs it; False: each dispatcher does
    upkeep: bool = False  # True: clean-up or statistics, which can wait until UPKEEP_AFTER_SECONDS after the start


@dataclass(frozen=True)
class Due:
    """Which loops are due, in how many seconds the next loop will be due, and which loops this dispatcher should
    run."""

    loops: frozenset[str] = frozenset()
    next_in: float = IDLE_TICK_SECONDS
    mine: frozenset[str] | None = None  # None: all


@dataclass
class LoopState(Generic[D]):
    """A loop and its current state."""

    loop: Loop[D]
    batch: int
    rest: float = BUSY_TICK_SECONDS
    backoff: Backoff = field(default_factory=lambda: Backoff(MAX_PAUSE_SECONDS))
    rests_until: float = 0.0
    comes_at: float = 0.0
    work: asyncio.Task[None] | None = field(default=None, repr=False)

    def at_work(self) -> bool:
        return self.work is not None and not self.work.done()

    def wanted(self, due: Due, now: float) -> bool:
        if self.at_work() or now < self.rests_until or (due.mine is not None and self.loop.name not in due.mine):
            return False
        return self.loop.name in due.loops or (self.loop.every is not None and now >= self.comes_at)

    def succeeded(self, moved: int, now: float) -> None:
        self.backoff.reset()
        self.batch = min(self.loop.batch, self.batch * 2)
        self.rest = BUSY_TICK_SECONDS if moved else min(MAX_REST_SECONDS, self.rest * 2)
        self.rests_until = now + self.rest
        self._comes_again(now, at_rest=not moved)

    def failed(self, now: float, error: Exception) -> None:
        """Sets a pause, which grows with each failure, and halves the batch, because the batch may have been too
        large."""
        self.batch = max(1, self.batch // 2)
        self.rests_until = now + self.backoff.after(error)
        self._comes_again(now, at_rest=True)

    def _comes_again(self, now: float, *, at_rest: bool) -> None:
        seconds = self.loop.at_rest if at_rest and self.loop.at_rest else self.loop.every
        if seconds is not None:
            # Randomized, so that dispatchers that were started together do not run the same loops at the same time.
            self.comes_at = now + jitter(seconds, 0.2)


class Ticker(Generic[D]):
    """Runs loops until `stop` is set. Each loop runs at most once at a time, and no loop waits for another."""

    def __init__(self, dispatcher: D, loops: Sequence[Loop[D]], ask: Callable[[D], Coroutine[Any, Any, Due]]) -> None:
        self._dispatcher = dispatcher
        self._ask = ask
        upkeep_at = time.monotonic() + jitter(UPKEEP_AFTER_SECONDS, 0.2)
        self._turns = [LoopState(loop, loop.batch, comes_at=upkeep_at if loop.upkeep else 0.0) for loop in loops]
        self._moved_at = -BUSY_FOR_SECONDS
        self._backoff = Backoff(MAX_PAUSE_SECONDS)
        self._problems: dict[str, str] = {}

    async def run(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                await _wait(stop, await self._tick(stop))
        finally:
            await self._finish()

    async def _tick(self, stop: asyncio.Event) -> float:
        """Starts the loops that are due, and returns how many seconds to wait until the next tick."""
        asked_at = time.monotonic()
        try:
            due = await _unless(stop, self._ask(self._dispatcher))
        except Exception as error:  # after any error, the next tick tries again
            self._log_failure("due", error)
            return self._backoff.after(error)
        if due is None:
            return 0
        LOOP_TURNS.labels("due").inc()
        self._log_recovery("due")
        self._backoff.reset()
        now = time.monotonic()
        for turn in self._turns:
            if turn.work is not None and turn.work.done():
                turn.work.result()  # _work handles failures of the loop itself; any other error ends the dispatcher
        started = [turn for turn in self._turns if turn.wanted(due, now)]
        for turn in started:
            turn.work = asyncio.create_task(self._work(turn, stop), name=turn.loop.name)
        return max(self._next_tick(due, started, now), min(MAX_REST_SECONDS, (now - asked_at) * REST_PER_TICK))

    def _next_tick(self, due: Due, started: Sequence[LoopState[D]], now: float) -> float:
        if now - self._moved_at < BUSY_FOR_SECONDS or any(turn.loop.name in due.loops for turn in started):
            return BUSY_TICK_SECONDS
        waits = [turn.rests_until - now for turn in self._turns if turn.loop.name in due.loops and not turn.at_work()]
        return min(IDLE_TICK_SECONDS, max(BUSY_TICK_SECONDS, min([due.next_in, *waits])))

    async def _work(self, turn: LoopState[D], stop: asyncio.Event) -> None:
        """Runs batches of one loop until a batch is not full, a batch fails or `stop` is set. If the batch size of the
        loop is 1, it runs one batch."""
        name = turn.loop.name
        full = True
        while full and not stop.is_set():
            batch, start = turn.batch, time.monotonic()
            try:
                moved = await turn.loop.step(self._dispatcher, batch)
            except Exception as error:  # an error of one loop must not affect the others
                LOOP_ERRORS.labels(name).inc()
                self._log_failure(name, error)
                turn.failed(time.monotonic(), error)
                return
            now = time.monotonic()
            LOOP_TURNS.labels(name).inc()
            LOOP_ROWS.labels(name).inc(moved)
            LOOP_SECONDS.labels(name).observe(now - start)
            self._log_recovery(name)
            if moved and turn.loop.at_rest is None:  # periodic clean-up is not activity
                self._moved_at = now
            turn.succeeded(moved, now)
            full = moved >= batch and turn.loop.batch > 1

    async def _finish(self) -> None:
        at_work = [turn.work for turn in self._turns if turn.work is not None and not turn.work.done()]
        if at_work:
            _, late = await asyncio.wait(at_work, timeout=SHUTDOWN_SECONDS)
            for work in late:
                work.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _log_failure(self, name: str, error: Exception) -> None:
        """Logs each problem once, not again while it lasts. An outage of the database is one problem, even if the
        messages differ."""
        text = message_of(error).splitlines()[0]
        trouble = Unreachable.__name__ if isinstance(error, Unreachable) else text
        if self._problems.get(name) != trouble:
            self._problems[name] = trouble
            log.warning("dispatcher loop %s failed: %s; retrying", name, text)

    def _log_recovery(self, name: str) -> None:
        if self._problems.pop(name, None) is not None:
            log.info("dispatcher loop %s works again", name)


async def _unless(stop: asyncio.Event, query: Coroutine[Any, Any, T]) -> T | None:
    """Return the result of the query, or None if `stop` is set first, so that an outage does not delay the shutdown."""
    asking, stopping = asyncio.create_task(query), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({asking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return asking.result() if asking.done() else None
    finally:
        for task in (asking, stopping):
            task.cancel()
        await asyncio.gather(asking, stopping, return_exceptions=True)


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()
