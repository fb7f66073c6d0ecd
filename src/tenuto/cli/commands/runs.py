"""`tenuto runs`: shows, watches, cancels, retries and deletes runs."""

import asyncio
import time
from typing import TYPE_CHECKING, Annotated, get_args
from uuid import UUID

import typer

from tenuto.cli import bulk
from tenuto.cli.arguments import read_object
from tenuto.cli.commands import open_runs, run_data
from tenuto.cli.exit_codes import UsageError, WorkFailed, run_continues
from tenuto.cli.list_options import (
    AnyStatus,
    Before,
    Counted,
    Limit,
    Metadata,
    OfName,
    OfType,
    Since,
    Until,
    read_statuses,
    read_time,
    show_counted,
)
from tenuto.cli.logs import Follow, show_run_logs
from tenuto.cli.output import AsJson, attempts, cell, duration, fields, say, shorten, show, table
from tenuto.cli.session import RunId, read_id, read_optional_id, with_tenuto
from tenuto.cli.task_details import awaited_text
from tenuto.model.durations import seconds
from tenuto.model.filters import RunListFilter
from tenuto.model.monitoring import FINAL
from tenuto.model.statuses import RunStatusName
from tenuto.model.stored_errors import describe_error
from tenuto.model.text import one_line

HELP = "Runs: list, show, watch, inputs, data, logs, set, cancel, retry, delete; open, add, close, release."
app = typer.Typer(help=HELP, no_args_is_help=True)

if TYPE_CHECKING:
    from tenuto.model.counts import Count
    from tenuto.model.monitoring import RunStatus, RunSummary
    from tenuto.model.run_data import AwaitedSignal
    from tenuto.sdk.operations.base import Operations

COLUMNS = ("id", "status", "type", "name", "tasks", "attempt", "duration", "created_at", "retried_by", "error")
HIDDEN = ("org_id", "single_task")  # fields that users do not need

OneRun = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN]", help="Id of the run, or its beginning. Or select runs with options.", show_default=False
    ),
]
NoWait = Annotated[
    bool,
    typer.Option("--no-wait", help="Return at once; dispatchers process the tasks of a large run in the background."),
]
Force = Annotated[bool, typer.Option("--force", help="Retry even if the run was retried before.")]
Changes = Annotated[
    str,
    typer.Option("--metadata", help="JSON object of the keys to set; null removes a key.", show_default=False),
]


