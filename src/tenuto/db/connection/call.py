"""Calls SQL functions with named parameters. Returns rows as dataclasses, and converts errors of the database to
Tenuto's exceptions."""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, LiteralString, TypeVar
from uuid import UUID

import psycopg
from psycopg import AsyncConnection, AsyncCursor, Connection, sql
from psycopg.rows import AsyncRowFactory, dict_row, kwargs_row, scalar_row
from psycopg.types.json import Jsonb

from tenuto.db.connection.errors import RowRejected
from tenuto.model.errors import BY_CODE, Conflict, InvalidInput, NotFound, TenutoError, TooLarge

T = TypeVar("T")
Conn = AsyncConnection[Any]

# Classes of error codes that a single row can cause: damaged data, and errors that functions and triggers raise.
OF_A_ROW = ("21", "38", "39", "P0", "XX")
_ID = re.compile(r"^Key \(id\)=\(([0-9a-f-]{36})\)")


NAMES = {
    "act_as_api_key": ("key_id", "hashes", "permission"),
    "act_as_user": ("org_id", "user_id", "platform_role"),
}


@dataclass(frozen=True)
class Actor:
    """A caller whose credentials are checked in every transaction. The SQL function `function`, called with `values`,
    returns the caller's org, or raises an error if the credentials are not valid."""

    function: LiteralString
    values: tuple[object, ...]

    def on(self, conn: Conn) -> Any:
        """Return a connection whose calls authenticate this caller. It can be passed to the wrappers of `tenuto.db` as
        their connection. It does not send their `org_id`, because the org is that of the caller."""
        return ActingConnection(conn, self)

    def named(self) -> dict[str, Any]:
        """Return the values by name, for an SQL function that checks the credentials itself."""
        return dict(zip(NAMES[self.function], self.values, strict=True))


def key_actor(key_id: str, hashes: list[bytes], permission: str | None) -> Actor:
    """Return the actor for an API key and a permission. Passes the hashes as an array literal, because psycopg needs
    more time to convert a list of bytes than the database needs to check the key."""
    literal = "{" + ",".join(f'"\\\\x{hash.hex()}"' for hash in hashes) + "}"
    return Actor("act_as_api_key", (key_id, literal, permission))


def user_actor(org_id: UUID, user_id: UUID, platform_role: str) -> Actor:
    """Return the actor for a user with this platform role."""
    return Actor("act_as_user", (org_id, user_id, platform_role))


@dataclass(frozen=True)
class ActingConnection:
    """A connection that authenticates the caller in the same statement as the call. So a call is one transaction and
    one round trip."""

    conn: Conn
    actor: Actor

    def statement(
        self, function: str, columns: LiteralString, params: Mapping[str, object]
    ) -> tuple[bytes, list[object]]:
        given = {name: value for name, value in params.items() if value is not None and name != "org_id"}
        text = _acting_text(self.actor.function, len(self.actor.values), function, columns, tuple(given))
        return text, [*self.actor.values, *(_adapt(value) for value in given.values())]


async def call(
    conn: Conn, function: str, row: Callable[..., T], *, columns: LiteralString = "*", **params: object
) -> list[T]:
    """Return the rows of `tenuto.<function>(p_<name> => value, …)`. A parameter that is None is not passed, so it has
    the function's default."""
    return await _fetch(conn, function, _rows(row), columns, params)


async def call_one(
    conn: Conn, function: str, row: Callable[..., T], *, columns: LiteralString = "*", **params: object
) -> T:
    """Return the single row of the function."""
    (result,) = await _fetch(conn, function, _rows(row), columns, params)
    return result


async def call_values(conn: Conn, function: str, **params: object) -> list[Any]:
    """Return the values of a function that returns a set."""
    return await _fetch(conn, function, scalar_row, "*", params)


async def call_value(conn: Conn, function: str, **params: object) -> Any:
    """Return the single value of the function."""
    (value,) = await _fetch(conn, function, scalar_row, "*", params)
    return value


async def call_later(conn: Conn, function: str, **params: object) -> None:
    """Sends the call in a pipeline together with the next call. An error of this call is raised by the next call."""
    statement, values = _statement(function, "*", params)
    with translated_errors():
        await conn.execute(statement, values)


async def call_void(conn: Conn, function: str, **params: object) -> None:
    """Call a function that returns nothing."""
    await _fetch(conn, function, scalar_row, "*", params)


def call_sync(conn: Connection[Any], function: str, **params: object) -> list[dict[str, Any]]:
    """Call a function on a sync connection; return rows as dicts."""
    statement, values = _statement(function, "*", params)
    with translated_errors(), conn.cursor(row_factory=dict_row) as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


def _rows(row: Callable[..., T]) -> AsyncRowFactory[T]:
    """Like kwargs_row, but ignores columns that the dataclass does not have, because a newer database may return more
    columns."""
    known = _fields(row)

    def factory(cursor: AsyncCursor[Any]) -> Callable[[Sequence[Any]], T]:
        names = [column.name for column in cursor.description or ()]
        present = [name for name in known if name in names]
        if not known or len(present) == len(names) or present != known[: len(present)]:
            return kwargs_row(row)(cursor)
        positions = [names.index(name) for name in present]
        return lambda values: row(*(values[position] for position in positions))

    return factory


@cache
def _fields(row: Callable[..., object]) -> list[str]:
    return [field.name for field in fields(row)] if is_dataclass(row) else []


async def _fetch(
    conn: Conn, function: str, row: AsyncRowFactory[T], columns: LiteralString, params: Mapping[str, object]
) -> list[T]:
    if isinstance(conn, ActingConnection):
        statement, values = conn.statement(function, columns, params)
        conn = conn.conn
    else:
        statement, values = _statement(function, columns, params)
    with translated_errors():
        async with conn.cursor(row_factory=row) as cursor:
            await cursor.execute(statement, values)
            return await cursor.fetchall()


@contextmanager
def translated_errors() -> Generator[None]:
    """Convert the errors that `translated` knows to Tenuto's exceptions. Raise other errors unchanged."""
    try:
        yield
    except psycopg.Error as error:
        known = translated(error)
        if known is None:
            raise
        raise known from error


def translated(error: psycopg.Error) -> TenutoError | None:
    """Return Tenuto's exception for an error with a TN code, a violated constraint, an invalid value or an exceeded
    limit of Postgres; None for other errors."""
    known = BY_CODE.get(error.sqlstate or "")
    message = error.diag.message_primary or str(error)
    if known:
        return known(message, error.diag.message_hint or None)
    if isinstance(error, psycopg.errors.UniqueViolation):
        return _taken(error)
    if isinstance(error, psycopg.errors.ForeignKeyViolation):
        return NotFound(error.diag.message_detail or message)
    if isinstance(error, psycopg.errors.CheckViolation | psycopg.errors.NotNullViolation | psycopg.errors.DataError):
        return InvalidInput(f"{error.diag.constraint_name or 'bad value'}: {message}")
    if (error.sqlstate or "").startswith("54"):  # such as a value too long for an index, or JSON too deep for the stack
        return TooLarge(message)
    return None


def _taken(error: psycopg.errors.UniqueViolation) -> Conflict:
    """Return the error for a row that exists already. Bulk starts insert runs and tasks without checking their ids
    first, because the check would cost as much as the insert. So an id that is already used is found only here. The
    message is the same as that of _check_known_id: it does not reveal to which org the id belongs. Postgres shows the
    id only to roles that row security does not restrict."""
    detail = error.diag.message_detail or error.diag.message_primary or str(error)
    if (error.diag.table_name or "").startswith(("runs", "tasks")):
        id = _ID.search(detail)
        return Conflict(f"the id {id[1]} cannot be used" if id else "an id cannot be used", "make another UUID")
    return Conflict(f"it exists already: {detail}")


def rejected(error: psycopg.Error) -> RowRejected | None:
    """Return the exception for an error that a single row causes. Returns None for other errors, such as a missing
    function or a server that is read-only during a failover."""
    if (error.sqlstate or "").startswith(OF_A_ROW):
        return RowRejected(error.diag.message_primary or str(error))
    return None


def _statement(function: str, columns: LiteralString, params: Mapping[str, object]) -> tuple[bytes, list[object]]:
    given = {name: value for name, value in params.items() if value is not None}
    return _text(function, columns, tuple(given)), [_adapt(value) for value in given.values()]


@cache
def _text(function: str, columns: LiteralString, names: tuple[str, ...]) -> bytes:
    statement = sql.SQL("select {} from tenuto.{}({})" if columns == "*" else "select {} from tenuto.{}({}) as done")
    return statement.format(sql.SQL(columns), sql.Identifier(function), _arguments(names)).as_bytes(None)


def _arguments(names: tuple[str, ...]) -> sql.Composed:
    return sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(f"p_{name}")) for name in names)


@cache
def _acting_text(
    acting: LiteralString, count: int, function: str, columns: LiteralString, names: tuple[str, ...]
) -> bytes:
    """Return a statement that authenticates the caller and then calls the function. The function cannot run first,
    because its parameter p_org_id is the result of the authentication. The column list is last, because
    pg_stat_activity shows only the first kilobyte of a statement."""
    given = [sql.SQL("{} => %s").format(sql.Identifier(f"p_{name}")) for name in names]
    statement = sql.SQL(
        "select shown.* from tenuto.{}({}) as acting(org_id),"
        " lateral tenuto.{}({}) as done, lateral (select {}) as shown"
    ).format(
        sql.Identifier(acting),
        sql.SQL(", ").join(sql.SQL("%s") for _ in range(count)),
        sql.Identifier(function),
        sql.SQL(", ").join([sql.SQL("p_org_id => acting.org_id"), *given]),
        sql.SQL("done.*" if columns == "*" else columns),
    )
    return statement.as_bytes(None)


def _adapt(value: object) -> object:
    if isinstance(value, dict):
        return Jsonb(value)
    return value


def json_value(value: object) -> Jsonb:
    """Return a `jsonb` parameter for any JSON value; None is JSON null."""
    return Jsonb(value)


def json_or_default(value: object) -> Jsonb | None:
    """Return an optional `jsonb` parameter; None keeps the function's default."""
    return None if value is None else Jsonb(value)


def json_array(values: Sequence[object]) -> list[Jsonb]:
    """Return a `jsonb[]` parameter."""
    return [Jsonb(value) for value in values]
