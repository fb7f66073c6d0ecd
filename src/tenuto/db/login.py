"""Which role a process acts as: the one made for it, where its login may take it on."""

import psycopg

from tenuto.db.errors import Unreachable


def choose_role(url: str, wanted: str) -> str | None:
    """`wanted` if this login may act as it, else None: it stays what it is (its own role, or behind a pooler)."""
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="tenuto") as conn:
            kind = "SET" if conn.info.server_version >= 160_000 else "MEMBER"
            row = conn.execute(
                "select r.rolname <> current_user and pg_has_role(r.oid, %s) from pg_roles r where r.rolname = %s",
                [kind, wanted],
            ).fetchone()
        if not row or not row[0]:
            return None
        with psycopg.connect(url, connect_timeout=10, options=f"-c role={wanted}") as conn:
            row = conn.execute("select current_user").fetchone()
            return wanted if row == (wanted,) else None  # a pooler may leave out what it does not know
    except psycopg.OperationalError as error:
        if "startup parameter" in str(error):  # a pooler takes no options: log in as the role itself there
            return None
        raise Unreachable(f"cannot reach the database: {str(error).strip()}") from error


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
