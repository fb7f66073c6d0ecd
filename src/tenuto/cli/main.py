"""The entry point of `tenuto`. Imports only light modules, so that signals are handled from the very start."""

import atexit
import os
import signal
import sys
import time
from typing import NoReturn

STAYING = ("worker", "dispatcher", "server", "up")
CHECK_EVERY_SECONDS, CLEAN_UP_SECONDS = 0.5, 10.0

_requests: list[int] = []  # signals that asked this process to exit during start-up


def main() -> NoReturn:
    """Run a command. For commands that run until they are stopped, such as `worker`, SIGTERM and SIGINT end the process
    with exit code 0 even during start-up. After start-up, the process's own handlers apply."""
    if sys.argv[1:2] and sys.argv[1] in STAYING:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _exit_cleanly)
    if sys.argv[1:2] == ["worker"] and "--help" not in sys.argv:
        from tenuto.worker.supervisor.spawn import spawn_first_child

        spawn_first_child(remote=_looks_remote())
    try:
        from tenuto.cli.root import run

        run()
    except BaseException:
        if _requests:  # Python replaces an error that is raised in `__set_name__` by another one
            sys.exit(0)
        raise


def _looks_remote() -> bool:
    """Whether the worker will probably work over HTTP. If this guess is wrong, its child process only imports more
    modules later."""
    in_environment = "TENUTO_URL" in os.environ and "TENUTO_DATABASE_URL" not in os.environ
    return in_environment or any(argument.startswith("--url") for argument in sys.argv)


def _exit_cleanly(number: int, _: object) -> NoReturn:
    _requests.append(number)
    _exit_by(time.monotonic() + CLEAN_UP_SECONDS)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # clean-up is short, and a second signal must not interrupt it
    raise SystemExit(0)


def _exit_by(by: float) -> None:
    """Make sure that the process ends. If a signal handler runs inside of `__del__` or a callback, Python ignores its
    exception, and start-up would continue."""

    def check(*_: object) -> None:
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:  # start-up has set the process's own handlers
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.raise_signal(signal.SIGTERM)
        elif time.monotonic() > by:
            os._exit(0)

    atexit.register(
        signal.setitimer, signal.ITIMER_REAL, 0
    )  # Python resets handlers at its end: then the alarm would kill the process
    signal.signal(signal.SIGALRM, check)
    signal.setitimer(signal.ITIMER_REAL, CHECK_EVERY_SECONDS, CHECK_EVERY_SECONDS)
