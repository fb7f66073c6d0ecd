"""Dispatchers as threads of a test: real loops on a real database."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tenuto.dispatcher.main import dispatch
from tenuto.storage.base import Store


@contextmanager
def dispatching(url: str, *, store: Store | None = None, **options: Any) -> Iterator[None]:
    """A dispatcher that runs until the block ends. `options`: more parameters of dispatch()."""
    ready = threading.Event()
    handles: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def main() -> None:
        stop = asyncio.Event()
        handles.append((asyncio.get_running_loop(), stop))
        ready.set()
        await dispatch(url, role="tenuto_dispatcher", stop=stop, store=store, **options)

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    ready.wait()
    try:
        yield
    finally:
        ((loop, stop),) = handles
        loop.call_soon_threadsafe(stop.set)
        thread.join()


@pytest.fixture
def dispatcher(database: str) -> Iterator[Callable[[], None]]:
    """`dispatcher()` starts one more; all stop when the test ends."""
    with ExitStack() as running:
        yield lambda: running.enter_context(dispatching(database))
