"""Measures the server's cost of a call: CPU seconds of its backend, which other load on the machine hardly affects."""

import time
from collections.abc import Callable
from pathlib import Path

import psycopg


def server_seconds(backend_pid: int) -> float:
    """Return the CPU seconds of a backend so far, or wall-clock seconds if /proc does not have them."""
    times = Path(f"/proc/{backend_pid}/schedstat")
    try:
        return int(times.read_text().split()[0]) / 1e9  # nanoseconds; utime and stime count in steps of 10 ms
    except (OSError, ValueError, IndexError):
        return time.perf_counter()


def metered(conn: psycopg.Connection, call: Callable[[], object]) -> float:
    """Return the server seconds of one call on the connection."""
    began = server_seconds(conn.info.backend_pid)
    call()
    return server_seconds(conn.info.backend_pid) - began
