"""Chooses the database role of a process: the role for this kind of process if the login can switch to it, else the
login's own role."""

from typing import Any

import psycopg

from tenuto.db.connection.errors import MissingRight, Unreachable

# Row security restricts a role unless the role has bypassrls, or is a member of a role for which a policy allows all
# orgs.
BOUND = """
select session_user::text, current_user::text,
  pg_has_role('tenuto_api', 'USAGE'),
  not m.rolsuper and not m.rolbypassrls,
  coalesce((
    select string_agg(r.rolname, ', ' order by r.rolname)
    from pg_roles r
    where r.rolname in ('tenuto_owner', 'tenuto_dispatcher', 'tenuto_worker', 'tenuto_client', 'tenuto_backup')
      and pg_has_role(r.oid, 'USAGE')), '')
from pg_roles m where m.rolname = current_user
"""


def choose_role(url: str, wanted: str) -> str | None:
    """Return `wanted` if this login can switch to it. Return None if it cannot, if the login itself is this role, or
    behind a pooler: the login then keeps its own role."""
    return choose_roles(url, [wanted])[wanted]


def choose_roles(url: str, wanted: list[str]) -> dict[str, str | None]:
    """Choose several roles as `choose_role` does, with at most two connections in total."""
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="tenuto") as conn:
            kind = "SET" if conn.info.server_version >= 160_000 else "MEMBER"
            rows = conn.execute(
                "select r.rolname from pg_roles r "
                "where r.rolname = any (%s) and r.rolname <> current_user and pg_has_role(r.oid, %s)",
                [wanted, kind],
            ).fetchall()
        allowed = {role for (role,) in rows}
        if not allowed or not _takes_options(url, min(allowed)):
            return dict.fromkeys(wanted)
        return {role: role if role in allowed else None for role in wanted}
    except psycopg.OperationalError as error:
        raise Unreachable(f"cannot reach the database: {str(error).strip()}") from error


def _takes_options(url: str, role: str) -> bool:
    """Returns whether connection options work. A pooler rejects or ignores them; then the login itself must be the
    role."""
    try:
        with psycopg.connect(url, connect_timeout=10, options=f"-c role={role}") as conn:
            return conn.execute("select current_user").fetchone() == (role,)
    except psycopg.OperationalError as error:
        if "startup parameter" in str(error):
            return False
        raise


def check_bound(url: str, role: str | None) -> None:
    """Raises MissingRight if the login or its role does not have the rights of a server, or sees the rows of every org.
    The message says what to run."""
    options = f"-c role={role}" if role else None  # a pooler accepts no options
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10, options=options) as conn:
            problem = unbound(conn.execute(BOUND).fetchone())
    except psycopg.OperationalError as error:
        raise Unreachable(f"cannot reach the database: {str(error).strip()}") from error
    if problem:
        raise MissingRight(problem)


async def check_connection_bound(conn: psycopg.AsyncConnection[Any]) -> None:
    """Checks a new connection of a pool in the same way as `check_bound`, because a pooler may have ignored the
    requested role."""
    cursor = await conn.execute(BOUND, prepare=False)
    if problem := unbound(await cursor.fetchone()):
        raise MissingRight(problem)


def unbound(row: tuple[Any, ...] | None) -> str | None:
    """Return why a server cannot use the connected role, and what to do. Returns None if the role has only the rights
    of tenuto_api, so that row security restricts it."""
    login, acting, serves, secured, roles = row or ("", "", False, False, "")
    if serves and secured and not roles:
        return None
    if not secured:
        passes = "bypasses row security (a superuser, or bypassrls)"
        why = f"the server would see the rows of every org: its role {acting!r} {passes}"
    elif roles:
        why = f"the server would see the rows of every org: its role {acting!r} has the rights of {roles}"
    else:
        why = f"the server needs the role tenuto_api, which its login {login!r} does not have"
    return (
        f"{why}; ask an administrator to run `grant tenuto_api to {login}`, and behind a pooler log in as a role "
        "that has tenuto_api alone: `tenuto db roles server` prints how to create one"
    )


def usable_roles(url: str, roles: list[str]) -> set[str]:
    """Return those of the roles whose privileges this login has, directly or as a member."""
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="tenuto") as conn:
            rows = conn.execute(
                "select r.rolname from pg_roles r where r.rolname = any (%s) and pg_has_role(r.oid, 'USAGE')", [roles]
            ).fetchall()
        return {role for (role,) in rows}
    except psycopg.OperationalError as error:
        raise Unreachable(f"cannot reach the database: {str(error).strip()}") from error
