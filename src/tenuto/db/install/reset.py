"""Keeps the schemas of an installation under other names, and installs a new one."""

from datetime import UTC, datetime

from psycopg import Connection, errors, sql

from tenuto.db.connection.errors import DatabaseInUse, MissingRight, OtherFunctions
from tenuto.db.install.install import address_of, connection_to, install, lock_installation
from tenuto.db.install.lock_tables import hold_tables
from tenuto.db.install.migrations import read_installed
from tenuto.db.install.roles import create_schemas_script
from tenuto.db.install.sql_tree import DATA_SCHEMA, SCHEMA, read_tree

SCHEMAS = """
select nspname::text from pg_namespace
where nspname in ('tenuto', 'tenuto_data') or nspname ~ '^tenuto_compat(_|$)' and nspowner = 'tenuto_owner'::regrole
order by 1
"""
PROCESSES = """
select distinct application_name from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
  and application_name like 'tenuto%' and application_name <> 'tenuto install'
order by 1
"""
# The functions of the kept schema name the tables of the new one, some with the rights of the owner: only the owner and
# backups may still enter it.
SHUT_OUT = sql.SQL(
    "revoke all on schema {} from tenuto_api, tenuto_dispatcher, tenuto_worker, tenuto_client, tenuto_readonly, "
    "tenuto_query"
)


def reset(database: str | Connection, *, installation: str | None = None) -> dict[str, str]:
    """Rename the schemas and install new ones, in one transaction. Returns the new name of each old schema. Raises
    DatabaseInUse while processes of Tenuto are connected."""
    tree = read_tree()
    with connection_to(database) as conn, conn.transaction():
        lock_installation(conn)
        installed = read_installed(conn)
        if installed.empty:
            raise OtherFunctions(f"{address_of(conn)} has no Tenuto schema; run `tenuto db migrate`")
        _refuse_processes(conn)
        names = _rename_schemas(conn, f"{SCHEMA}_old_{datetime.now(UTC):%Y%m%d_%H%M%S}", tree.schemas)
        install(conn, tree, test=installed.test, installation=installation)
        return names


def _refuse_processes(conn: Connection) -> None:
    if names := [name for (name,) in conn.execute(PROCESSES).fetchall()]:
        raise DatabaseInUse(
            f"processes of Tenuto are connected to {address_of(conn)} ({', '.join(names)}), and nothing was changed; "
            "stop them, and close the connections that a pooler keeps for them"
        )


def _rename_schemas(conn: Connection, kept: str, schemas: tuple[str, ...]) -> dict[str, str]:
    """Renames the schemas to `kept` and names that begin with it, when no transaction uses their tables."""
    names = {name: kept + name.removeprefix(SCHEMA) for (name,) in conn.execute(SCHEMAS).fetchall()}
    renames = [sql.SQL("alter schema {} rename to {}").format(*map(sql.Identifier, pair)) for pair in names.items()]
    try:
        hold_tables(conn, [name for name in names if name != DATA_SCHEMA])
        for rename in renames:
            conn.execute(rename)
        for name in names.values():
            conn.execute(SHUT_OUT.format(sql.Identifier(name)))
    except errors.InsufficientPrivilege as error:
        script = "".join(f"{rename.as_string(conn)};\n" for rename in renames) + create_schemas_script(schemas)
        raise MissingRight(
            f"role {conn.info.user!r} cannot rename schemas in database {conn.info.dbname!r} "
            f"({error.diag.message_primary}); ask a superuser to run this once in that database, then run `tenuto db "
            f"migrate`:\n\n{script}"
        ) from error
    return names
