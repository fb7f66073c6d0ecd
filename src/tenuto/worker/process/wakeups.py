"""Distributes wake-ups in a worker process: a queue may have work, or a task was cancelled."""

import asyncio
from collections.abc import Callable

from tenuto.runtimes.background import BackgroundTasks
from tenuto.worker.backends.base import Backend
from tenuto.worker.process.slots import Slots

# Seconds between the processes of a worker, so that one task does not make all of them claim at once.
PROCESS_STAGGER_SECONDS = 0.001
LAST_TURN = 5
CANCEL = "!cancel"
EVERY_QUEUE = "*"


class WakeupRouter:
    """One claimer of the process listens on its own connection and claims as soon as a wake-up arrives. If it cannot
    (over HTTP, through a connection pooler), the event loop listens."""

    def __init__(
        self,
        backend: Backend,
        queues: list[str] | None,
        turn: int,
        parts: BackgroundTasks,
        *,
        open: Callable[[], None],
        work: Callable[[Slots | None], None],
        news: Callable[[], None],
        cancelled: Callable[[], None],
    ) -> None:
        self._backend, self._queues, self._parts = backend, queues, parts
        # How long a claimer waits after a wake-up before it claims.
        self.turn = min(turn, LAST_TURN) * PROCESS_STAGGER_SECONDS
        self._work, self._news, self._cancelled = work, news, cancelled
        self._loop = asyncio.get_running_loop()
        self._listening: asyncio.Task[None] | None = None
        self._open, self._said = open, False

    def heard(self, queue: str, by: Slots | None = None) -> None:
        """Handle a wake-up; called from any thread. `by`: the slots of the claimer that received it."""
        if queue == CANCEL:
            self._cancelled()
        elif queue == EVERY_QUEUE or self._queues is None or queue in self._queues:
            self._work(by)  # first, because the work is most likely on a known route
            self._loop.call_soon_threadsafe(self._news)

    def listens(self) -> None:
        """Note that a claimer listens; called in its thread."""
        self._loop.call_soon_threadsafe(self._say_open)

    def deaf(self) -> None:
        """Note that a claimer cannot listen; called in its thread."""
        self._loop.call_soon_threadsafe(self._listen)

    def _say_open(self) -> None:
        """Report once that wake-ups are being received."""
        if not self._said:
            self._said = True
            self._open()

    def _listen(self) -> None:
        self._say_open()
        if self._listening is None:
            self._listening = self._parts.start("listener", self._run())

    async def _run(self) -> None:
        async for wake in self._backend.listen():
            if wake.queue is None:
                self._work(None)
            else:
                self.heard(wake.queue)
