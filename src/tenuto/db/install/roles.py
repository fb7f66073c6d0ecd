"""Creates the roles and the schema that own every object of an installation."""

from psycopg import Connection, errors, sql

from tenuto.db.connection.errors import MissingRight

OWNER = "tenuto_owner"
ROLES = (OWNER, "tenuto_api", "tenuto_dispatcher", "tenuto_worker", "tenuto_readonly", "tenuto_query")


def become_owner(conn: Connection) -> None:
    """Create missing roles and the schema, then act as the owner until the transaction ends."""
    roles, schema = _missing(conn)
    try:
        _make_roles(conn, roles)
        _join_owner(conn)
        _let_owner_see_sessions(conn)
        if schema:
            conn.execute("create schema tenuto authorization tenuto_owner")
        conn.execute("set local role tenuto_owner")
    except errors.InsufficientPrivilege as error:
        raise MissingRight(
            f"role {conn.info.user!r} cannot set up database {conn.info.dbname!r} ({error.diag.message_primary}); "
            "ask a superuser to run this once in that database, then migrate again:\n\n"
            + _setup_script(conn, roles, schema=schema)
        ) from error


def _missing(conn: Connection) -> tuple[list[str], bool]:
    """Return the missing roles, and whether the schema is missing."""
    present = {row[0] for row in conn.execute("select rolname::text from pg_roles").fetchall()}
    schema = conn.execute("select 1 from pg_namespace where nspname = 'tenuto'").fetchone()
    return [role for role in ROLES if role not in present], schema is None


def _make_roles(conn: Connection, roles: list[str]) -> None:
    for role in roles:
        try:
            with conn.transaction():
                conn.execute(sql.SQL("create role {} nologin").format(sql.Identifier(role)))
        except (errors.DuplicateObject, errors.UniqueViolation):
            # Roles belong to the whole server but our lock to one database: another installation created it first.
            continue


def _join_owner(conn: Connection) -> None:
    # Since Postgres 16 membership alone is not enough to switch to a role: it must be granted with SET.
    kind = "SET" if conn.info.server_version >= 160_000 else "MEMBER"
    if conn.execute("select pg_has_role(current_user, %s, %s)", [OWNER, kind]).fetchone() == (False,):
        conn.execute("grant tenuto_owner to current_user")


def _let_owner_see_sessions(conn: Connection) -> None:
    """Let the owner see open transactions, so that followers of changes know what is still uncommitted. Without this
    privilege they wait a minute instead."""
    if conn.execute("select pg_has_role(%s, 'pg_read_all_stats', 'usage')", [OWNER]).fetchone() == (True,):
        return
    try:
        with conn.transaction():
            conn.execute("grant pg_read_all_stats to tenuto_owner")
    # Or another installation is granting it at the same moment.
    except (errors.InsufficientPrivilege, errors.InternalError_):
        return


def _setup_script(conn: Connection, roles: list[str], *, schema: bool) -> str:
    """Return the statements for a superuser to run once, so that this user can migrate without the right to create
    roles."""
    lines = [f"create role {role} nologin;" for role in roles]
    lines.append("grant pg_read_all_stats to tenuto_owner;")
    login = sql.Identifier(conn.info.user).as_string(None)
    lines.append(f"grant tenuto_owner, tenuto_api, tenuto_dispatcher, tenuto_worker to {login};")
    if schema:
        lines.append("create schema tenuto authorization tenuto_owner;")
    return "\n".join(lines)
