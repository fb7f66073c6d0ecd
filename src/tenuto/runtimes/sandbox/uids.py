"""User ids for sandboxes: one each, so that they cannot touch each other and each has its own process limit."""

import socket
from collections.abc import Generator
from contextlib import contextmanager

FIRST, LAST = 60_706, 61_183  # ids that are not assigned to people, services or containers


class NoUidAvailable(Exception):
    """More sandboxes at once than available user ids."""


@contextmanager
def borrowed_uid() -> Generator[int]:
    """Yield a user id that no other sandbox on this machine uses. An abstract socket name is the lock: it disappears
    with the process and leaves no file behind."""
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
