"""Returns rows as JSON text, which the server sends unchanged. Converting fifty columns to Python objects and back
would take a third of the time of a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, LiteralString, cast
from uuid import UUID

from tenuto.db.connection.call import ActingConnection
from tenuto.db.connection.raw_statements import array_literal, fetch_texts

Written = Literal["plain", "moment"]
Fields = tuple[tuple[str, Written], ...]

WRITTEN: dict[Written, str] = {
    "plain": "done.{}",
    "moment": """to_char(done.{} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""",
}


@dataclass(frozen=True)
class JsonRow:
    """The row of a function: its status, and the whole row as JSON text."""

    status: str
    text: str


async def get_task_json(acting: ActingConnection, *, fields: Fields, **params: UUID) -> JsonRow:
    """Return these fields of the row of get_task."""
    return await _show(acting, "get_task", fields, params)


async def get_run_json(acting: ActingConnection, *, fields: Fields, **params: UUID) -> JsonRow:
    """Return these fields of the row of get_run."""
    return await _show(acting, "get_run", fields, params)


async def poll_runs_json(acting: ActingConnection, *, org_id: UUID, run_ids: list[UUID]) -> list[str]:
    """Return the rows of poll_runs, each as JSON text, because parsed outputs can take twenty times their size in
    memory."""
    params = {"org_id": org_id, "run_ids": array_literal([str(run_id) for run_id in run_ids])}
    statement, values = acting.statement("poll_runs", "row_to_json(done)::text as text", params)
    return [text or "" for (text,) in await fetch_texts(acting.conn, statement, values)]


async def _show(acting: ActingConnection, function: str, fields: Fields, params: Mapping[str, UUID]) -> JsonRow:
    statement, values = acting.statement(function, _columns(fields), params)
    ((status, text),) = await fetch_texts(acting.conn, statement, values)
    return JsonRow(status or "", text or "")


@cache
def _columns(fields: Fields) -> LiteralString:
    written = ", ".join(f"{WRITTEN[how].format(name)} as {name}" for name, how in fields)
    return cast(LiteralString, f"done.status, (select row_to_json(named)::text from (select {written}) named) as text")
