"""Names the processes of this machine, so that another process on it can find out whether they have ended (Linux).

A host is a boot of a machine and its namespaces of process ids and times: a process in a container, or on a machine
that started again, is on another host. A process is its id and its start time, because ids are used again.
"""

import os
import re
from functools import cache
from pathlib import Path

PROC = Path("/proc")
PROCESS = re.compile(r"(\d{1,9}):(\d{1,20})")
STATE, START = 0, 19  # fields of /proc/PID/stat after the name of the program
ENDED = ("Z", "X")  # a process that has ended, and whose parent has not taken note


@cache
def this_host() -> str | None:
    """Return the id of this host; None if it cannot be determined."""
    try:
        boot = (PROC / "sys" / "kernel" / "random" / "boot_id").read_text().strip()
        spaces = PROC / "self" / "ns"
        time = spaces / "time"  # start times count from its offset; older kernels have none
        return f"{boot} {(spaces / 'pid').readlink()} {time.readlink() if time.is_symlink() else ''}".rstrip()
    except OSError:
        return None


def process_id(pid: int) -> str | None:
    """Return the id of a process that runs; None if it cannot be determined."""
    fields = _fields(pid)
    return f"{pid}:{fields[START]}" if fields else None


def has_ended(process: object) -> bool:
    """Whether the process with this id, as `process_id` returned it on this host, is known to have ended. If that
    cannot be determined, it counts as running."""
    found = PROCESS.fullmatch(process) if isinstance(process, str) else None
    if not found:
        return False
    pid = int(found[1])
    fields = _fields(pid)
    if fields:
        return fields[START] != found[2] or fields[STATE] in ENDED
    try:  # /proc can hide the processes of other users
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _fields(pid: int) -> list[str] | None:
    """Return the state of a process and the fields after it."""
    try:
        return (PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
