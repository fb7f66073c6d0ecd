"""One migrated database per test process, emptied after every test: to clone a database costs more than most tests."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg.rows import tuple_row

from tests.support.server import in_database

MAX_BYTES = 4 << 20  # of tables: dead rows of earlier tests make scans slow, so a bloated database is replaced

TABLES = """
select c.relname::text from pg_class c
where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by 1
"""
SEQUENCES = (
    "select relname::text from pg_class where relnamespace = 'tenuto'::regnamespace and relkind = 'S' order by 1"
)

# What a test can change besides rows: definitions and statistics. Each catalog row carries the transaction that wrote
# it; the statistics in pg_class are overwritten in place.
SCHEMA = """
select (select md5(string_agg(concat(c.oid, c.xmin, c.relpages, c.reltuples), ' ' order by c.oid)) from pg_class c),
       (select sum(p.xmin::text::bigint) + count(*) from pg_proc p),
       (select sum(k.xmin::text::bigint) + count(*) from pg_constraint k),
       (select sum(t.xmin::text::bigint) + count(*) from pg_trigger t),
       (select sum(p.xmin::text::bigint) + count(*) from pg_policy p),
       (select sum(t.xmin::text::bigint) + count(*) from pg_type t),
       (select count(*) from pg_statistic),
       (select count(*) from pg_namespace where nspname !~ '^pg_(toast_)?temp_')
"""
SETTINGS = """
select 1 from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()
"""
BYTES = """
select sum(pg_relation_size(oid)) from pg_class where relnamespace = 'tenuto'::regnamespace and relkind = 'r'
"""
OTHERS = """
select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity
where datname = current_database() and backend_type = 'client backend' and pid <> all (%s)
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
        self._admin: psycopg.Connection | None = None
        self._db: psycopg.Connection | None = None
        self._schema: tuple[object, ...] | None = None

    @property
    def url(self) -> str:
        return in_database(self._server, self._database)

    @contextmanager
    def borrow(self) -> Iterator[str]:
        """Its URL, for one test."""
        if self._admin is None:
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
        for conn in (self._db, self._admin):
            if conn is not None:
                conn.close()
        self._db = self._admin = None
        if not self._database:
            return
        with psycopg.connect(self._server, autocommit=True) as conn:
            conn.execute(f"drop database if exists {self._database} with (force)".encode())

    def _make(self) -> None:
        self._made += 1
        self._database = f"{self._name}_{self._made}"
        with psycopg.connect(self._server, autocommit=True) as conn:
            conn.execute(f"create database {self._database} template {self._template} strategy file_copy".encode())
        self._admin = psycopg.connect(self.url, autocommit=True)
        make_empty(self._admin)
        self._admin.execute("select pg_temp.empty()")  # its plans are made, its temporary tables are in the catalog
        self._schema = self._admin.execute(SCHEMA).fetchone()

    def _clean(self) -> None:
        try:
            cleaned = self._admin is not None and self._empty(self._admin)
        except psycopg.OperationalError:  # the test ended every connection, this one too
            cleaned = False
        if not cleaned:
            self.close()

    def _empty(self, admin: psycopg.Connection) -> bool:
        kept = self._reusable()
        pids = [conn.info.backend_pid for conn in (admin, kept) if conn is not None]
        admin.execute(OTHERS, [pids])
        (size,) = admin.execute(BYTES).fetchone() or (0,)
        if size > MAX_BYTES or admin.execute(SCHEMA).fetchone() != self._schema:
            return False
        admin.execute("select pg_temp.empty()")
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


def make_empty(db: psycopg.Connection, *, kept: Sequence[str] = ()) -> None:
    """Make `pg_temp.empty()`, which makes the rows of all tables what they are now, and the sequences too. With `kept`
    these tables stay as they are, and so do sequences: what is kept has their numbers. It is a function, so that its
    statements are planned once; a table that nobody wrote to costs a look."""
    steps = ["perform set_config('session_replication_role', 'replica', true);"]  # without triggers and foreign keys
    for (table,) in db.execute(TABLES).fetchall():
        if table not in kept:
            steps.append(_empty_table(db, table))
    for (sequence,) in () if kept else db.execute(SEQUENCES).fetchall():
        value, called = db.execute(f"select last_value, is_called from tenuto.{sequence}".encode()).fetchone() or (1, 0)
        steps.append(f"perform setval('tenuto.{sequence}', {value}, {str(called).lower()});")
    body = "\n  ".join(steps)
    text = f"create function pg_temp.empty() returns void language plpgsql as $$\nbegin\n  {body}\nend\n$$"
    db.execute(text.encode())


def _empty_table(db: psycopg.Connection, table: str) -> str:
    if db.execute(f"select 1 from tenuto.{table} limit 1".encode()).fetchone() is None:
        return f"if exists (select from tenuto.{table}) then delete from tenuto.{table}; end if;"
    db.execute(f"create temporary table seed_{table} as select s::text as row from tenuto.{table} s".encode())
    return (
        f"if (select array_agg(s::text order by s::text) from tenuto.{table} s)"
        f" is distinct from (select array_agg(s.row order by s.row) from pg_temp.seed_{table} s) then"
        f" delete from tenuto.{table}; insert into tenuto.{table} overriding system value"
        f" select (s.row::tenuto.{table}).* from pg_temp.seed_{table} s; end if;"
    )


@contextmanager
def shared_database(server: str, template: str, worker: str) -> Iterator[SharedDatabase]:
    shared = SharedDatabase(server, template, f"test_{worker}_{os.getpid()}")
    try:
        yield shared
    finally:
        shared.close()
