"""Ties the lifetime of a process to its parent, and protects its memory from other processes."""

import logging
import os
import signal
import stat
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

log = logging.getLogger("tenuto")

stop_requested = threading.Event()  # set when this process was asked to stop


def die_with_parent() -> None:
    """Make the system kill this process when its parent dies (Linux). On other systems, it ends when the connection to
    its parent closes."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def stop_with_parent(descriptor: str) -> None:
    """Send SIGTERM to this process when its parent ends. `descriptor`: a pipe whose other end the parent holds open.
    Unlike `die_with_parent`, this lets running tasks finish and works on every system. A process that is already
    stopping gets no signal, because a second signal would end it at once."""
    try:
        pipe = int(descriptor)
        if not stat.S_ISFIFO(os.fstat(pipe).st_mode):
            raise ValueError("not a pipe")
    except (OSError, ValueError) as error:  # a program between parent and worker closed it
        log.warning(
            "TENUTO_PARENT_PIPE is %s (%s): this worker keeps running when its dispatcher ends", descriptor, error
        )
        return
    os.set_inheritable(pipe, False)

    def wait() -> None:
        os.read(pipe, 1)  # nothing is ever written: this returns when the other end is closed
        if not stop_requested.is_set():
            log.warning("the process that started this worker has ended: stopping")
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="parent watch", daemon=True).start()


def make_undumpable() -> None:
    """Prevent other processes of this user from reading this process's memory, environment and open files."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(4, 0)  # PR_SET_DUMPABLE


def is_undumpable() -> bool:
    """Whether this process is undumpable; programs that it starts do not inherit this."""
    if sys.platform != "linux":
        return False
    import ctypes

    return ctypes.CDLL(None).prctl(3) == 0  # PR_GET_DUMPABLE


def _ignore(*_: object) -> None:
    pass


def ignore_signals() -> None:
    """Ignore signals that init systems and terminals send to the whole process group, because the parent decides when
    this process stops. Uses empty handlers instead of SIG_IGN. Programs started by user code would inherit SIG_IGN, and
    could not be stopped."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _ignore)


@contextmanager
def exit_after(seconds: float) -> Generator[None]:
    """End the process after this time if the block has not finished, because an unreachable database could delay the
    shutdown without end. Held tasks are retried when the lease expires."""

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
