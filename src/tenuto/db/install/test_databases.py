"""Databases for tests: copies of a migrated template, with a clock that tests control."""

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import make_conninfo

from tenuto.db.connection.call import Conn
from tenuto.db.install.install import migrate, open_connection
from tenuto.db.install.sql_tree import read_tree

LOCK = 0x7E6E_7465  # an arbitrary number; the process that creates the template takes this advisory lock
IN_USE = 0x7E6E_7466  # a process holds the lock of this number and the hash of its test database's name


@contextmanager
def isolated_database(server: str) -> Generator[str]:
    """Yield the URL of a new test database on this server. Drops the database at the end of the block. The login must
    be a superuser."""
    template = _ensure_template(server)
    name = f"tenuto_test_{secrets.token_hex(6)}"
    with open_connection(server) as conn:
        conn.execute("select pg_advisory_lock(%s, hashtext(%s))", [IN_USE, name])  # until this process ends
        conn.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield _in_database(server, name)
        finally:
            conn.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def drop_abandoned(server: str) -> None:
    """Drop the test databases of processes that were killed."""
    with open_connection(server) as conn:
        names = conn.execute("select datname::text from pg_database where datname like 'tenuto\\_test\\_%%'").fetchall()
        for (name,) in names:
            free = conn.execute("select pg_try_advisory_lock(%s, hashtext(%s))", [IN_USE, name]).fetchone()
            if free and free[0]:
                conn.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
                conn.execute("select pg_advisory_unlock(%s, hashtext(%s))", [IN_USE, name])


async def set_clock(conn: Conn, moment: datetime) -> None:
    """Set the clock of the database to a fixed time, for this connection and all connections that are opened later."""
    at = moment.isoformat()
    database = sql.Identifier(conn.info.dbname)
    await conn.execute(sql.SQL("alter database {} set tenuto.fake_now = {}").format(database, sql.Literal(at)))
    await conn.execute("select set_config('tenuto.fake_now', %s, false)", [at])


async def next_due(conn: Conn) -> datetime | None:
    """Return the earliest time at which a rate admits a task or a schedule fires; None if there is none."""
    cursor = await conn.execute(
        "select least((select min(due_at) from tenuto.limits),"
        " (select min(next_at) from tenuto.schedules where paused_at is null))"
    )
    row = await cursor.fetchone()
    return row[0] if row else None


def _ensure_template(server: str) -> str:
    """Return the name of the migrated template database. Creates it if there is none for the current SQL files."""
    name = f"tenuto_template_{read_tree(None).digest(test=True)[:12]}"
    with open_connection(server) as conn:
        conn.execute("select pg_advisory_lock(%s)", [LOCK])
        if conn.execute("select 1 from pg_database where datname = %s", [name]).fetchone() is None:
            _make_template(conn, server, name)
    return name


def _make_template(conn: Connection, server: str, name: str) -> None:
    half = f"{name}_half_made"
    old = conn.execute("select datname::text from pg_database where datname like 'tenuto\\_template\\_%%'").fetchall()
    for (template,) in old:
        conn.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(template)))
    conn.execute(sql.SQL("create database {} template template0").format(sql.Identifier(half)))
    with psycopg.connect(_in_database(server, half), autocommit=True) as inside:
        migrate(inside, test=True)
    conn.execute(sql.SQL("alter database {} rename to {}").format(sql.Identifier(half), sql.Identifier(name)))


def _in_database(server: str, name: str) -> str:
    if "://" in server:
        head, _, tail = server.partition("://")
        place = tail.split("?", 1)
        return f"{head}://{place[0].split('/', 1)[0]}/{name}" + (f"?{place[1]}" if len(place) > 1 else "")
    return make_conninfo(server, dbname=name)
