"""A statement asked with texts and answered in texts, prepared once a connection.

For the few statements that most requests are: psycopg's cursors adapt every value both ways, look for the statement
among those it has prepared and make what reads the rows anew each time, which takes as long as the rest of a call.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from weakref import WeakKeyDictionary

from psycopg import AsyncConnection, DataError
from psycopg.errors import InvalidSqlStatementName, error_from_result
from psycopg.generators import execute
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from tenuto.db.connection.call import Conn, kernel_errors

Row = tuple[str | None, ...]

_prepared: WeakKeyDictionary[AsyncConnection, set[bytes]] = WeakKeyDictionary()


async def fetch_texts(conn: Conn, statement: bytes, values: Sequence[object]) -> list[Row]:
    """Returns the rows. Values are %s in the statement. Through a pooler nothing is prepared (see pgbouncer.py)."""
    text, name = _numbered(statement)
    with kernel_errors():
        sent = [None if value is None else _sent(str(value).encode()) for value in values]
        async with conn.lock:
            if conn.prepare_threshold is None:
                conn.pgconn.send_query_params(text, sent)
                result = _checked(await conn.wait(execute(conn.pgconn)))
            else:
                try:
                    result = await _ask_prepared(conn, name, text, sent)
                except InvalidSqlStatementName:  # psycopg deallocates all there are after a rollback
                    _prepared[conn].discard(name)  # this one alone: others may be there, and are not made twice
                    result = await _ask_prepared(conn, name, text, sent)
    return [tuple(_text(result, row, column) for column in range(result.nfields)) for row in range(result.ntuples)]


async def call_procedure(conn: Conn, procedure: str, **params: object) -> None:
    """A procedure, which commits by itself; a parameter that is None keeps its default."""
    given = {name: value for name, value in params.items() if value is not None}
    await fetch_texts(conn, _procedure_text(procedure, tuple(given)), [*given.values()])


@cache
def _procedure_text(procedure: str, names: tuple[str, ...]) -> bytes:
    arguments = ", ".join(f"p_{name} => %s" for name in names)
    return f"call tenuto.{procedure}({arguments})".encode()


async def _ask_prepared(conn: Conn, name: bytes, text: bytes, sent: list[bytes | None]) -> PGresult:
    if name not in (known := _prepared.setdefault(conn, set())):
        known.add(name)  # before it is: a request that is cancelled meanwhile leaves it there
        conn.pgconn.send_prepare(name, text)
        _checked(await conn.wait(execute(conn.pgconn)))
    conn.pgconn.send_query_prepared(name, sent)
    return _checked(await conn.wait(execute(conn.pgconn)))


def _sent(value: bytes) -> bytes:
    if b"\0" in value:  # libpq would take what stands before it
        raise DataError("a text holds the character NUL, which Postgres does not store")
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
    """With $1 for the first %s, and a name of its own; there are few of them."""
    first, *rest = statement.split(b"%s")
    text = first + b"".join(b"$%d%s" % (no, part) for no, part in enumerate(rest, start=1))
    return text, b"tenuto_" + blake2b(text, digest_size=8).hexdigest().encode()
