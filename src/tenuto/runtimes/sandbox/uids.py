"""User ids for sandboxes. Each sandbox has its own user id, so that sandboxes cannot access each other and each has its
own process limit."""

import socket
from collections.abc import Generator
from contextlib import contextmanager

FIRST, LAST = 60_706, 61_183  # ids that are not assigned to people, services or containers


class NoUidAvailable(Exception):
    """All user ids for sandboxes are in use."""


@contextmanager
def borrowed_uid() -> Generator[int]:
    """Yield a user id that no other sandbox on this machine uses. Raises NoUidAvailable if all are in use. The lock is
    an abstract socket name, which disappears with the process and leaves no file behind."""
    for uid in range(FIRST, LAST + 1):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            lock.bind(f"\0tenuto-sandbox-{uid}")
        except OSError:
            lock.close()
            continue
        with lock:
            yield uid
        return
    raise NoUidAvailable(f"all {LAST - FIRST + 1} user ids for sandboxes are in use on this machine")
