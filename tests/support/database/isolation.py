"""Databases whose transactions have another isolation level than READ COMMITTED, and transactions at such a level."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from tests.support.database.tasks import Db

LEVELS: list[str] = ["repeatable read", "serializable"]


@contextmanager
def default_isolation(database: str, level: str) -> Iterator[None]:
    """Connections that are opened meanwhile begin their transactions at this level, unless they name another."""
    with default(database, "default_transaction_isolation", level):
        yield


@contextmanager
def default(database: str, setting: str, value: str) -> Iterator[None]:
    """Connections that are opened meanwhile begin with this value of a setting."""
    with psycopg.connect(database, autocommit=True) as conn:
        named = {"name": sql.Identifier(conn.info.dbname), "setting": sql.Identifier(setting), "value": value}
        conn.execute(sql.SQL("alter database {name} set {setting} = {value}").format(**named))
        try:
            yield
        finally:
            conn.execute(sql.SQL("alter database {name} reset {setting}").format(**named))


@contextmanager
def a_transaction(database: str, level: str, role: str = "tenuto_worker", *, checked: bool = True) -> Iterator[Db]:
    """A transaction at this level that has its snapshot. It commits at the end of the block. If it is not checked, it
    is without the triggers of test databases, in whose table transactions meet."""
    triggers = "" if checked else " -c session_replication_role=replica"
    with psycopg.connect(database, options=f"-c role={role}{triggers}") as conn:
        conn.execute(f"set transaction isolation level {level}".encode())
        conn.execute("select 1 from tenuto.orgs limit 1")
        yield conn
