"""What a worker process hears: that its queues may have work, and that something was cancelled."""

import asyncio
from collections.abc import Callable

from tenuto.runtimes.background import BackgroundTasks
from tenuto.worker.backends.base import Backend
from tenuto.worker.process.slots import Slots

PROCESS_STAGGER_SECONDS = (
    0.001  # seconds between the processes of a worker, so that one task does not make all of them ask at once
)
LAST_TURN = 5
CANCEL = "!cancel"
EVERY_QUEUE = "*"


class WakeupRouter:
    """One lane of the process listens on its own connection, and claims as soon as it hears; where a lane cannot
    (over HTTP, through a pooler), the loop listens for it."""

    def __init__(
        self,
        kernel: Backend,
        queues: list[str] | None,
        turn: int,
        parts: BackgroundTasks,
        *,
        open: Callable[[], None],
        work: Callable[[Slots | None], None],
        news: Callable[[], None],
        cancelled: Callable[[], None],
    ) -> None:
        self._kernel, self._queues, self._parts = kernel, queues, parts
        self.turn = (
            min(turn, LAST_TURN) * PROCESS_STAGGER_SECONDS
        )  # what a lane that heard something waits before it goes
        self._work, self._news, self._cancelled = work, news, cancelled
        self._loop = asyncio.get_running_loop()
        self._listening: asyncio.Task[None] | None = None
        self._open, self._said = open, False

    def heard(self, queue: str, by: Slots | None = None) -> None:
        """In any thread. `by` is the crew whose lane heard it and goes itself."""
        if queue == CANCEL:
            self._cancelled()
        elif queue == EVERY_QUEUE or self._queues is None or queue in self._queues:
            self._work(by)  # first of all: what was started most likely waits on a route that is known
            self._loop.call_soon_threadsafe(self._news)

    def listens(self) -> None:
        """In a lane's thread: it does."""
        self._loop.call_soon_threadsafe(self._say_open)

    def deaf(self) -> None:
        """In a lane's thread: it cannot listen."""
        self._loop.call_soon_threadsafe(self._listen)

    def _say_open(self) -> None:
        """Once: what is said from now on is heard, as well as it can be."""
        if not self._said:
            self._said = True
            self._open()

    def _listen(self) -> None:
        self._say_open()
        if self._listening is None:
            self._listening = self._parts.start("listener", self._run())

    async def _run(self) -> None:
        async for wake in self._kernel.listen():
            if wake.queue is None:
                self._work(None)
            else:
                self.heard(wake.queue)
