"""`tenuto runs`: shows, watches, cancels, retries and deletes runs."""

import asyncio
import time
from typing import Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import WORKERS, AuditedTransaction, audited_call, change, new
from tenuto.cli.exit_codes import StillRunning, WorkFailed
from tenuto.cli.logs import Follow, show_run_logs
from tenuto.cli.output import AsJson, cell, fields, reason, say, show, show_list
from tenuto.cli.session import CommandContext, read_id, read_optional_id, with_database
from tenuto.model.durations import seconds
from tenuto.model.monitoring import FINAL

app = typer.Typer(help="Runs: list, show, watch, logs, cancel, retry, delete.", no_args_is_help=True)

COLUMNS = ("id", "status", "type", "name", "total_tasks", "completed_tasks", "failed_tasks", "created_at")

RunId = Annotated[str, typer.Argument(metavar="RUN", help="Full id of the run.", show_default=False)]
Before = Annotated[str | None, typer.Option(help="Start after this id: the last one of the previous page.")]
NoWait = Annotated[
    bool,
    typer.Option("--no-wait", help="Return at once; dispatchers process the tasks of a large run in the background."),
]
Limit = Annotated[int, typer.Option(min=1, max=200, help="Maximum number of results.")]


@app.command("list")
def list_(
    status: Annotated[str | None, typer.Option(help="Only those with this status.")] = None,
    type: Annotated[str | None, typer.Option(help="Only those of this type.")] = None,
    name: Annotated[str | None, typer.Option(help="Only those of this name.")] = None,
    before: Before = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""
    from tenuto.db import monitoring

    before_id = read_optional_id(before, "run")
    items = with_database(
        lambda context: context.pool.call(
            monitoring.list_runs,
            org_id=context.org_id,
            status=status,
            type=type,
            name=name,
            limit=limit,
            before=before_id,
        )
    )
    show_list("runs", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(run: RunId, as_json: AsJson = False) -> None:
    """Show one run."""
    from tenuto.db import monitoring

    run_id = read_id(run, "run")
    row = with_database(lambda context: context.pool.call(monitoring.get_run, org_id=context.org_id, run_id=run_id))
    hide = () if row.output_omitted else ("output_omitted",)
    show(row, fields(row, hide=hide), as_json=as_json)


@app.command()
def watch(
    run: RunId,
    timeout: Annotated[
        str | None, typer.Option(help="Wait at most this long: 30s. Exit code 4 if the run has not ended by then.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Follow a run until it has ended. Exits with an error if the run failed."""
    from tenuto.db import monitoring

    run_id = read_id(run, "run")
    wait_seconds = None if timeout is None else seconds(timeout, "--timeout")

    async def in_time(context: CommandContext) -> str:
        try:
            async with asyncio.timeout(wait_seconds):
                return await follow(context, run_id, as_json=as_json)
        except TimeoutError as problem:
            if as_json:
                show(
                    await context.pool.call(monitoring.get_run, org_id=context.org_id, run_id=run_id), "", as_json=True
                )
            raise StillRunning(run_id, wait_seconds or 0) from problem

    status = with_database(in_time)
    if status != "completed":
        raise WorkFailed(f"run {run_id} {status}")


async def follow(context: CommandContext, run_id: UUID, *, as_json: bool) -> str:
    """Print a line whenever something changed; returns the final status."""
    from tenuto.db import monitoring

    last = None
    while True:
        run = await context.pool.call(monitoring.get_run, org_id=context.org_id, run_id=run_id)
        line = f"{run.status}  {run.completed_tasks} of {run.total_tasks} completed"
        line += f", {run.failed_tasks} failed" if run.failed_tasks else ""
        if run.status in FINAL:
            line += f"\n{cell(reason(run.error))}" if run.error else ""
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
    with_database(lambda context: show_run_logs(context, run_id, follow=follow, as_json=as_json))


def finish(run_id: UUID, *, quiet: bool) -> None:
    """Carry out the accepted verb on a large run together with the dispatchers, and print the progress every second."""
    with_database(lambda context: advance(context, run_id, quiet=quiet), role=WORKERS)


async def advance(context: CommandContext, run_id: UUID, *, quiet: bool) -> None:
    from tenuto.db import maintenance, runs

    next_line_at = 0.0
    while requests := await context.pool.call(runs.get_request, org_id=context.org_id, run_id=run_id):
        (request,) = requests
        if not quiet and time.monotonic() >= next_line_at:
            total = "?" if request.total_tasks is None else request.total_tasks
            say(f"{request.action}: {request.done_tasks} of {total} tasks")
            next_line_at = time.monotonic() + 1
        key = f"{request.action}:{run_id}"
        if not await context.pool.call(maintenance.advance_requests, limit=1, keys=[key]):
            await asyncio.sleep(0.2)  # a dispatcher is working on it


@app.command()
def cancel(
    run: RunId,
    reason: Annotated[str | None, typer.Option(help="Reason, stored with the run.")] = None,
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Cancel a run and all its open tasks."""
    from tenuto.db import runs

    run_id = read_id(run, "run")
    done = audited_call(
        ("run", run_id),
        "cancel",
        lambda transaction: runs.cancel_run(transaction.conn, org_id=transaction.org_id, run_id=run_id, reason=reason),
        reason,
    )
    if not done and not no_wait:
        finish(run_id, quiet=as_json)
    show({"id": run_id, "cancelled": True}, f"cancelling run {run_id}", as_json=as_json)


@app.command()
def retry(
    run: RunId,
    everything: Annotated[bool, typer.Option("--everything", help="Run completed tasks again too.")] = False,
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Retry an ended run as a new run, which reuses the completed tasks."""
    run_id = read_id(run, "run")
    new_run_id = change(lambda transaction: retry_run(transaction, run_id, everything=everything), role=WORKERS)
    if not no_wait:
        finish(new_run_id, quiet=as_json)
    show({"id": new_run_id, "retry_of": run_id}, f"started run {new_run_id}", as_json=as_json)


async def retry_run(transaction: AuditedTransaction, run_id: UUID, *, everything: bool) -> UUID:
    from tenuto.db import runs

    new_run_id = await runs.retry_run(transaction.conn, org_id=transaction.org_id, run_id=run_id, reuse=not everything)
    await transaction.note("run", run_id, "retry", new(run=str(new_run_id)))
    return new_run_id


@app.command()
def delete(run: RunId, no_wait: NoWait = False, as_json: AsJson = False) -> None:
    """Delete an ended run with its tasks, attempts, data and logs."""
    from tenuto.db import runs

    run_id = read_id(run, "run")
    done = audited_call(
        ("run", run_id),
        "delete",
        lambda transaction: runs.delete_run(transaction.conn, org_id=transaction.org_id, run_id=run_id),
    )
    if not done and not no_wait:
        finish(run_id, quiet=as_json)
    show({"id": run_id, "deleted": True}, f"deleted run {run_id}", as_json=as_json)
