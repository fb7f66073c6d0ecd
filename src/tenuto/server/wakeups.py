"""Wakes requests that wait for work. One database listener per process serves all of them, and they make no queries
while they wait."""

import asyncio
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from secrets import token_hex

from tenuto.db.connection.listener import listen
from tenuto.model.workers import CANCEL, Wakeup, is_for
from tenuto.runtimes.background import restarted

MAX_REMEMBERED_WAKEUPS = 1000  # kept for clients that reconnect


class Subscription:
    """The wake-ups that one request waits for: those of its queues (None: all) and cancellations."""

    def __init__(self) -> None:
        self.queues: frozenset[str] | None = None
        self.cancelled = self.woken = False
        self._news = asyncio.Event()

    def hear(self, wake: Wakeup) -> None:
        if wake.queue == CANCEL:
            self.cancelled = True
        elif wake.queue is not None and not is_for(wake.queue, self.queues):
            return
        else:
            self.woken = True
        self._news.set()

    async def news(self) -> None:
        """Waits for a wake-up. Returns at once if there was one since the last call."""
        await self._news.wait()
        self._news.clear()


class WakeupHub:
    """Distributes wake-ups to requests. Starts to listen with the first `watch`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._watches: set[Subscription] = set()
        self._listening: asyncio.Task[None] | None = None
        self._process, self._heard = token_hex(8), 0
        self._recent: deque[Wakeup] = deque(maxlen=MAX_REMEMBERED_WAKEUPS)

    @property
    def cursor(self) -> str:
        """The position of the newest wake-up that this process received. The client sends it with its next request."""
        return f"{self._process}.{self._heard}"

    def catch_up(self, watch: Subscription, cursor: str | None) -> None:
        """Delivers the wake-ups since the cursor to the request. If the cursor is missing, too old or of another
        process, wakes the request in any case."""
        process, _, heard = (cursor or "").partition(".")
        missed = self._heard - int(heard) if process == self._process and heard.isdecimal() else -1
        if 0 <= missed <= len(self._recent):
            for wake in list(self._recent)[len(self._recent) - missed :]:
                watch.hear(wake)
        else:
            watch.hear(Wakeup(None))

    @contextmanager
    def watch(self) -> Generator[Subscription]:
        """Subscribes to wake-ups during the block. The caller must query for work inside the block, so that a task that
        becomes ready after the query wakes the request."""
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(restarted("wake-up listener", self._listen))
        watch = Subscription()
        self._watches.add(watch)
        try:
            yield watch
        finally:
            self._watches.discard(watch)

    async def _listen(self) -> None:
        async for wake in listen(self._url):
            self._heard += 1
            self._recent.append(wake)
            for watch in self._watches:
                watch.hear(wake)

    async def close(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening
