"""How much memory processes use, from /proc, without what they share."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

BACKENDS = "select pid from pg_stat_activity where datname = current_database() and application_name = 'tenuto'"


def own_bytes(pid: int) -> int:
    """Pages of the process that no other has; none if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith(("Private_Clean:", "Private_Dirty:"))]
    return sum(kilobytes) * 1024


def backends(db: psycopg.Connection) -> list[int]:
    """The processes of Postgres that work for a server or worker on this database."""
    return [pid for (pid,) in db.execute(BACKENDS).fetchall()]


class Peak:
    """The most that was seen."""

    bytes = 0


@contextmanager
def watching(look: Callable[[], int]) -> Iterator[Peak]:
    """The peak of what `look` returns, while this lasts."""
    peak, stop = Peak(), threading.Event()

    def watch() -> None:
        while not stop.wait(0.02):
            peak.bytes = max(peak.bytes, look())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()
