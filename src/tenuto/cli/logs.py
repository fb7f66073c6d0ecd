"""Prints the log lines of a task, or of all tasks of a run."""

import asyncio
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from tenuto.cli.output import cell, say
from tenuto.cli.session import CommandContext
from tenuto.model.text import indented

if TYPE_CHECKING:
    from tenuto.model.run_data import LogLine, RunLogLine

PAUSE, LAST_LINES = 0.3, 1.5
# Workers write lines in batches: an older line of one task may arrive after newer lines of another.
LATE = timedelta(seconds=10)
ENDED = ("completed", "failed", "cancelled", "skipped")

Follow = Annotated[bool, typer.Option("--follow", "-f", help="Print new lines until it has ended.")]


async def show_task_logs(context: CommandContext, task_id: UUID, *, follow: bool, as_json: bool) -> None:
    from tenuto.db import monitoring, run_data

    cursor = {"after_attempt": 0, "after_line": 0}
    quiet, any_lines = 0.0, False
    while True:
        # Read the status first: lines that are logged after it are read in this round, so that the last ones are not
        # lost.
        task = await context.pool.call(monitoring.get_task, org_id=context.org_id, task_id=task_id)
        lines = await context.pool.call(run_data.read_logs, org_id=context.org_id, task_id=task_id, **cursor)
        for line in lines:
            _print(line, as_json=as_json)
            cursor = {"after_attempt": line.attempt, "after_line": line.line_no}
        any_lines = any_lines or bool(lines)
        quiet = 0.0 if lines else quiet + PAUSE
        if not lines and (not follow or (task.status in ENDED and quiet > LAST_LINES)):
            break
        if not lines:
            await asyncio.sleep(PAUSE)
    run = await context.pool.call(monitoring.get_run, org_id=context.org_id, run_id=task.run_id)
    more = [] if any_lines else [_nothing(f"task {task_id}", task.status)]
    if run.total_tasks > 1:
        more.append(f"`tenuto runs logs {run.id}` shows the log lines of all {run.total_tasks} tasks of its run")
    if more:
        say("; ".join(more), err=True)


async def show_run_logs(context: CommandContext, run_id: UUID, *, follow: bool, as_json: bool) -> None:
    from tenuto.db import monitoring

    printed: set[tuple[UUID, int, int]] = set()
    cursor: dict[str, Any] = {}
    quiet = 0.0
    while True:
        run = await context.pool.call(monitoring.get_run, org_id=context.org_id, run_id=run_id)
        lines = [line for line in await _read_on(context, run_id, cursor) if _key(line) not in printed]
        for line in lines:
            _print(line, as_json=as_json, task_id=str(line.task_id), task=line.task)
        if lines:
            printed |= {_key(line) for line in lines}
            cursor = {"after": max(line.logged_at for line in lines) - LATE}
        quiet = 0.0 if lines else quiet + PAUSE
        if not follow or (not lines and run.status in ENDED and quiet > LAST_LINES):
            break
        await asyncio.sleep(PAUSE)
    if not printed:
        say(_nothing(f"run {run_id}", run.status), err=True)


async def _read_on(context: CommandContext, run_id: UUID, cursor: dict[str, Any]) -> "list[RunLogLine]":
    from tenuto.db import run_data

    lines: list[RunLogLine] = []
    while page := await context.pool.call(run_data.read_run_logs, org_id=context.org_id, run_id=run_id, **cursor):
        lines += page
        last = page[-1]
        cursor = {"after": last.logged_at, "after_task": last.task_id}
        cursor |= {"after_attempt": last.attempt, "after_line": last.line_no}
    return lines


def _key(line: "RunLogLine") -> tuple[UUID, int, int]:
    return line.task_id, line.attempt, line.line_no


def _nothing(what: str, status: str) -> str:
    return f"{what} logged nothing" + ("" if status in ENDED else f" yet: it is {status}")


def _print(line: "LogLine | RunLogLine", *, as_json: bool, **of: str) -> None:
    if as_json:
        typer.echo(_as_json(line, **of))
    else:
        say(_as_text(line, of.get("task")))


def _as_json(line: "LogLine | RunLogLine", **more: str) -> str:
    kept = {"attempt": line.attempt, "line_no": line.line_no, "logged_at": line.logged_at.isoformat()}
    return json.dumps({**more, **kept, "level": line.level, "message": line.message, "fields": line.fields})


def _as_text(line: "LogLine | RunLogLine", task: str | None = None) -> str:
    more = "  " + cell(line.fields) if line.fields else ""
    of = f"  {cell(task)}" if task else ""
    return f"{cell(line.logged_at)}{of}  {line.attempt}  {line.level:<7}  {indented(line.message)}{more}"
