"""Databases whose transactions have another isolation level than READ COMMITTED, and transactions at such a level."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from tests.support.database.tasks import Db

LEVELS = ["repeatable read", "serializable"]


@contextmanager
def default_isolation(database: str, level: str) -> Iterator[None]:
    """Connections that are opened meanwhile begin their transactions at this level, unless they name another."""
    with psycopg.connect(database, autocommit=True) as conn:
        name = sql.Identifier(conn.info.dbname)
        conn.execute(sql.SQL("alter database {} set default_transaction_isolation = {}").format(name, level))
        try:
            yield
        finally:
            conn.execute(sql.SQL("alter database {} reset default_transaction_isolation").format(name))


@contextmanager
def a_transaction(database: str, level: str, role: str = "tenuto_worker", *, checked: bool = True) -> Iterator[Db]:
    """A transaction at this level that has its snapshot. It commits at the end of the block. If it is not checked, it
    is without the triggers of test databases, in whose table transactions meet."""
    triggers = "" if checked else " -c session_replication_role=replica"
    with psycopg.connect(database, options=f"-c role={role}{triggers}") as conn:
        conn.execute(sql.SQL("set transaction isolation level {}").format(sql.SQL(level)))
        conn.execute("select 1 from tenuto.orgs limit 1")
        yield conn
