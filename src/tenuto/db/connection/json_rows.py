"""Answers as the JSON text that is sent on: to read fifty columns and write them again took a third of a request."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, LiteralString, cast
from uuid import UUID

from tenuto.db.connection.call import ActingConnection
from tenuto.db.connection.raw_statements import fetch_texts

Written = Literal["plain", "moment", "seconds"]
Fields = tuple[tuple[str, Written], ...]

WRITTEN: dict[Written, str] = {
    "plain": "done.{}",
    "moment": """to_char(done.{} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""",
    "seconds": "extract(epoch from done.{})::float8",
}


@dataclass(frozen=True)
class JsonRow:
    """What a function of one row answered: its state, and all of it as an object of JSON."""

    status: str
    text: str


async def get_task_json(acting: ActingConnection, *, fields: Fields, **asked: UUID) -> JsonRow:
    """What get_task answers: these fields, and no others."""
    return await _show(acting, "get_task", fields, asked)


async def get_run_json(acting: ActingConnection, *, fields: Fields, **asked: UUID) -> JsonRow:
    """What get_run answers, likewise."""
    return await _show(acting, "get_run", fields, asked)


async def _show(acting: ActingConnection, function: str, fields: Fields, asked: Mapping[str, UUID]) -> JsonRow:
    statement, values = acting.statement(function, _columns(fields), asked)
    ((status, text),) = await fetch_texts(acting.conn, statement, values)
    return JsonRow(status or "", text or "")


@cache
def _columns(fields: Fields) -> LiteralString:
    written = ", ".join(f"{WRITTEN[how].format(name)} as {name}" for name, how in fields)
    return cast(LiteralString, f"done.status, (select row_to_json(named)::text from (select {written}) named) as text")
