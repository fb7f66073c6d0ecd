"""Chooses the database role of a process: the one meant for it, if its login can switch to it."""

from typing import Any

import psycopg

from tenuto.db.connection.errors import MissingRight, Unreachable

# Row security applies to a role unless it bypasses it, or is a member of a role that a policy lets see every org.
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
    """Return `wanted` if this login can switch to it, else None: the login acts as itself (or is behind a pooler)."""
    return choose_roles(url, [wanted])[wanted]


def choose_roles(url: str, wanted: list[str]) -> dict[str, str | None]:
    """Choose several roles with two connections in total."""
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
    """Whether connection options work. A pooler rejects or ignores them; then the login itself must be the role."""
    try:
        with psycopg.connect(url, connect_timeout=10, options=f"-c role={role}") as conn:
            return conn.execute("select current_user").fetchone() == (role,)
    except psycopg.OperationalError as error:
        if "startup parameter" in str(error):
            return False
        raise


def check_bound(url: str, role: str | None) -> None:
    """Raise MissingRight, which says what to run, if a login or its role cannot serve or sees the rows of every org."""
    options = f"-c role={role}" if role else None  # a pooler accepts no options
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10, options=options) as conn:
            problem = unbound(conn.execute(BOUND).fetchone())
    except psycopg.OperationalError as error:
        raise Unreachable(f"cannot reach the database: {str(error).strip()}") from error
    if problem:
        raise MissingRight(problem)


async def check_connection_bound(conn: psycopg.AsyncConnection[Any]) -> None:
    """Check a new pool connection in the same way: a pooler may have ignored the requested role."""
    cursor = await conn.execute(BOUND, prepare=False)
    if problem := unbound(await cursor.fetchone()):
        raise MissingRight(problem)


def unbound(row: tuple[Any, ...] | None) -> str | None:
    """Return why the connected role cannot serve, and what to do; None if it has the rights of tenuto_api alone, so
    that row security applies to it."""
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
    """Return those of these roles whose privileges this login has, directly or by switching."""
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="tenuto") as conn:
            rows = conn.execute(
                "select r.rolname from pg_roles r where r.rolname = any (%s) and pg_has_role(r.oid, 'USAGE')", [roles]
            ).fetchall()
        return {role for (role,) in rows}
    except psycopg.OperationalError as error:
        raise Unreachable(f"cannot reach the database: {str(error).strip()}") from error
