"""Builds start statements from JSON text, and runs them on an async or sync connection of the caller or of Tenuto."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple, cast
from uuid import UUID

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.errors import InsufficientPrivilege, InvalidSchemaName, UndefinedFunction
from psycopg.rows import tuple_row

from tenuto.db.connection import foreign_connections
from tenuto.db.connection.call import Conn, translated_errors
from tenuto.db.connection.errors import DatabaseProblem
from tenuto.db.connection.raw_statements import array_literal
from tenuto.model.errors import InvalidInput
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
    """Return the statement for one run. `run`, `kinds`, each of the `inputs`, `details` and `edges` are JSON text as
    described in start_run.sql."""
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
    """Return the statement that starts one run of one task per input. The statement returns a row per run only if there
    are dedupe keys or `return_rows` is set; otherwise the caller already knows the ids."""
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


def open_run(*, org_id: UUID, run: str) -> Statement:
    """Return the statement that opens a run. `run`: its options as JSON text, as described in open_run.sql."""
    return _call("open_run", org_id=str(org_id), run=run)


def add_tasks(
    *,
    org_id: UUID,
    run_id: UUID,
    kinds: str,
    inputs: Sequence[str],
    ids: Sequence[UUID] | None = None,
    task_kinds: Sequence[int] | None = None,
    details: str | None = None,
    edges: str | None = None,
) -> Statement:
    """Return the statement that adds tasks to an open run. The statement returns a row per task, with the id of the
    task instead of a run."""
    sql, params = _call(
        "add_tasks",
        org_id=str(org_id),
        run_id=str(run_id),
        kinds=kinds,
        inputs=array_literal(inputs),
        ids=None if ids is None else "{" + ",".join(map(str, ids)) + "}",
        task_kinds=None if task_kinds is None else "{" + ",".join(map(str, task_kinds)) + "}",
        details=details,
        edges=edges,
        columns="unnest(t), true",
    )
    return f"{sql} t", params


def close_run(*, org_id: UUID, run_id: UUID) -> Statement:
    """Return the statement that closes an open run."""
    return _call("close_run", org_id=str(org_id), run_id=str(run_id), columns="null")


def _call(function: str, *, columns: str = "run_id, created", **params: str | None) -> Statement:
    given = {name: value for name, value in params.items() if value is not None}
    return _text(function, columns, tuple(given)), list(given.values())


@cache
def _text(function: str, columns: str, names: tuple[str, ...]) -> str:
    arguments = ", ".join(f"p_{name} => %s" for name in names)
    close = ") counted" if "(select" in columns else ""
    return f"select {columns} from tenuto.{function}({arguments}){close}"


async def execute_start(conn: object, statement: Statement) -> list[Started]:
    """Run the statement on an async connection, without committing."""
    if not isinstance(conn, AsyncConnection):
        return await foreign_connections.execute_async(conn, *statement)
    conn = cast("Conn", conn)
    with allowed_to_start(conn.info.user), translated_errors():
        async with conn.cursor(row_factory=tuple_row) as cursor:
            await cursor.execute(statement[0].encode(), statement[1])
            return _read(await cursor.fetchall())


def execute_start_sync(conn: object, statement: Statement) -> list[Started]:
    """Run the statement on a sync connection, without committing."""
    if not isinstance(conn, Connection):
        return foreign_connections.execute_sync(conn, *statement)
    conn = cast("Connection[Any]", conn)
    with allowed_to_start(conn.info.user), translated_errors(), conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute(statement[0].encode(), statement[1])
        return _read(cursor.fetchall())


class StartStatement(NamedTuple):
    """A start as SQL and parameters, for drivers that `connection=` does not accept:
    `cursor.execute(*app.start_statement(send, "a@b.c"))`. The statement returns a row with the id of the run, and
    whether the run is new (False if a run with this dedupe key existed). `%s` marks a parameter. For other parameter
    styles, call `style`."""

    sql: str
    params: list[str]

    def style(self, name: str) -> tuple[str, list[str] | dict[str, str]]:
        """Return the SQL and its parameters in another parameter style: `format` (%s), `pyformat` (%(name)s), `qmark`
        (?), `numeric` (:1), `numeric_dollar` ($1) or `named` (:name, as in SQLAlchemy's `text`). Raises InvalidInput
        for any other name."""
        if name not in foreign_connections.STYLES:
            known = ", ".join(foreign_connections.STYLES)
            raise InvalidInput(f"there is no parameter style {name!r}", f"write one of {known}")
        by_name = name in foreign_connections.BY_NAME
        values = foreign_connections.named(self.sql, self.params) if by_name else self.params
        return foreign_connections.styled(self.sql, name), values


def to_execute(statement: Statement) -> StartStatement:
    """Return a start statement that the caller executes."""
    return StartStatement(foreign_connections.styled(statement[0], "format"), statement[1])


@contextmanager
def allowed_to_start(user: str) -> Generator[None]:
    """Converts the error for a missing privilege or a missing schema to one that says what to do."""
    try:
        yield
    except (InsufficientPrivilege, InvalidSchemaName, UndefinedFunction) as error:
        raise may_not_start(user, error) from error


def may_not_start(user: str, error: psycopg.Error) -> DatabaseProblem:
    """Return the error for a login without the right to start tasks, or for a database without Tenuto."""
    message = error.diag.message_primary or str(error)
    return foreign_connections.refusal(error.sqlstate or "", message, user) or DatabaseProblem(message)


def _read(rows: list[tuple[Any, ...]]) -> list[Started]:
    return [Started(*row) for row in rows if row[0] is not None]
