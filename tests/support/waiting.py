"""Waiting for a condition, never for a while."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], *, timeout: float = 20.0) -> None:
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, f"{condition} did not become true within {timeout} s"
        time.sleep(0.005)
