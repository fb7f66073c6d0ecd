"""Tracks which processes use the server. Each of them holds a shared file lock, which the kernel releases when the
process ends, even if it is killed."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(home: Path) -> Generator[None]:
    """Holds the exclusive lock that is needed to start or stop this server."""
    descriptor = _open(home / "lock")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # a child that was forked meanwhile has a copy of the descriptor
        os.close(descriptor)


def join(home: Path) -> int:
    """Counts this process as a user of the server until the returned descriptor is closed in this process and in all
    forked children."""
    descriptor = _open(home / "users")
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def nobody_left(home: Path) -> bool:
    """Returns whether no process uses the server. The caller must hold the lock, so that no process can join in the
    meantime."""
    descriptor = _open(home / "users")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