@app.command("list")
def list_(
    status: AnyStatus = None,
    type: OfType = None,
    name: OfName = None,
    dedupe_key: Annotated[str | None, typer.Option(help="Only the run with this key; needs --type or --name.")] = None,
    metadata: Metadata = None,
    since: Since = None,
    until: Until = None,
    count: Counted = False,
    before: Before = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""
    if count and dedupe_key is not None:
        raise UsageError("--count and --dedupe-key are both set; a dedupe key finds one run at most")
    before_id = read_optional_id(before, "run")
    chosen = RunListFilter(
        statuses=read_statuses(status, get_args(RunStatusName)),
        name=name,
        type=type,
        since=read_time(since, "--since"),
        until=read_time(until, "--until"),
        dedupe_key=dedupe_key,
        metadata=read_object(metadata, "--metadata"),
    )

    async def work(tenuto: "Operations") -> "tuple[list[RunSummary], Count | None]":
        items = await tenuto.list_runs(chosen, before=before_id, limit=limit)
        return items, await tenuto.count_runs(chosen) if count else None

    items, total = with_tenuto(work)
    columns = [column for column in COLUMNS if column != "retried_by" or any(item.retried_by for item in items)]
    rows = [[_cells(item)[column] for column in columns] for item in items]
    show_counted("runs", items, total, table(columns, rows) if rows else "no runs", as_json=as_json)


def _cells(run: "RunSummary") -> dict[str, str]:
    return {
        "id": cell(run.id),
        "status": run.status,
        "type": cell(run.type),
        "name": cell(run.name),
        "tasks": f"{run.completed_tasks}/{run.total_tasks}",
        "attempt": attempts(run.attempt, run.max_attempts),
        "duration": duration(run.duration_seconds),
        "created_at": cell(run.created_at),
        "retried_by": cell(run.retried_by),
        "error": shorten(cell(run.cancel_reason or describe_error(run.error))),
    }


@app.command("show")
def show_(run: RunId, as_json: AsJson = False) -> None:
    """Show one run."""
    run_id = read_id(run, "run")

    async def work(tenuto: "Operations") -> "tuple[RunStatus, list[AwaitedSignal]]":
        row = await tenuto.get_run(run_id)
        return row, [] if row.status in FINAL else await tenuto.list_awaited_signals(run_id)

    row, awaited = with_tenuto(work)
    hide = (*HIDDEN, "max_attempts", *(() if row.output_omitted else ("output_omitted",)))
    number, waits_for = attempts(row.attempt, row.max_attempts), awaited_text(awaited)
    text = fields(row, hide=hide, attempt=number, waits_for=waits_for)
    show({**vars(row), "awaited_signals": awaited}, text, as_json=as_json)


@app.command()
def watch(
    run: RunId,
    timeout: Annotated[
        str | None, typer.Option(help="Wait at most this long: 30s. Exit code 4 if the run has not ended by then.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Follow a run until it has ended. Exits with an error if the run failed or was cancelled."""
    run_id = read_id(run, "run")
    wait_seconds = None if timeout is None else seconds(timeout, "--timeout")

    async def in_time(tenuto: "Operations") -> str:
        try:
            async with asyncio.timeout(wait_seconds):
                return await follow(tenuto, run_id, as_json=as_json)
        except TimeoutError as problem:
            if as_json:
                show(await tenuto.get_run(run_id), "", as_json=True)
            raise run_continues(run_id, wait_seconds or 0) from problem

    status = with_tenuto(in_time)
    if status != "completed":
        raise WorkFailed(f"run {run_id} {status}")


async def follow(tenuto: "Operations", run_id: UUID, *, as_json: bool) -> str:
    """Print a line whenever the progress changes; with `as_json`, print only the ended run. Return the final status."""
    last = None
    while True:
        run = await tenuto.get_run(run_id)
        line = f"{run.status}  {run.completed_tasks} of {run.total_tasks} completed"
        line += f", {run.failed_tasks} failed" if run.failed_tasks else ""
        line += f", {run.fraction:.0%} done" if 0 < run.fraction < 1 else ""
        line += f": {one_line(run.message)}" if run.message and run.status not in FINAL else ""
        if run.status in FINAL:
            line += f"\n{cell(describe_error(run.error))}" if run.error else ""
            show(run, line, as_json=as_json)
            return run.status
        if line != last and not as_json:
            say(line)
        last = line
        await asyncio.sleep(0.3)


@app.command()
def logs(run: RunId, follow: Follow = False, as_json: AsJson = False) -> None:
    """Print the log lines of all tasks of a run. With --json, one object per line."""
    run_id = read_id(run, "run")
    with_tenuto(lambda tenuto: show_run_logs(tenuto, run_id, follow=follow, as_json=as_json))


@app.command("set")
def set_(run: RunId, metadata: Changes, as_json: AsJson = False) -> None:
    """Set keys of the metadata of a run, even after it has ended."""
    run_id, changes = read_id(run, "run"), read_object(metadata, "--metadata") or {}
    with_tenuto(lambda tenuto: tenuto.set_run_metadata(run_id, changes))
    show({"id": run_id, "set": sorted(changes)}, f"changed the metadata of run {run_id}", as_json=as_json)


async def finish(tenuto: "Operations", run_id: UUID, *, quiet: bool) -> None:
    """Wait until the accepted request (cancel, retry or delete) on a large run is carried out, and print the progress
    every second."""
    next_line_at = 0.0
    while progress := await tenuto.advance_request(run_id):
        if not quiet and time.monotonic() >= next_line_at:
            total = "?" if progress.total_tasks is None else progress.total_tasks
            say(f"{progress.action}: {progress.done_tasks} of {total} tasks")
            next_line_at = time.monotonic() + 1


@app.command()
def cancel(
    run: OneRun = None,
    reason: Annotated[str | None, typer.Option(help="Reason, stored with the run.")] = None,
    status: bulk.Status = None,
    type: OfType = None,
    name: OfName = None,
    since: Since = None,
    dry_run: bulk.DryRun = False,
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Cancel a run with all its tasks, or all runs that a filter selects and that have not ended."""
    chosen = bulk.read_filter(status, type, name, since)
    if run is None:
        bulk.cancel_runs(chosen, reason=reason, dry_run=dry_run, as_json=as_json)
        return
    bulk.refuse_filter(chosen, dry_run=dry_run)
    run_id = read_id(run, "run")

    async def work(tenuto: "Operations") -> None:
        if not await tenuto.cancel_run(run_id, reason) and not no_wait:
            await finish(tenuto, run_id, quiet=as_json)

    with_tenuto(work)
    show({"id": run_id, "cancelled": True}, f"cancelling run {run_id}", as_json=as_json)


@app.command()
def retry(
    run: OneRun = None,
    from_scratch: Annotated[bool, typer.Option("--from-scratch", help="Also run completed tasks again.")] = False,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Also run completed tasks with this name or type again, "
            "and completed tasks with a step of this name from that step on.",
        ),
    ] = None,
    force: Force = False,
    status: bulk.Status = None,
    type: OfType = None,
    name: OfName = None,
    since: Since = None,
    dry_run: bulk.DryRun = False,
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Retry an ended run, or all failed runs that a filter selects, as new runs, which reuse the completed tasks."""
    chosen = bulk.read_filter(status, type, name, since)
    if run is None:
        if force or from_:
            raise UsageError("--force and --from are for one RUN")
        bulk.retry_runs(chosen, reuse=not from_scratch, dry_run=dry_run, as_json=as_json)
        return
    bulk.refuse_filter(chosen, dry_run=dry_run)
    run_id = read_id(run, "run")

    async def work(tenuto: "Operations") -> UUID:
        new_run_id = await tenuto.retry_run(run_id, reuse=not from_scratch, force=force, from_name=from_)
        if not no_wait:
            await finish(tenuto, new_run_id, quiet=as_json)
        return new_run_id

    new_run_id = with_tenuto(work)
    show({"id": new_run_id, "retry_of": run_id}, f"started run {new_run_id}", as_json=as_json)


@app.command()
def delete(
    run: OneRun = None,
    status: bulk.Status = None,
    type: OfType = None,
    name: OfName = None,
    since: Since = None,
    dry_run: bulk.DryRun = False,
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Delete an ended run with its tasks, attempts, data and logs, or all ended runs that a filter selects."""
    chosen = bulk.read_filter(status, type, name, since)
    if run is None:
        bulk.delete_runs(chosen, dry_run=dry_run, as_json=as_json)
        return
    bulk.refuse_filter(chosen, dry_run=dry_run)
    run_id = read_id(run, "run")

    async def work(tenuto: "Operations") -> None:
        if not await tenuto.delete_run(run_id) and not no_wait:
            await finish(tenuto, run_id, quiet=as_json)

    with_tenuto(work)
    show({"id": run_id, "deleted": True}, f"deleted run {run_id}", as_json=as_json)


app.command("open")(open_runs.open_run)
app.command("add")(open_runs.add_task)
app.command("close")(open_runs.close_run)
app.command("release")(open_runs.release_run)
app.command("inputs")(run_data.list_inputs)
app.command("data")(run_data.show_data)
