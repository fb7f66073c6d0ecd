"""Timeouts with a single timer for the earliest deadline, instead of a timer per task."""

import asyncio
import heapq
from collections.abc import Callable

from tenuto.runtimes.base import Attempt

# From the request to stop until the attempt is abandoned; the database takes the task back after 5 s.
STOP_GRACE_SECONDS = 3.0

MAX_PER_LOOK = 1000  # the number of entries at which finished attempts are removed


class Deadlines:
    """Calls `soft` when an attempt's timeout passes, and `hard` when the attempt still runs STOP_GRACE_SECONDS
    later."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, *, soft: Callable[[Attempt], None], hard: Callable[[Attempt], None]
    ) -> None:
        self._loop, self._soft, self._hard = loop, soft, hard
        self._heap: list[tuple[float, int, Attempt, bool]] = []
        self._count = 0
        self._most = MAX_PER_LOOK
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, attempt: Attempt, seconds: float, *, hard: bool = False) -> None:
        if len(self._heap) >= self._most:  # remove finished attempts, whose deadlines may be far away
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
        self._timer = self._loop.call_at(self._heap[0][0], self._on_timer) if self._heap else None

    def _on_timer(self) -> None:
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
