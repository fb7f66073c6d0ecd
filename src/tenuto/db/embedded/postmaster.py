"""Checks whether the server of a data folder is alive. Uses the process table, because a pid file remains when its
process dies."""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

ORPHAN_SECONDS = 10.0  # how long to wait for a killed backend to end
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class PidFile:
    """The content of postmaster.pid."""

    pid: int
    status: str


def read_pid_file(data: Path) -> PidFile | None:
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        return PidFile(int(lines[0]), lines[7].strip() if len(lines) > 7 else "")
    except (FileNotFoundError, IndexError, ValueError):  # the file is missing, or is being written
        return None


def running_pid(data: Path) -> int | None:
    """Return the postmaster's pid if that process is alive, is not a zombie and serves this folder; else None."""
    file = read_pid_file(data)
    return file.pid if file is not None and _serves(file.pid, data) else None


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def end_orphans(data: Path) -> None:
    """Kills the backends of a killed postmaster, because a backend that is still busy prevents the next server from
    starting."""
    for process in psutil.process_iter(["name", "cwd"]):
        if process.info["cwd"] == str(data) and "postgres" in (process.info["name"] or ""):
            with suppress(psutil.NoSuchProcess):
                process.kill()
            # Not process.wait, which waits until a zombie is reaped: in a container nothing may reap it.
            end = time.monotonic() + ORPHAN_SECONDS
            while is_alive(process.pid) and time.monotonic() < end:
                time.sleep(POLL_SECONDS)


def _serves(pid: int, data: Path) -> bool:
    try:
        # A zombie has no command line, and a reused pid has another one. kill(pid, 0) would detect neither case.
        return str(data) in psutil.Process(pid).cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False
    except psutil.AccessDenied:  # macOS hides command lines of other users, whose servers are not ours
        return False
