"""Which role a process acts as: the one made for it, where its login may take it on."""

import psycopg

from tenuto.db.errors import Unreachable


def choose_role(url: str, wanted: str) -> str | None:
    """`wanted` if this login may act as it, else None: it stays what it is (its own role, or behind a pooler)."""
    return choose_roles(url, [wanted])[wanted]


def choose_roles(url: str, wanted: list[str]) -> dict[str, str | None]:
    """The same for several roles, with two connections for all of them."""
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
    """A pooler refuses options, or leaves out what it does not know: log in as the role itself there."""
    try:
        with psycopg.connect(url, connect_timeout=10, options=f"-c role={role}") as conn:
            return conn.execute("select current_user").fetchone() == (role,)
    except psycopg.OperationalError as error:
        if "startup parameter" in str(error):
            return False
        raise


def may_act_as(url: str, roles: list[str]) -> bool:
    """Whether this login has the rights of one of these roles, taken on or not."""
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="tenuto") as conn:
            row = conn.execute(
                "select bool_or(pg_has_role(r.oid, 'USAGE')) from pg_roles r where r.rolname = any (%s)", [roles]
            ).fetchone()
        return bool(row and row[0])
    except psycopg.OperationalError as error:
        raise Unreachable(f"cannot reach the database: {str(error).strip()}") from error
