"""Signals shutdown to long polls, which would otherwise delay uvicorn's graceful stop."""

import asyncio
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

NUMBERS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def signal_shutdown(stopping: asyncio.Event) -> Generator[None]:
    """Set the event on SIGTERM or SIGINT, then call the previous signal handler."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread handles signals
        return
    loop = asyncio.get_running_loop()
    before: dict[int, Any] = {number: signal.getsignal(number) for number in NUMBERS}

    def hear(handle: Callable[[int, FrameType | None], Any]) -> Callable[[int, FrameType | None], None]:
        def heard(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(stopping.set)
            handle(number, frame)

        return heard

    for number, handle in before.items():
        if callable(handle):
            signal.signal(number, hear(handle))
    try:
        yield
    finally:
        for number, handle in before.items():
            if callable(handle):
                signal.signal(number, handle)
