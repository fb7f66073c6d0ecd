"""Locks all tables of an installation before they are changed. Workers may use the tables meanwhile."""

import time
from collections.abc import Sequence

from psycopg import Connection, errors, sql

from tenuto.db.connection.errors import BusyTables
from tenuto.model.backoff import jitter

LOCK_TIMEOUT_SECONDS = 60.0  # how long to wait until all tables are free at the same time
# Shorter than deadlock_timeout, so that Postgres never cancels the statement of a worker that waits for these locks.
LOCK_TRY_TIMEOUT = "500ms"


def hold_tables(conn: Connection, schemas: Sequence[str], *, timeout: float = LOCK_TIMEOUT_SECONDS) -> None:
    """Locks all tables and views of the schemas together, until the transaction ends. Locking each table only when it
    is changed could deadlock with calls of workers. Raises BusyTables if the tables do not become free in time."""
    names = conn.execute(
        "select n.nspname::text, c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = any (%s) and c.relkind in ('r', 'p', 'v') and not c.relispartition order by 1, 2",
        [list(schemas)],
    ).fetchall()
    if not names:
        return
    tables = sql.SQL(", ").join(sql.Identifier(*name) for name in names)
    end = time.monotonic() + timeout
    while not _try(conn, sql.SQL("lock table {} in access exclusive mode").format(tables)):
        if time.monotonic() > end:
            raise BusyTables(
                f"a transaction has locked tables for over {timeout:.0f} s, and nothing was changed; "
                "end long transactions (pg_stat_activity shows them) and migrate again"
            )
        time.sleep(jitter(0.2))


def _try(conn: Connection, lock: sql.Composed) -> bool:
    try:
        with conn.transaction():  # after a timeout, its rollback releases the locks taken so far
            conn.execute(sql.SQL("set local statement_timeout = {}").format(sql.Literal(LOCK_TRY_TIMEOUT)))
            conn.execute(lock)
            conn.execute("set local statement_timeout to default")
    except errors.QueryCanceled:
        return False
    return True
