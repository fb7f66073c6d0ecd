"""The entry point of `tenuto`. Imports only light modules, so that signals are handled from the very start."""

import signal
import sys
from typing import NoReturn

STAYING = ("worker", "dispatcher", "server", "up")


def main() -> NoReturn:
    """Run a command. SIGTERM and SIGINT end a process that is still starting with exit code 0, like one that is
    running. After start-up, the process's own handlers apply."""
    if sys.argv[1:2] and sys.argv[1] in STAYING:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _leave)
    from tenuto.cli.root import run

    run()


def _leave(*_: object) -> NoReturn:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # clean-up is short, and a second signal must not interrupt it
    raise SystemExit(0)
