"""The roles and the schema that every object of an installation belongs to."""

from psycopg import Connection, errors, sql

from tenuto.db.errors import MissingRight

OWNER = "tenuto_owner"
ROLES = (OWNER, "tenuto_api", "tenuto_dispatcher", "tenuto_worker", "tenuto_readonly", "tenuto_query")


def become_owner(conn: Connection) -> None:
    """Make roles and schema where they are missing, then act as their owner until the transaction ends."""
    try:
        _make_roles(conn)
        _join_owner(conn)
        _make_schema(conn)
        conn.execute("set local role tenuto_owner")
    except errors.InsufficientPrivilege as error:
        raise MissingRight(_explain(conn, error)) from error


def setup_script(database: str, user: str) -> str:
    """What a superuser runs once so that `user` can migrate without any right to create roles."""
    lines = [f"create role {role} nologin;" for role in ROLES]
    lines.append(f'grant tenuto_owner to "{user}";')
    lines.append(f'grant create on database "{database}" to tenuto_owner;')
    lines.append("create schema tenuto authorization tenuto_owner;")
    return "\n".join(lines)


def _make_roles(conn: Connection) -> None:
    rows = conn.execute("select rolname from pg_roles where rolname = any (%s)", [list(ROLES)]).fetchall()
    present = {row[0] for row in rows}
    for role in ROLES:
        if role in present:
            continue
        try:
            with conn.transaction():
                conn.execute(sql.SQL("create role {} nologin").format(sql.Identifier(role)))
        except (errors.DuplicateObject, errors.UniqueViolation):
            # Roles belong to the whole server, our lock to one database: a neighbour was quicker.
            continue


def _join_owner(conn: Connection) -> None:
    # From 16 on membership alone is not enough to become a role: it must have been granted with SET.
    kind = "SET" if conn.info.server_version >= 160_000 else "MEMBER"
    row = conn.execute("select pg_has_role(current_user, %s, %s)", [OWNER, kind]).fetchone()
    if row == (False,):
        conn.execute("grant tenuto_owner to current_user")


def _make_schema(conn: Connection) -> None:
    if conn.execute("select 1 from pg_namespace where nspname = 'tenuto'").fetchone() is None:
        conn.execute("create schema tenuto authorization tenuto_owner")


def _explain(conn: Connection, error: errors.InsufficientPrivilege) -> str:
    info = conn.info
    return (
        f"role {info.user!r} may not set up database {info.dbname!r} ({error.diag.message_primary}); "
        f"ask a superuser to run this once there, then migrate again:\n\n{setup_script(info.dbname, info.user)}"
    )
