"""The memory of a sandbox's processes together, watched from outside: limits of the kernel bind each of them alone.

Where there is a memory cgroup, that is the bound, and watching ends a sandbox a little earlier. Where there is none,
watching is the bound, so it counts what processes have in memory, their page tables, and as full what their pipes and
sockets can hold.
"""

import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

CHECK_EVERY_SECONDS = 0.1  # seconds between two looks
PROC = Path("/proc")
BUFFER = Path("/proc/sys/net/core/wmem_default")  # a pipe holds less
USUAL_BUFFER = 212_992
COUNTED = ("VmRSS:", "VmPTE:")


def watch(pid: int, most: int, buffer: int, was_full: Callable[[], bool]) -> bool:
    """Wait until the process ends. Kills it, and with it all that are inside, when they use more than `most` or when
    `was_full` says that the kernel has begun to kill them for it. Returns whether that was so."""
    over = False
    ended = select.poll()
    line = os.pidfd_open(pid)
    try:
        ended.register(line, select.POLLIN)
        while not ended.poll(CHECK_EVERY_SECONDS * 1000):
            if not over and (was_full() or used(most, buffer) > most):
                over = True
                os.kill(pid, signal.SIGKILL)
    finally:
        os.close(line)
    return over or was_full()


def used(enough: int, buffer: int) -> int:
    """Bytes that all processes inside have in memory. What they share counts once, where a first count is over
    `enough`: it takes long to find out."""
    if (PROC / "self").exists():
        return 0  # the walls are not up yet: this is the machine's own
    found = sum(_in_memory(process) + len(_open_files(process)) * buffer for process in _inside())
    if found <= enough:
        return found
    held = {file for process in _inside() for file in _held_files(process)}
    return sum(_own_share(process) for process in _inside()) + len(held) * buffer


def read_buffer() -> int:
    """Bytes that one end of a pair of sockets can hold. Behind the walls this cannot be read."""
    with suppress(OSError, ValueError):
        return max(USUAL_BUFFER, int(BUFFER.read_text()))
    return USUAL_BUFFER


def _inside() -> Iterator[Path]:
    return (process for process in PROC.iterdir() if process.name.isdigit())


def _in_memory(process: Path) -> int:
    with suppress(OSError):
        lines = (process / "status").read_text().splitlines()
        return sum(int(text.split()[1]) * 1024 for text in lines if text.startswith(COUNTED))
    return 0  # it has ended


def _open_files(process: Path) -> list[str]:
    with suppress(OSError):
        return os.listdir(process / "fd")  # noqa: PTH208 (a name each is enough, sixty times ten a second)
    return []


def _held_files(process: Path) -> Iterator[str]:
    """Which pipes and sockets it has, as the kernel names them: `pipe:[4711]`."""
    for name in _open_files(process):
        with suppress(OSError):
            file = str((process / "fd" / name).readlink())
            if file.startswith(("pipe:", "socket:")):
                yield file


def _own_share(process: Path) -> int:
    with suppress(OSError):
        shared = resident = 0
        for text in (process / "smaps_rollup").read_text().splitlines():
            if text.startswith("Pss:"):
                shared = int(text.split()[1]) * 1024
            elif text.startswith("Rss:"):
                resident = int(text.split()[1]) * 1024
        return _in_memory(process) - resident + shared
    return _in_memory(process)
