"""Tracks the users of the server: each holds a shared file lock, which the kernel releases however the process dies."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(home: Path) -> Generator[None]:
    """Hold the exclusive lock for starting or stopping this server."""
    descriptor = _open(home / "lock")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def join(home: Path) -> int:
    """Count as a user until the returned descriptor is closed, in this process and in every forked child."""
    descriptor = _open(home / "users")
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def nobody_left(home: Path) -> bool:
    """Whether the server has no users. Called with the lock held, so that no user can join in the meantime."""
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
