"""A process that lives and dies by its parent's word alone, and keeps to itself."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger("tenuto")


def die_with_parent() -> None:
    """Killed parents take this process along, where the system can do that; elsewhere a closed line ends it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def make_undumpable() -> None:
    """No other process of this user can read this one's memory, environment and open files."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(4, 0)  # PR_SET_DUMPABLE


def keeps_to_itself() -> bool:
    """Whether this process does so: programs that it starts do not by themselves."""
    if sys.platform != "linux":
        return False
    import ctypes

    return ctypes.CDLL(None).prctl(3) == 0  # PR_GET_DUMPABLE


def ignore_signals() -> None:
    """Init systems and terminals signal every process of a group: the parent says here what that means. Handlers that
    do nothing, not SIG_IGN: programs that user code starts would inherit that and could not be stopped."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)


@contextmanager
def leaving_within(seconds: float) -> Iterator[None]:
    """This process ends in time even if it cannot finish what it is asked here: a database that vanished without a word
    keeps every goodbye waiting, and what is not said is found by leases."""

    def leave() -> None:
        log.error(
            "no answer to the last words: leaving without a goodbye; what was held here goes on when its lease ends"
        )
        os._exit(0)

    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
