"""The memory of a sandbox's processes together, watched from outside: limits of the kernel bind each of them alone."""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

EVERY = 0.1  # seconds between two looks
PAGE = os.sysconf("SC_PAGE_SIZE")
PROC = Path("/proc")


def watch(pid: int, most: int) -> bool:
    """Until the process ends; ended here, with all that are inside, if they use more. Answers whether that was so."""
    over = False
    ended = select.poll()
    line = os.pidfd_open(pid)
    try:
        ended.register(line, select.POLLIN)
        while not ended.poll(EVERY * 1000):
            if used(most) > most and not over:
                over = True
                os.kill(pid, signal.SIGKILL)
    finally:
        os.close(line)
    return over


def used(enough: int) -> int:
    """Bytes that all processes inside have in memory. What they share counts once, where a first count is over
    `enough`: it takes long to find out."""
    if (PROC / "self").exists():
        return 0  # the walls are not up yet: this is the machine's own
    found = sum(_resident(process) for process in _inside())
    return found if found <= enough else sum(_own_share(process) for process in _inside())


def _inside() -> Iterator[Path]:
    return (process for process in PROC.iterdir() if process.name.isdigit())


def _resident(process: Path) -> int:
    with suppress(OSError):
        return int((process / "statm").read_text().split()[1]) * PAGE
    return 0  # it has ended


def _own_share(process: Path) -> int:
    with suppress(OSError):
        for text in (process / "smaps_rollup").read_text().splitlines():
            if text.startswith("Pss:"):
                return int(text.split()[1]) * 1024
    return _resident(process)
