"""Watches the memory of all processes of a sandbox together, because resource limits apply only to each process.

With a memory cgroup, the kernel enforces the limit, and watching ends a sandbox slightly earlier. Without a cgroup,
only watching enforces the limit, so it counts resident memory, page tables, and the full capacity of pipes and sockets.
"""

import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

CHECK_EVERY_SECONDS = 0.1  # seconds between two checks
PROC = Path("/proc")
BUFFER = Path("/proc/sys/net/core/wmem_default")  # a pipe holds less than a socket
USUAL_BUFFER = 212_992
COUNTED = ("VmRSS:", "VmPTE:")


def watch(pid: int, most: int, buffer: int, was_full: Callable[[], bool]) -> bool:
    """Wait until the first process of the sandbox ends. Kill it, and everything inside with it, when all processes
    together use more than `most` bytes, or when `was_full` reports that the kernel has killed one of them. Return
    whether one of these two cases happened."""
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
    """Return how many bytes of memory all processes inside use. A first sum counts shared memory once per process. If
    this sum exceeds `enough`, a second, slower sum counts shared memory only once."""
    if (PROC / "self").exists():
        return 0  # the walls are not built yet: this is the /proc of the machine
    total = sum(_in_memory(process) + len(_open_files(process)) * buffer for process in _inside())
    if total <= enough:
        return total
    held = {file for process in _inside() for file in _held_files(process)}
    return sum(_own_share(process) for process in _inside()) + len(held) * buffer


def read_buffer() -> int:
    """Return the capacity of one end of a socket pair, in bytes. Must be called outside of the sandbox, because it
    reads a file of the machine."""
    with suppress(OSError, ValueError):
        return max(USUAL_BUFFER, int(BUFFER.read_text()))
    return USUAL_BUFFER


def _inside() -> Iterator[Path]:
    return (process for process in PROC.iterdir() if process.name.isdigit())


def _in_memory(process: Path) -> int:
    with suppress(OSError):
        lines = (process / "status").read_text().splitlines()
        return sum(int(text.split()[1]) * 1024 for text in lines if text.startswith(COUNTED))
    return 0  # the process has ended


def _open_files(process: Path) -> list[str]:
    with suppress(OSError):
        return os.listdir(process / "fd")  # noqa: PTH208 (only names are needed, about 600 times per second)
    return []


def _held_files(process: Path) -> Iterator[str]:
    """Yield the pipes and sockets of a process by their kernel names: `pipe:[4711]`."""
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
