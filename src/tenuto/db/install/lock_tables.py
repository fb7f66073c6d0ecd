"""Holding every table of an installation before it is changed, while workers go on using it."""

import random
import time

from psycopg import Connection, errors, sql

from tenuto.db.connection.errors import BusyTables

LOCK_TIMEOUT_SECONDS = 60.0  # seconds in which the tables must be free once, all of them
LOCK_TRY_TIMEOUT = "500ms"  # shorter than the server's deadlock timeout: nobody who waits for us is sacrificed


def hold_tables(conn: Connection, *, patience: float = LOCK_TIMEOUT_SECONDS) -> None:
    """Lock all tables and views together until the transaction ends. Taken one by one, as each is changed, they and the
    workers' calls would wait for each other in a circle."""
    names = conn.execute(
        "select relname::text from pg_class where relnamespace = 'tenuto'::regnamespace"
        " and relkind in ('r', 'p', 'v') and not relispartition order by relname"
    ).fetchall()
    if not names:
        return
    tables = sql.SQL(", ").join(sql.Identifier("tenuto", name) for (name,) in names)
    end = time.monotonic() + patience
    while not _try(conn, sql.SQL("lock table {} in access exclusive mode").format(tables)):
        if time.monotonic() > end:
            raise BusyTables(
                f"a transaction keeps the tables busy for over {patience:.0f} s and nothing was changed; "
                "end long transactions (pg_stat_activity shows them) and migrate again"
            )
        time.sleep(random.uniform(0.05, 0.3))  # noqa: S311 - a pause, not a secret


def _try(conn: Connection, lock: sql.Composed) -> bool:
    try:
        with conn.transaction():  # a lock that is not had in time gives the others back
            conn.execute(sql.SQL("set local statement_timeout = {}").format(sql.Literal(LOCK_TRY_TIMEOUT)))
            conn.execute(lock)
            conn.execute("set local statement_timeout to default")
    except errors.QueryCanceled:
        return False
    return True
