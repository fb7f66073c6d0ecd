"""Records the tasks that a worker runs; uses only the standard library, for all Python systems.

Each process writes two files into $BENCH_TALLY. A line of `<pid>.runs` has the monotonic time in nanoseconds and the
number of tasks run so far; the first is written at the first task, then at most one every 20 ms. A line of `<pid>.late`
has the time at which a task was sent, and how many nanoseconds later it ran.
"""

import os
import threading
import time
from pathlib import Path

EVERY = 0.02

# A list, because append is atomic in threads and `+= 1` is not.
_hits: list[None] = []


def hit() -> None:
    """Count one task."""
    _hits.append(None)
    if len(_hits) == 1:
        _start()


def late(sent: int) -> None:
    """Record that a task sent at this monotonic time (nanoseconds) runs now."""
    took = time.monotonic_ns() - sent
    with _file("late").open("a") as file:
        file.write(f"{sent} {took}\n")


def _file(kind: str) -> Path:
    return Path(os.environ["BENCH_TALLY"]) / f"{os.getpid()}.{kind}"


def _start() -> None:
    first = time.monotonic_ns()
    threading.Thread(target=_write, args=(first,), daemon=True).start()


def _write(first: int) -> None:
    written = 0
    with _file("runs").open("a", buffering=1) as file:
        file.write(f"{first} 0\n")
        while True:
            count = len(_hits)
            if count != written:
                file.write(f"{time.monotonic_ns()} {count}\n")
                written = count
            time.sleep(EVERY)
