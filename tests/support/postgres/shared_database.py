"""One migrated database per test process, emptied after every test: a clone costs more than most tests."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.rows import tuple_row

from tests.support.database.invariants import assert_rows_are_right
from tests.support.postgres.reset import DatabaseReset
from tests.support.postgres.server import create_database, in_database, planted_database

# What a test can change besides rows: definitions and statistics. Each catalog row carries the transaction that wrote
# it; the statistics in pg_class are overwritten in place. Objects below 16384 are those of Postgres itself.
SCHEMA = """
select (select sum(c.xmin::text::bigint + c.relpages + c.reltuples) + count(*) from pg_class c where c.oid >= 16384),
       (select sum(p.xmin::text::bigint) + count(*) from pg_proc p where p.oid >= 16384),
       (select sum(k.xmin::text::bigint) + count(*) from pg_constraint k where k.oid >= 16384),
       (select sum(t.xmin::text::bigint) + count(*) from pg_trigger t),
       (select sum(p.xmin::text::bigint) + count(*) from pg_policy p),
       (select count(*) from pg_statistic),
       (select count(*) from pg_type),
       (select count(*) from pg_namespace)
"""
SETTINGS = """
select 1 from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()
"""
KEPT_APPLICATION = "tenuto of all tests"  # the name of connections that go on to the next test (http/kept_pool.py)
OTHERS = f"""
select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity
where datname = current_database() and backend_type = 'client backend' and pid <> all (%s)
  and application_name <> '{KEPT_APPLICATION}'
"""
RESET_SESSION = """
close all; reset session authorization; reset role; reset all; unlisten *; discard temp; discard sequences;
select pg_advisory_unlock_all()
"""


class SharedDatabase:
    """The database of this process; replaced when a test leaves more behind than rows."""

    def __init__(self, server: str, template: str, name: str) -> None:
        self._server, self._template, self._name = server, template, name
        self._made = 0
        self._database = ""
        self._emptying: DatabaseReset | None = None
        self._db: psycopg.Connection | None = None
        self._schema: tuple[object, ...] | None = None

    @property
    def url(self) -> str:
        return in_database(self._server, self._database)

    @contextmanager
    def borrow(self) -> Iterator[str]:
        """Its URL, for one test."""
        if self._template == planted_database():  # which is for this test alone
            self._database = self._template
            yield self.url
            return
        if self._emptying is None:
            self._make()
        try:
            yield self.url
        finally:
            self._clean()

    def connection(self) -> psycopg.Connection:
        """A superuser's connection that goes on to the next test, with the plans of the kernel's functions made."""
        if self._db is None:
            self._db = psycopg.connect(self.url, autocommit=True)
        return self._db

    def close(self) -> None:
        """Drop it."""
        for conn in (self._db, self._emptying and self._emptying.db):
            if conn is not None:
                conn.close()
        self._db = self._emptying = None
        if self._database in ("", planted_database()):
            return
        with psycopg.connect(self._server, autocommit=True) as conn:
            conn.execute(f"drop database if exists {self._database} with (force)".encode())

    def _make(self) -> None:
        self._made += 1
        self._database = f"{self._name}_{self._made}"
        with psycopg.connect(self._server, autocommit=True) as conn:
            create_database(conn, self._database, self._template)
        self._emptying = DatabaseReset(self.url)
        self._schema = self._emptying.db.execute(SCHEMA).fetchone()

    def _clean(self) -> None:
        try:
            cleaned = self._emptying is not None and self._empty(self._emptying)
        except psycopg.OperationalError:  # the test ended every connection, this one too
            cleaned = False
        except AssertionError:
            self.close()
            raise
        if not cleaned:
            self.close()

    def _empty(self, emptying: DatabaseReset) -> bool:
        admin, kept = emptying.db, self._reusable()
        pids = [conn.info.backend_pid for conn in (admin, kept) if conn is not None]
        admin.execute(OTHERS, [pids])
        if admin.execute(SCHEMA).fetchone() != self._schema:
            return False
        assert_rows_are_right(admin)
        if not emptying.empty():
            return False
        if admin.execute(SETTINGS).fetchone():
            admin.execute(f"alter database {self._database} reset all".encode())
        return True

    def _reusable(self) -> psycopg.Connection | None:
        """The kept connection as it was made, or None when the test changed more of it than its session."""
        conn = self._db
        if conn is None:
            return None
        try:
            conn.rollback()
            plain = conn.autocommit and conn.row_factory is tuple_row and conn.prepare_threshold == 5
            listening = conn.execute("select 1 from pg_listening_channels()").fetchone()
            if plain and not listening:
                conn.execute(RESET_SESSION)
                return conn
        except psycopg.Error:
            pass
        conn.close()
        self._db = None
        return None


@contextmanager
def shared_database(server: str, template: str, worker: str) -> Iterator[SharedDatabase]:
    shared = SharedDatabase(server, template, f"test_{worker}_{os.getpid()}")
    try:
        yield shared
    finally:
        shared.close()
