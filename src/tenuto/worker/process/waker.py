"""Wakes a claimer's thread that waits for something to do."""

import os
import select
from collections.abc import Callable
from contextlib import suppress


class Waker:
    """Woken by other threads. Can also watch a connection on which wake-ups arrive, so that no extra thread is
    needed."""

    def __init__(self) -> None:
        self._out, self._in = os.pipe()
        os.set_blocking(self._out, False)
        os.set_blocking(self._in, False)
        self._watched: tuple[int, Callable[[], None]] | None = None

    def watch(self, fileno: int, came: Callable[[], None]) -> None:
        """Call `came` in the waiting thread when data arrives there."""
        self._watched = fileno, came

    def unwatch(self) -> None:
        self._watched = None

    def wake(self) -> None:
        with suppress(BlockingIOError):  # full: already woken
            os.write(self._in, b"!")

    def wait(self, seconds: float) -> None:
        """Wait until woken, data arrived or the time is over."""
        watched, poll = self._watched, select.poll()
        poll.register(self._out, select.POLLIN)
        if watched:
            poll.register(watched[0], select.POLLIN)
        for fileno, _ in poll.poll(seconds * 1000):
            if fileno == self._out:
                os.read(self._out, 4096)
            elif watched:
                watched[1]()

    def close(self) -> None:
        os.close(self._out)
        os.close(self._in)
