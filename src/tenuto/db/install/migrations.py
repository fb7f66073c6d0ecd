"""Reads which migrations a database has, and applies the missing ones. The first migration is the baseline."""

from dataclasses import dataclass

from psycopg import Connection, Error

from tenuto.db.connection.errors import BrokenMigrations
from tenuto.db.install.interface import Interface, parse_interface
from tenuto.db.install.sql_tree import BASELINE, Migration, SqlTree

BOOKKEEPING = """
create table if not exists tenuto.migrations (
  number     int primary key,
  name       text not null,
  checksum   text not null,
  applied_at timestamptz not null
);
comment on table tenuto.migrations is
  'The baseline and the numbered changes that this database has; written by the installer only.';

create table if not exists tenuto.installation (
  key   text primary key,
  value text not null
);
comment on table tenuto.installation is 'Hashes of functions and views and of what processes call; for tests or not.';
"""

FUNCTIONS = "select value from tenuto.installation where key = 'functions'"


@dataclass(frozen=True)
class Installed:
    """The migrations and functions installed in a database; empty before the first migration."""

    checksums: dict[int, str]
    fingerprint: str | None
    test: bool
    interface: str | None = None  # the digest of the public functions, which processes call
    schemas: frozenset[str] = frozenset()  # a restored dump may lack some of them

    @property
    def version(self) -> int:
        return max(self.checksums, default=0)

    @property
    def empty(self) -> bool:
        return not self.checksums and self.fingerprint is None

    def has_other_tables(self, tree: SqlTree) -> bool:
        """Returns whether the tables were created from another baseline: by another commit that was never released."""
        return not self.empty and self.checksums.get(BASELINE) != tree.baseline.checksum


def read_installed(conn: Connection) -> Installed:
    """Returns what is installed. Uses two short queries, and does not take the migration lock."""
    # Does not use to_regclass, whose result may be cached from before this process waited for the lock.
    exists = (
        "select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname = 'tenuto' and c.relname = 'installation'"
    )
    if conn.execute(exists).fetchone() is None:
        return Installed({}, None, test=False)
    query = (
        "select (select jsonb_object_agg(number, checksum) from tenuto.migrations),"
        "       (select jsonb_object_agg(key, value) from tenuto.installation where key <> 'functions'),"
        "       (select array_agg(nspname::text) from pg_namespace where nspname ~ '^tenuto')"
    )
    applied, facts, schemas = conn.execute(query).fetchone() or ({}, {}, [])
    checksums = {int(number): checksum for number, checksum in (applied or {}).items()}
    facts = facts or {}
    return Installed(
        checksums, facts.get("fingerprint"), facts.get("test") == "true", facts.get("interface"), frozenset(schemas)
    )


def read_functions(conn: Connection) -> Interface | None:
    """Return the parameters and results of the installed functions; None if the version that installed them did not
    store these."""
    row = conn.execute(FUNCTIONS).fetchone()
    return parse_interface(row[0]) if row else None


def pending_migrations(tree: SqlTree, installed: Installed) -> list[Migration]:
    """Return the migrations to apply. Raises BrokenMigrations if the file of an applied migration has changed."""
    for migration in tree.migrations:
        applied = installed.checksums.get(migration.number)
        if applied is not None and applied != migration.checksum:
            raise BrokenMigrations(
                f"migration {migration.name} has changed since it was applied; "
                "restore the file and write the change as a new migration"
            )
    return [migration for migration in tree.migrations if migration.number not in installed.checksums]


def apply_migrations(conn: Connection, migrations: list[Migration]) -> None:
    """Run and record each migration. Raises BrokenMigrations on an error; the transaction of the caller then undoes all
    of them."""
    for migration in migrations:
        for path, text in migration.files:
            try:
                conn.execute(text.encode())
            except Error as error:
                raise BrokenMigrations(f"{path} failed and nothing was changed: {error}") from error
        conn.execute(
            "insert into tenuto.migrations (number, name, checksum, applied_at) values (%s, %s, %s, now())",
            [migration.number, migration.name, migration.checksum],
        )
