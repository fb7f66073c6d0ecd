"""Calling a SQL function: named parameters in, rows as dataclasses out, TN codes as exceptions."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncConnection, Connection, sql
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from tenuto.model.errors import BY_CODE, Conflict, InvalidInput, NotFound, TenutoError, TooLarge

T = TypeVar("T")


async def call(conn: AsyncConnection[Any], function: str, row: type[T], **params: object) -> list[T]:
    """Rows of `tenuto.<function>(p_<name> => value, …)`; a parameter that is None keeps the function's default."""
    statement, values = _statement(function, params)
    async with _translated(), conn.cursor(row_factory=class_row(row)) as cursor:
        await cursor.execute(statement, values)
        return await cursor.fetchall()


async def call_value(conn: AsyncConnection[Any], function: str, **params: object) -> Any:
    """The single value that the function answers."""
    statement, values = _statement(function, params)
    async with _translated(), conn.cursor() as cursor:
        await cursor.execute(statement, values)
        row = await cursor.fetchone()
        return row[0] if row else None


def call_sync(conn: Connection[Any], function: str, **params: object) -> list[dict[str, Any]]:
    """The same on a sync connection, rows as dicts."""
    statement, values = _statement(function, params)
    with translated(), conn.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the kernel raised into its exception."""
    try:
        yield
    except psycopg.Error as error:
        raise _translate(error) from error


@asynccontextmanager
async def _translated() -> AsyncIterator[None]:
    with translated():
        yield


def _translate(error: psycopg.Error) -> BaseException:
    known = BY_CODE.get(error.sqlstate or "")
    message = error.diag.message_primary or str(error)
    if known:
        return known(message, error.diag.message_hint or None)
    if isinstance(error, psycopg.errors.UniqueViolation):
        return Conflict(f"it exists already: {error.diag.message_detail or message}")
    if isinstance(error, psycopg.errors.ForeignKeyViolation):
        return NotFound(error.diag.message_detail or message)
    if isinstance(error, (psycopg.errors.CheckViolation, psycopg.errors.NotNullViolation, psycopg.errors.DataError)):
        return InvalidInput(f"{error.diag.constraint_name or 'bad value'}: {message}")
    if (error.sqlstate or "").startswith("54"):  # too long for an index, too deep for the stack
        return TooLarge(message)
    return error


def _statement(function: str, params: Mapping[str, object]) -> tuple[sql.Composed, list[Any]]:
    given = {name: value for name, value in params.items() if value is not None}
    arguments = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(f"p_{name}")) for name in given)
    statement = sql.SQL("select * from tenuto.{}({})").format(sql.Identifier(function), arguments)
    return statement, [_adapt(value) for value in given.values()]


def _adapt(value: object) -> object:
    if isinstance(value, dict):
        return Jsonb(value)
    return value


def json_array(values: Sequence[object]) -> list[Jsonb]:
    """A `jsonb[]` parameter."""
    return [Jsonb(value) for value in values]


__all__ = ["TenutoError", "call", "call_sync", "call_value", "json_array", "translated"]
