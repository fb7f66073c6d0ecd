"""Ties the lifetime of a process to its parent, and protects its memory from other processes."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

log = logging.getLogger("tenuto")


def die_with_parent() -> None:
    """Make the system kill this process when its parent dies (Linux); elsewhere it ends when its connection closes."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def make_undumpable() -> None:
    """Prevent other processes of this user from reading this process's memory, environment and open files."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(4, 0)  # PR_SET_DUMPABLE


def keeps_to_itself() -> bool:
    """Whether this process is undumpable; programs that it starts do not inherit this."""
    if sys.platform != "linux":
        return False
    import ctypes

    return ctypes.CDLL(None).prctl(3) == 0  # PR_GET_DUMPABLE


def _ignore(*_: object) -> None:
    pass


def ignore_signals() -> None:
    """Ignore signals that init systems and terminals send to the whole process group; the parent decides. Uses empty
    handlers instead of SIG_IGN, which programs started by user code would inherit, so that they could not be
    stopped."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _ignore)


@contextmanager
def leaving_within(seconds: float) -> Generator[None]:
    """End the process after this time even if the block does not finish: an unreachable database would delay the
    shutdown. Held tasks are retried when the lease expires."""

    def leave() -> None:
        log.error("shutdown timed out waiting for the database; exiting. Held tasks are retried when the lease expires")
        os._exit(0)

    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
