"""Kills processes while Postgres executes a statement of theirs: a lock holds the statement until they are dead."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import psycopg

from tests.support.waiting import wait_until

# What the server does with the statement of a client that is gone: it executes it to its end, or notices and stops.
Afterwards = Literal["finishes", "rolls back"]
WAITING = """
select l.pid
from pg_locks l
join pg_stat_activity a on a.pid = l.pid
where l.relation = %s::regclass and not l.granted and strpos(a.query, %s) > 0
"""
EXECUTING = "select 1 from pg_stat_activity where pid = any(%s) and state = 'active'"


@contextmanager
def interrupted(
    database: str, table: str, after: Afterwards, *, function: str = "tenuto"
) -> Iterator[list[Callable[[], None]]]:
    """The block lets a process write to the table, and adds to the list what kills the process. That happens while its
    call of the function is executed, which then ends as said."""
    with psycopg.connect(database) as holder, psycopg.connect(database, autocommit=True) as watcher:
        holder.execute(f"lock table {table} in share row exclusive mode".encode())
        kill: list[Callable[[], None]] = []
        yield kill
        pids: list[int] = []

        def found() -> bool:
            pids[:] = [pid for (pid,) in watcher.execute(WAITING, [table, function])]
            return bool(pids)

        wait_until(found)
        for end in kill:
            end()
        if after == "rolls back":
            watcher.execute("select pg_terminate_backend(pid) from unnest(%s::int[]) pid", [pids])
        holder.rollback()
        wait_until(lambda: watcher.execute(EXECUTING, [pids]).fetchone() is None)
