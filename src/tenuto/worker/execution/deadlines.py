"""Timeouts without a timer per task: one timer for the earliest deadline of all."""

import asyncio
import heapq
from collections.abc import Callable

from tenuto.worker.execution.attempt import Attempt

STOP_GRACE_SECONDS = 3.0  # from being asked to stop to being abandoned; the kernel takes the task back after five

MAX_PER_LOOK = 1000  # looked at together, so that each costs little


class Deadlines:
    """Calls `soft` when an attempt's time is up, and `hard` when it goes on nevertheless."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, *, soft: Callable[[Attempt], None], hard: Callable[[Attempt], None]
    ) -> None:
        self._loop, self._soft, self._hard = loop, soft, hard
        self._heap: list[tuple[float, int, Attempt, bool]] = []
        self._count = 0
        self._most = MAX_PER_LOOK
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, attempt: Attempt) -> None:
        """Its time runs from here: that a process had to be started first is no fault of it."""
        if attempt.timeout:
            self.watch(attempt, attempt.timeout)

    def watch(self, attempt: Attempt, seconds: float, *, hard: bool = False) -> None:
        if len(self._heap) >= self._most:  # what is long over must not lie here until its deadline would have come
            self._heap = [entry for entry in self._heap if not entry[2].over]
            heapq.heapify(self._heap)
            self._most = max(MAX_PER_LOOK, 2 * len(self._heap))
        at = self._loop.time() + seconds
        self._count += 1
        heapq.heappush(self._heap, (at, self._count, attempt, hard))
        if self._heap[0][0] == at:
            self._set_timer()

    def _set_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
        while self._heap and self._heap[0][2].over:
            heapq.heappop(self._heap)
        self._timer = self._loop.call_at(self._heap[0][0], self._ring) if self._heap else None

    def _ring(self) -> None:
        now = self._loop.time()
        while self._heap and self._heap[0][0] <= now:
            _, _, attempt, hard = heapq.heappop(self._heap)
            if attempt.over:
                continue
            if hard:
                self._hard(attempt)
            else:
                self._soft(attempt)
                self.watch(attempt, STOP_GRACE_SECONDS, hard=True)
        self._set_timer()
