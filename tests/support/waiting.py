"""Waits for a condition, never for a fixed time."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import psutil

MAX_PAUSE_SECONDS = 0.02  # asking more often takes time from what is waited for


def wait_until(condition: Callable[[], object], *, timeout: float = 120.0) -> None:
    end = time.monotonic() + timeout
    pause = 0.002
    while not condition():
        assert time.monotonic() < end, f"{condition} did not become true within {timeout} s"
        time.sleep(pause)  # between two looks at the condition
        pause = min(pause * 1.2, MAX_PAUSE_SECONDS)


def kill(processes: Iterable[psutil.Process]) -> None:
    """Those that are still there; psutil knows when another process has the number of one that is gone."""
    for one in processes:
        with suppress(psutil.NoSuchProcess):
            one.kill()


def wait_until_dead(processes: Iterable[psutil.Process]) -> None:
    """Not until they are buried too: whoever inherits an orphan may take seconds to notice its end."""
    for process in processes:
        wait_until(lambda process=process: _is_dead(process))


def _is_dead(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
