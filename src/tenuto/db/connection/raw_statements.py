"""Executes a statement with text parameters and text results, prepared once per connection.

Used for the few statements that most requests execute. For each call, psycopg's cursors convert every value in both
directions, look up prepared statements and create row readers. That takes as long as the rest of the call.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from weakref import WeakKeyDictionary

from psycopg import AsyncConnection, DataError, Error
from psycopg.errors import InvalidSqlStatementName, error_from_result
from psycopg.generators import execute
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from tenuto.db.connection.call import Conn, translated

Row = tuple[str | None, ...]

_prepared: WeakKeyDictionary[AsyncConnection, set[bytes]] = WeakKeyDictionary()


async def fetch_texts(conn: Conn, statement: bytes, values: Sequence[object]) -> list[Row]:
    """Return the rows. `%s` marks a parameter in the statement. Through a pooler the statement is not prepared (see
    connect.py)."""
    text, name = _numbered(statement)
    try:
        sent = [None if value is None else _sent(str(value).encode()) for value in values]
        async with conn.lock:
            if conn.prepare_threshold is None:
                conn.pgconn.send_query_params(text, sent)
                result = _checked(await conn.wait(execute(conn.pgconn)))
            else:
                try:
                    result = await _ask_prepared(conn, name, text, sent)
                except InvalidSqlStatementName:  # psycopg deallocates all prepared statements after a rollback
                    # Forget only this name: other statements may still exist, and a statement cannot be prepared twice.
                    _prepared[conn].discard(name)
                    result = await _ask_prepared(conn, name, text, sent)
    except Error as error:
        if (known := translated(error)) is None:
            raise
        raise known from error
    return [tuple(_text(result, row, column) for column in range(result.nfields)) for row in range(result.ntuples)]


async def call_texts(conn: Conn, function: str, **params: object) -> list[Row]:
    """Call an SQL function and return its rows as text. A parameter that is None keeps its default."""
    given = {name: value for name, value in params.items() if value is not None}
    return await fetch_texts(conn, _function_text(function, tuple(given)), [*given.values()])


async def call_procedure(conn: Conn, procedure: str, **params: object) -> None:
    """Call a procedure, which commits by itself. A parameter that is None keeps its default."""
    given = {name: value for name, value in params.items() if value is not None}
    await fetch_texts(conn, _procedure_text(procedure, tuple(given)), [*given.values()])


@cache
def _function_text(function: str, names: tuple[str, ...]) -> bytes:
    arguments = ", ".join(f"p_{name} => %s" for name in names)
    return f"select * from tenuto.{function}({arguments})".encode()


@cache
def _procedure_text(procedure: str, names: tuple[str, ...]) -> bytes:
    arguments = ", ".join(f"p_{name} => %s" for name in names)
    return f"call tenuto.{procedure}({arguments})".encode()


async def _ask_prepared(conn: Conn, name: bytes, text: bytes, sent: list[bytes | None]) -> PGresult:
    if name not in (known := _prepared.setdefault(conn, set())):
        # Remember the name before preparing. If the request is cancelled meanwhile, the database may already have the
        # statement.
        known.add(name)
        conn.pgconn.send_prepare(name, text)
        _checked(await conn.wait(execute(conn.pgconn)))
    conn.pgconn.send_query_prepared(name, sent)
    return _checked(await conn.wait(execute(conn.pgconn)))


def _sent(value: bytes) -> bytes:
    if b"\0" in value:  # libpq would truncate the value there
        raise DataError("a text contains a NUL character, which Postgres cannot store")
    return value


def _checked(results: list[PGresult]) -> PGresult:
    (result,) = results
    if result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
        raise error_from_result(result)
    return result


def _text(result: PGresult, row: int, column: int) -> str | None:
    value = result.get_value(row, column)
    return None if value is None else value.decode()


@cache
def _numbered(statement: bytes) -> tuple[bytes, bytes]:
    """Return the statement with $1, $2, … in place of each %s, and its name. There are few statements, so all are
    cached."""
    first, *rest = statement.split(b"%s")
    text = first + b"".join(b"$%d%s" % (no, part) for no, part in enumerate(rest, start=1))
    return text, b"tenuto_" + blake2b(text, digest_size=8).hexdigest().encode()


def array_literal(values: Sequence[str | None]) -> str:
    """Return a Postgres array literal of texts."""
    return "{" + ",".join("NULL" if value is None else _quoted(value) for value in values) + "}"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
