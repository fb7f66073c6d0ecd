"""Prints the log lines of a task, or of all tasks of a run."""

import asyncio
import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.output import cell, say
from tenuto.model.monitoring import FINAL
from tenuto.model.text import indented

if TYPE_CHECKING:
    from tenuto.model.run_data import LogLine, RunLogLine
    from tenuto.sdk.operations.base import Operations

PAUSE, LAST_LINES = 0.3, 1.5
# Workers write lines in batches, so an older line of one task may arrive after newer lines of another. Therefore lines
# that are up to 10 seconds older than the newest printed line are read again.
LATE = timedelta(seconds=10)

Follow = Annotated[bool, typer.Option("--follow", "-f", help="Also print new lines, until the run or task has ended.")]


async def show_task_logs(tenuto: "Operations", task_id: UUID, *, follow: bool, as_json: bool) -> None:
    attempt = line_no = 0
    quiet, any_lines = 0.0, False
    while True:
        # Read the status before the lines. If the task has ended by then, its last lines are read in this round.
        task = await tenuto.get_task(task_id)
        lines = await tenuto.read_logs(task_id, after_attempt=attempt, after_line=line_no)
        for line in lines:
            _print(line, as_json=as_json)
            attempt, line_no = line.attempt, line.line_no
        any_lines = any_lines or bool(lines)
        quiet = 0.0 if lines else quiet + PAUSE
        if not lines and (not follow or (task.status in FINAL and quiet > LAST_LINES)):
            break
        if not lines:
            await asyncio.sleep(PAUSE)
    run = await tenuto.get_run(task.run_id)
    more: list[str] = [] if any_lines else [_no_lines_text(f"task {task_id}", task.status)]
    if run.total_tasks > 1:
        more.append(f"`tenuto runs logs {run.id}` shows the log lines of all {run.total_tasks} tasks of its run")
    if more:
        say("; ".join(more), err=True)


async def show_run_logs(tenuto: "Operations", run_id: UUID, *, follow: bool, as_json: bool) -> None:
    printed: set[tuple[UUID, int, int]] = set()
    after: datetime | None = None
    quiet = 0.0
    while True:
        run = await tenuto.get_run(run_id)
        lines = [line for line in await _read_on(tenuto, run_id, after) if _key(line) not in printed]
        for line in lines:
            _print(line, as_json=as_json)
        if lines:
            printed |= {_key(line) for line in lines}
            after = max(line.logged_at for line in lines) - LATE
        quiet = 0.0 if lines else quiet + PAUSE
        if not follow or (not lines and run.status in FINAL and quiet > LAST_LINES):
            break
        await asyncio.sleep(PAUSE)
    if not printed:
        say(_no_lines_text(f"run {run_id}", run.status), err=True)


async def _read_on(tenuto: "Operations", run_id: UUID, after: datetime | None) -> "list[RunLogLine]":
    """Read all lines that were logged after this time."""
    page = await tenuto.read_run_logs(run_id, after=after)
    lines = page
    while page:
        last = page[-1]
        page = await tenuto.read_run_logs(
            run_id,
            after=last.logged_at,
            after_task=last.task_id,
            after_attempt=last.attempt,
            after_line=last.line_no,
        )
        lines = lines + page
    return lines


def _key(line: "RunLogLine") -> tuple[UUID, int, int]:
    return line.task_id, line.attempt, line.line_no


def _no_lines_text(what: str, status: str) -> str:
    return f"{what} logged nothing" + ("" if status in FINAL else f" yet: it is {status}")


def _print(line: "LogLine | RunLogLine", *, as_json: bool) -> None:
    if as_json:
        typer.echo(_as_json(line))
    else:
        say(_as_text(line))


def _as_json(line: "LogLine | RunLogLine") -> str:
    from tenuto.model.run_data import RunLogLine

    task = {"task_id": str(line.task_id), "task": line.task} if isinstance(line, RunLogLine) else {}
    kept = {"attempt": line.displayed_attempt, "line_no": line.line_no, "logged_at": line.logged_at.isoformat()}
    return json.dumps({**task, **kept, "level": line.level, "message": line.message, "fields": line.fields})


def _as_text(line: "LogLine | RunLogLine") -> str:
    from tenuto.model.run_data import RunLogLine

    more = "  " + cell(line.fields) if line.fields else ""
    task = f"  {cell(line.task)}" if isinstance(line, RunLogLine) and line.task else ""
    return f"{cell(line.logged_at)}{task}  {line.displayed_attempt}  {line.level:<7}  {indented(line.message)}{more}"
