"""What a call costs the server: CPU seconds of its backend, which neighbours on the machine hardly change."""

import time
from collections.abc import Callable
from pathlib import Path

import psycopg


def server_seconds(conn: psycopg.Connection) -> float:
    """CPU seconds of the connection's backend so far; the clock's seconds where /proc does not have them."""
    times = Path(f"/proc/{conn.info.backend_pid}/schedstat")
    try:
        return int(times.read_text().split()[0]) / 1e9  # nanoseconds; utime and stime count in steps of 10 ms
    except (OSError, ValueError, IndexError):
        return time.perf_counter()


def metered(conn: psycopg.Connection, call: Callable[[], object]) -> float:
    """The server seconds of one call on the connection."""
    began = server_seconds(conn)
    call()
    return server_seconds(conn) - began
