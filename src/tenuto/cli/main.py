"""Where `tenuto` begins. Imports nothing of weight, so that signals are heard from the first moment on."""

import signal
import sys
from typing import NoReturn

STAYING = ("worker", "dispatcher", "server", "up")


def main() -> NoReturn:
    """Run a command. SIGTERM and SIGINT end a process that is still starting, as if it had been told once it worked:
    with exit code 0. What it does later, its own handlers decide."""
    if sys.argv[1:2] and sys.argv[1] in STAYING:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _leave)
    from tenuto.cli.root import run

    run()


def _leave(*_: object) -> NoReturn:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # cleaning up is short, and a second signal must not cut it off
    raise SystemExit(0)
