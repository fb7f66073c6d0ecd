"""The roles and the schema that every object of an installation belongs to."""

from psycopg import Connection, errors, sql

from tenuto.db.connection.errors import MissingRight

OWNER = "tenuto_owner"
ROLES = (OWNER, "tenuto_api", "tenuto_dispatcher", "tenuto_worker", "tenuto_readonly", "tenuto_query")


def become_owner(conn: Connection) -> None:
    """Make roles and schema where they are missing, then act as their owner until the transaction ends."""
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
            f"role {conn.info.user!r} may not set up database {conn.info.dbname!r} ({error.diag.message_primary}); "
            "ask a superuser to run this once there, then migrate again:\n\n"
            + _setup_script(conn, roles, schema=schema)
        ) from error


def _missing(conn: Connection) -> tuple[list[str], bool]:
    """The roles that do not exist, and whether the schema does not."""
    present = {row[0] for row in conn.execute("select rolname::text from pg_roles").fetchall()}
    schema = conn.execute("select 1 from pg_namespace where nspname = 'tenuto'").fetchone()
    return [role for role in ROLES if role not in present], schema is None


def _make_roles(conn: Connection, roles: list[str]) -> None:
    for role in roles:
        try:
            with conn.transaction():
                conn.execute(sql.SQL("create role {} nologin").format(sql.Identifier(role)))
        except (errors.DuplicateObject, errors.UniqueViolation):
            # Roles belong to the whole server, our lock to one database: a neighbour was quicker.
            continue


def _join_owner(conn: Connection) -> None:
    # From 16 on membership alone is not enough to become a role: it must have been granted with SET.
    kind = "SET" if conn.info.server_version >= 160_000 else "MEMBER"
    if conn.execute("select pg_has_role(current_user, %s, %s)", [OWNER, kind]).fetchone() == (False,):
        conn.execute("grant tenuto_owner to current_user")


def _let_owner_see_sessions(conn: Connection) -> None:
    """So that who follows changes knows what is still to be committed; where nobody may grant it, a minute must do."""
    if conn.execute("select pg_has_role(%s, 'pg_read_all_stats', 'usage')", [OWNER]).fetchone() == (True,):
        return
    try:
        with conn.transaction():
            conn.execute("grant pg_read_all_stats to tenuto_owner")
    except (errors.InsufficientPrivilege, errors.InternalError_):  # or a neighbour grants it at this very moment
        return


def _setup_script(conn: Connection, roles: list[str], *, schema: bool) -> str:
    """What a superuser runs once so that this user can migrate without any right to create roles."""
    lines = [f"create role {role} nologin;" for role in roles]
    lines.append("grant pg_read_all_stats to tenuto_owner;")
    login = sql.Identifier(conn.info.user).as_string(None)
    lines.append(f"grant tenuto_owner, tenuto_api, tenuto_dispatcher, tenuto_worker to {login};")
    if schema:
        lines.append("create schema tenuto authorization tenuto_owner;")
    return "\n".join(lines)
