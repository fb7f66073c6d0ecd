"""Runs start statements on connections of other libraries, in the open transaction of the caller.

The libraries are recognised without importing them: if the caller passes an object of a library, the program has
already imported that library.
"""

import re
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any
from uuid import UUID

from tenuto.db.connection.errors import BadAddress, MissingRight
from tenuto.model.errors import BY_CODE
from tenuto.model.tasks import Started

# The types of the parameters of `start_run`, `start_many`, `open_run`, `add_tasks` and `close_run`. asyncpg converts
# values by the type of the parameter. So each value is passed as text and cast in SQL.
TYPES = {
    "org_id": "uuid",
    "run_id": "uuid",
    "run": "jsonb",
    "kinds": "jsonb",
    "inputs": "jsonb[]",
    "ids": "uuid[]",
    "task_kinds": "int[]",
    "details": "jsonb",
    "edges": "jsonb",
    "dedupe_keys": "text[]",
    "group": "text",
}
# How a parameter with a number and a name is written in each parameter style. The styles have the names of PEP 249 and
# SQLAlchemy.
STYLES = {
    "format": "%s",
    "pyformat": "%({name})s",
    "qmark": "?",
    "numeric": ":{number}",
    "numeric_dollar": "${number}",
    "named": ":{name}",
}
BY_NAME = ("pyformat", "named")
PARAMETER = re.compile(r"p_(\w+) => (?:cast\(cast\()?%s(?: as text\) as [\w\[\]]+\))?")

Foreign = Any  # a connection or session of another library, which is not imported here


@dataclass(frozen=True)
class Accepted:
    """The connections that a client accepts in addition to those of psycopg: a description for messages (`words`), and
    their modules and classes."""

    words: str
    classes: tuple[tuple[str, str], ...]


SYNC = Accepted(
    "a psycopg Connection, a SQLAlchemy Session or Connection, Django's connection, or a psycopg2 connection",
    (
        ("sqlalchemy.orm", "Session"),
        ("sqlalchemy.orm", "scoped_session"),
        ("sqlalchemy.engine", "Connection"),
        ("django.db.backends.base.base", "BaseDatabaseWrapper"),
        ("django.utils.connection", "ConnectionProxy"),
        ("psycopg2.extensions", "connection"),
    ),
)
ASYNC = Accepted(
    "a psycopg AsyncConnection, a SQLAlchemy AsyncSession or AsyncConnection, or an asyncpg connection",
    (
        ("sqlalchemy.ext.asyncio", "AsyncSession"),
        ("sqlalchemy.ext.asyncio", "async_scoped_session"),
        ("sqlalchemy.ext.asyncio", "AsyncConnection"),
        ("asyncpg", "Connection"),
        ("asyncpg.pool", "PoolConnectionProxy"),
    ),
)


def execute_sync(conn: Foreign, text: str, values: list[str]) -> list[Started]:
    """Run a start statement on a connection or session of a synchronous library, without committing."""
    library, kind = _recognise(conn, SYNC, ASYNC, "app.open()")
    with foreign_errors():
        if library == "sqlalchemy":
            conn = conn if kind == "Connection" else conn.connection()
            sql = styled(text, _style(conn.dialect.name, conn.dialect.paramstyle))
            return _read(conn.exec_driver_sql(sql, tuple(values)).all())
        if library == "django" and conn.vendor != "postgresql":
            raise BadAddress(f"Django's connection {conn.alias!r} is to {conn.vendor}, not to PostgreSQL")
        with conn.cursor() as cursor:
            cursor.execute(styled(text, "format"), values)
            return _read(cursor.fetchall())


async def execute_async(conn: Foreign, text: str, values: list[str]) -> list[Started]:
    """Run a start statement on a connection or session of an asynchronous library, without committing."""
    library, kind = _recognise(conn, ASYNC, SYNC, "app.open_sync()")
    with foreign_errors():
        if library == "sqlalchemy":
            conn = conn if kind == "AsyncConnection" else await conn.connection()
            sql = styled(text, _style(conn.dialect.name, conn.dialect.paramstyle))
            return _read((await conn.exec_driver_sql(sql, tuple(values))).all())
        return _read(await conn.fetch(styled(text, "numeric_dollar"), *values))


@cache
def styled(text: str, style: str) -> str:
    """Return a start statement with the parameters of another style, each cast from text."""
    numbers = count(1)

    def parameter(found: re.Match[str]) -> str:
        name = found[1]
        mark = STYLES[style].format(number=next(numbers), name=name)
        return f"p_{name} => cast(cast({mark} as text) as {TYPES[name]})"

    return PARAMETER.sub(parameter, text)


def named(text: str, values: list[str]) -> dict[str, str]:
    """Return the values of a start statement by name."""
    return dict(zip(PARAMETER.findall(text), values, strict=True))


def _recognise(conn: object, known: Accepted, others: Accepted, client: str) -> tuple[str, str]:
    """Return the library and the class of a connection. Raises BadAddress for an object that cannot be used."""
    if found := _find(conn, known.classes):
        return found
    what = f"{type(conn).__module__}.{type(conn).__qualname__}"
    if _find(conn, others.classes) or type(conn).__module__.startswith("psycopg"):
        raise BadAddress(f"connection is a {what}, which this client cannot use; use it with a client of {client}")
    raise BadAddress(
        f"connection is a {what}; pass {known.words}. "
        "For any other driver, execute the SQL of tn.start_statement(task, …)"
    )


def _find(conn: object, classes: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    for module, name in classes:
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(conn, kind):
            return module.partition(".")[0], name
    return None


def _style(database: str, style: str) -> str:
    if database != "postgresql":
        raise BadAddress(f"the SQLAlchemy connection is to {database}, not to PostgreSQL")
    return style if style == "numeric_dollar" else "format"


@contextmanager
def foreign_errors() -> Generator[None]:
    """Converts errors that SQL functions raised through another library to their exceptions. Raises other errors
    unchanged."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None:  # SQLAlchemy and Django wrap the errors of drivers
            code = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
            if code and (problem := _translated(code, cause)):
                raise problem from error
            cause = getattr(cause, "orig", None) or cause.__cause__
        raise


def _translated(code: str, cause: BaseException) -> Exception | None:
    diag = getattr(cause, "diag", None)  # of psycopg and psycopg2; errors of asyncpg have attributes instead
    message = getattr(diag, "message_primary", None) or getattr(cause, "message", None) or str(cause)
    hint = getattr(diag, "message_hint", None) or getattr(cause, "hint", None)
    return BY_CODE[code](message, hint) if code in BY_CODE else refusal(code, message)


def refusal(code: str, message: str, user: str | None = None) -> BadAddress | MissingRight | None:
    """Return the error for a login without the right to start tasks, or a database without Tenuto; None for other
    codes."""
    if code == "42501":
        who = f"role {user!r}" if user else "the role of this connection"
        return MissingRight(
            f"{who} cannot start tasks ({message}); "
            f"ask an administrator to run: grant tenuto_client to {user or 'that role'}"
        )
    if code in ("3F000", "42883"):
        return BadAddress(
            f"the database of this connection has no Tenuto schema, or another version of it ({message}); "
            "pass a connection to the database of the client, or run `tenuto db migrate`"
        )
    return None


def _read(rows: Sequence[Sequence[object]]) -> list[Started]:
    return [Started(UUID(str(row[0])), bool(row[1])) for row in rows if row[0] is not None]
