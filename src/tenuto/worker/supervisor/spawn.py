"""Starts child processes. This module imports little, because a worker starts its first child before it imports
anything else. Both processes then import their modules at the same time."""

import atexit
import os
import socket
import sys
from contextlib import suppress
from subprocess import DEVNULL, Popen

from tenuto.worker.process.held_attempts import make_ledger_file

_first: list["SpawnedChild"] = []


class SpawnedChild:
    """A process that waits for its settings. `connection`: where it receives them. `ledger`: its crash ledger."""

    def __init__(self, process: Popen[bytes], connection: socket.socket, ledger: int) -> None:
        self.process, self.connection, self.ledger = process, connection, ledger


def spawn_child(*, remote: bool) -> SpawnedChild:
    """Start a process. `remote`: it will probably work over HTTP, and imports the modules for that."""
    ledger = make_ledger_file(0)  # resized when the settings are known
    ours, theirs = socket.socketpair()
    files = (theirs.fileno(), ledger)
    command = [sys.executable, "-m", "tenuto.worker.process.main", *map(str, files), "http" if remote else "sql"]
    try:
        # In its own process group, so that Ctrl-C reaches only the supervisor, which then stops its children.
        process = Popen(command, pass_fds=files, stdin=DEVNULL, start_new_session=True)
    except OSError:
        ours.close()
        os.close(ledger)
        raise
    finally:
        theirs.close()
    return SpawnedChild(process, ours, ledger)


def spawn_first_child(*, remote: bool) -> None:
    """Start the first child of this worker. It is killed if the worker exits without using it."""
    with suppress(OSError):  # out of memory or processes: the supervisor tries again, and reports it
        child = spawn_child(remote=remote)
        atexit.register(child.process.kill)
        _first.append(child)


def take_first_child() -> SpawnedChild | None:
    """Return the child that `spawn_first_child` started; None if there is none or a call has already returned it."""
    return _first.pop() if _first else None
