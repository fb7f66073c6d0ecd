"""The entry point of `tenuto`. Imports only light modules, so that signals are handled from the very start."""

import atexit
import os
import signal
import sys
import time
from typing import NoReturn

STAYING = ("worker", "dispatcher", "server", "up")
CHECK_EVERY_SECONDS, CLEAN_UP_SECONDS = 0.5, 10.0


def main() -> NoReturn:
    """Run a command. SIGTERM and SIGINT end a process that is still starting with exit code 0, like one that is
    running. After start-up, the process's own handlers apply."""
    if sys.argv[1:2] and sys.argv[1] in STAYING:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _leave)
    from tenuto.cli.root import run

    run()


def _leave(*_: object) -> NoReturn:
    _leave_anyway(time.monotonic() + CLEAN_UP_SECONDS)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # clean-up is short, and a second signal must not interrupt it
    raise SystemExit(0)


def _leave_anyway(by: float) -> None:
    """Make sure that the process ends. Python ignores the exception of a signal handler that runs inside of `__del__`
    or a callback, and start-up would continue."""

    def check(*_: object) -> None:
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:  # start-up went on to the process's own handlers
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.raise_signal(signal.SIGTERM)
        elif time.monotonic() > by:
            os._exit(0)

    atexit.register(
        signal.setitimer, signal.ITIMER_REAL, 0
    )  # Python resets handlers when it ends: the alarm would kill
    signal.signal(signal.SIGALRM, check)
    signal.setitimer(signal.ITIMER_REAL, CHECK_EVERY_SECONDS, CHECK_EVERY_SECONDS)
