"""Answers as the JSON text that is sent on: to read fifty columns and write them again took a third of a request."""

from dataclasses import dataclass
from functools import cache
from typing import Literal, LiteralString, cast
from uuid import UUID

from tenuto.db.call import Conn, call_one

Written = Literal["plain", "moment", "seconds"]
Fields = tuple[tuple[str, Written], ...]

WRITTEN: dict[Written, str] = {
    "plain": "done.{}",
    "moment": """to_char(done.{} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""",
    "seconds": "extract(epoch from done.{})::float8",
}


@dataclass(frozen=True)
class Shown:
    """What a function of one row answered, as an object of JSON."""

    status: str
    text: str


async def show_task(conn: Conn, *, org_id: UUID, task_id: UUID, fields: Fields) -> Shown:
    """What get_task answers: these fields, and no others."""
    return await call_one(conn, "get_task", Shown, columns=_columns(fields), org_id=org_id, task_id=task_id)


async def show_run(conn: Conn, *, org_id: UUID, run_id: UUID, fields: Fields) -> Shown:
    """What get_run answers, likewise."""
    return await call_one(conn, "get_run", Shown, columns=_columns(fields), org_id=org_id, run_id=run_id)


@cache
def _columns(fields: Fields) -> LiteralString:
    written = ", ".join(f"{WRITTEN[how].format(name)} as {name}" for name, how in fields)
    return cast(LiteralString, f"done.status, (select row_to_json(named)::text from (select {written}) named) as text")
