"""Users for sandboxes: one each, so that no two can touch each other and each has its own count of processes."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

FIRST, LAST = 60_706, 61_183  # the numbers that neither people, nor services, nor containers are given


class NoUidAvailable(Exception):
    """More sandboxes at once than there are users for them."""


@contextmanager
def borrowed_uid() -> Iterator[int]:
    """A user that no other sandbox on this machine has. A name that only one socket can have is the lock: it goes with
    the process, and leaves no file behind."""
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
    raise NoUidAvailable(f"all {LAST - FIRST + 1} users for sandboxes are taken on this machine")
