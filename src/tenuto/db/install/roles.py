"""Creates the roles and schemas of an installation."""

from collections.abc import Sequence

from psycopg import Connection, errors, sql

from tenuto.db.connection.errors import MissingRight

OWNER = "tenuto_owner"
ROLES = (
    OWNER,
    "tenuto_api",
    "tenuto_dispatcher",
    "tenuto_worker",
    "tenuto_client",
    "tenuto_readonly",
    "tenuto_query",
    "tenuto_backup",
)


def become_owner(conn: Connection, schemas: Sequence[str]) -> None:
    """Creates missing roles and schemas, then switches to the owner role until the transaction ends. Raises
    MissingRight if the login may not do this; the message has the SQL for a superuser."""
    roles, schemas = _missing(conn, schemas)
    try:
        _make_roles(conn, roles)
        _join_owner(conn)
        _let_owner_see_sessions(conn)
        for schema in schemas:
            create = sql.SQL("create schema {} authorization tenuto_owner").format(sql.Identifier(schema))
            conn.execute(create)
        conn.execute("set local role tenuto_owner")
    except errors.InsufficientPrivilege as error:
        raise MissingRight(
            f"role {conn.info.user!r} cannot set up database {conn.info.dbname!r} ({error.diag.message_primary}); "
            "ask a superuser to run this once in that database, then migrate again:\n\n"
            + _setup_script(conn, roles, schemas)
        ) from error


def _missing(conn: Connection, schemas: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the missing roles and the missing schemas."""
    present = {row[0] for row in conn.execute("select rolname::text from pg_roles").fetchall()}
    made = {row[0] for row in conn.execute("select nspname::text from pg_namespace").fetchall()}
    return [role for role in ROLES if role not in present], [schema for schema in schemas if schema not in made]


def _make_roles(conn: Connection, roles: list[str]) -> None:
    for role in roles:
        try:
            with conn.transaction():
                conn.execute(sql.SQL("create role {} nologin").format(sql.Identifier(role)))
        except (errors.DuplicateObject, errors.UniqueViolation):
            # Roles belong to the whole server, but the migration lock to one database. So another installation may have
            # created the role first.
            continue


def _join_owner(conn: Connection) -> None:
    # Since Postgres 16, membership alone is not enough to switch to a role. It must be granted with SET.
    kind = "SET" if conn.info.server_version >= 160_000 else "MEMBER"
    if conn.execute("select pg_has_role(current_user, %s, %s)", [OWNER, kind]).fetchone() == (False,):
        conn.execute("grant tenuto_owner to current_user")


def _let_owner_see_sessions(conn: Connection) -> None:
    """Lets the owner role see open transactions, so that the stream of changes knows which changes are not committed
    yet. Without this privilege, the stream is a minute late."""
    if conn.execute("select pg_has_role(%s, 'pg_read_all_stats', 'usage')", [OWNER]).fetchone() == (True,):
        return
    try:
        with conn.transaction():
            conn.execute("grant pg_read_all_stats to tenuto_owner")
    # The login may not grant it, or another installation grants it at the same time.
    except (errors.InsufficientPrivilege, errors.InternalError_):
        return


def _setup_script(conn: Connection, roles: list[str], schemas: Sequence[str]) -> str:
    """Return the statements that a superuser must run once, so that this login can migrate without the right to create
    roles."""
    lines = [f"create role {role} nologin;" for role in roles]
    lines.append("grant pg_read_all_stats to tenuto_owner;")
    login = sql.Identifier(conn.info.user).as_string(None)
    lines.append(f"grant tenuto_owner, tenuto_api, tenuto_dispatcher, tenuto_worker to {login};")
    return "\n".join([*lines, create_schemas_script(schemas)])


def create_schemas_script(schemas: Sequence[str]) -> str:
    return "\n".join(f"create schema {schema} authorization {OWNER};" for schema in schemas)
