"""Builds and runs start statements from JSON text, on the caller's connection or ours, async or sync."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, cast
from uuid import UUID

from psycopg import AsyncConnection, Connection, errors
from psycopg.rows import tuple_row

from tenuto.db.connection.call import Conn, kernel_errors
from tenuto.db.connection.errors import BadAddress, MissingRight
from tenuto.db.connection.raw_statements import array_literal
from tenuto.model.tasks import Started

Statement = tuple[str, list[str]]


def start_run(
    *,
    org_id: UUID,
    run: str,
    kinds: str,
    inputs: Sequence[str],
    task_kinds: Sequence[int] | None = None,
    details: str | None = None,
    edges: str | None = None,
) -> Statement:
    """Return the statement for one run. Kinds, inputs, details and edges are JSON text as described in
    start_run.sql."""
    return _call(
        "start_run",
        org_id=str(org_id),
        run=run,
        kinds=kinds,
        inputs=array_literal(inputs),
        task_kinds=None if task_kinds is None else "{" + ",".join(map(str, task_kinds)) + "}",
        details=details,
        edges=edges,
    )


def start_many(
    *,
    org_id: UUID,
    kinds: str,
    inputs: Sequence[str],
    ids: Sequence[str],
    details: str | None = None,
    dedupe_keys: Sequence[str | None] | None = None,
    group: str | None = None,
    return_rows: bool = False,
) -> Statement:
    """Return the statement for a run of one task per input. It returns a row per run if there are dedupe keys or
    `return_rows` is set; otherwise the ids are already known."""
    return _call(
        "start_many",
        org_id=str(org_id),
        kinds=kinds,
        inputs=array_literal(inputs),
        ids="{" + ",".join(ids) + "}",
        details=details,
        dedupe_keys=None if dedupe_keys is None else array_literal(dedupe_keys),
        group=group,
        columns="run_id, created" if return_rows or dedupe_keys is not None else "null from (select count(*)",
    )


def _call(function: str, *, columns: str = "run_id, created", **params: str | None) -> Statement:
    given = {name: value for name, value in params.items() if value is not None}
    return _text(function, columns, tuple(given)), list(given.values())


@cache
def _text(function: str, columns: str, names: tuple[str, ...]) -> str:
    arguments = ", ".join(f"p_{name} => %s" for name in names)
    close = ") counted" if "(" in columns else ""
    return f"select {columns} from tenuto.{function}({arguments}){close}"


async def execute_start(conn: object, statement: Statement) -> list[Started]:
    """Run the statement on an async connection, without committing."""
    if not isinstance(conn, AsyncConnection):
        raise BadAddress("connection is not an async psycopg connection; use SyncClient for sync connections")
    conn = cast("Conn", conn)
    with allowed_to_start(conn.info.user), kernel_errors():
        async with conn.cursor(row_factory=tuple_row) as cursor:
            await cursor.execute(statement[0].encode(), statement[1])
            return _read(await cursor.fetchall())


def ask_sync(conn: object, statement: Statement) -> list[Started]:
    """Run the statement on a sync connection, without committing."""
    if not isinstance(conn, Connection):
        raise BadAddress("connection is not a sync psycopg connection; use Client for async connections")
    conn = cast("Connection[Any]", conn)
    with allowed_to_start(conn.info.user), kernel_errors(), conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute(statement[0].encode(), statement[1])
        return _read(cursor.fetchall())


@contextmanager
def allowed_to_start(user: str) -> Generator[None]:
    """Convert a missing privilege to an error that says what to grant."""
    try:
        yield
    except errors.InsufficientPrivilege as error:
        raise MissingRight(
            f"role {user!r} cannot start tasks ({error.diag.message_primary}); "
            f"ask an administrator to run: grant tenuto_worker to {user}"
        ) from error


def _read(rows: list[tuple[Any, ...]]) -> list[Started]:
    return [Started(*row) for row in rows if row[0] is not None]
