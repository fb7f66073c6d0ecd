"""`tenuto workers`: lists, shows, drains and terminates workers, and prints their logs."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, cell, fields, show, show_list, table
from tenuto.cli.session import with_tenuto

if TYPE_CHECKING:
    from tenuto.model.monitoring import WorkerStatus
    from tenuto.model.workers import WorkerLife
    from tenuto.sdk.operations.base import Operations

app = typer.Typer(help="Workers: list, show, logs, drain, terminate.", no_args_is_help=True)

COLUMNS = ("id", "status", "health_status", "running", "labels", "address", "last_heartbeat")
LIVES = ("session_id", "started_at", "ended_at", "end_reason", "running")
MAX_LIVES = 10  # sessions that `show` prints

Status = Literal["starting", "active", "draining", "error", "terminated"]
WorkerId = Annotated[str, typer.Argument(metavar="WORKER", help="The worker's id.", show_default=False)]


@app.command("list")
def list_(
    status: Annotated[
        Status | None, typer.Option(help="Only workers with this status. Default: all but terminated ones.")
    ] = None,
    after: Annotated[
        str | None, typer.Option(help="Continue after this id, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the workers, each with its health and the number of tasks that it runs."""
    workers = with_tenuto(lambda tenuto: tenuto.list_workers(status=status, after=after, limit=limit))
    show_list("workers", workers, COLUMNS, as_json=as_json)


@app.command("show")
def show_(worker: WorkerId, as_json: AsJson = False) -> None:
    """Show one worker: its health, figures of its last heartbeat, and its latest sessions."""

    async def fetch(tenuto: "Operations") -> "tuple[WorkerStatus, list[WorkerLife]]":
        return await tenuto.get_worker(worker), await tenuto.list_worker_history(worker, limit=MAX_LIVES)

    row, lives = with_tenuto(fetch)
    rows = [[cell(getattr(life, column)) for column in LIVES] for life in lives]
    text = f"{fields(row)}\n\n{table(LIVES, rows)}" if lives else fields(row)
    show({**vars(row), "history": lives}, text, as_json=as_json)


@app.command()
def logs(
    worker: WorkerId,
    after: Annotated[
        int | None, typer.Option(min=0, help="Only lines after the line with this number.", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many lines.")] = 200,
    as_json: AsJson = False,
) -> None:
    """Print the newest lines of a worker's log; tasks have their own logs. Lines are kept for 48 hours."""
    lines = with_tenuto(lambda tenuto: tenuto.read_worker_logs(worker, after=after, limit=limit))
    text = "\n".join(f"{cell(line.logged_at)} {line.level.upper():7} {line.message}" for line in lines)
    show({"lines": lines}, text or f"worker {worker} has logged nothing within 48 hours", as_json=as_json)


@app.command()
def drain(
    worker: WorkerId,
    reason: Annotated[str | None, typer.Option(help="Reason, stored with the worker.")] = None,
    as_json: AsJson = False,
) -> None:
    """Drain a worker: it finishes its tasks, claims no more tasks and exits."""
    with_tenuto(lambda tenuto: tenuto.drain_worker(worker, reason))
    show({"worker_id": worker, "status": "draining"}, f"draining {worker}", as_json=as_json)


@app.command()
def terminate(worker: WorkerId, as_json: AsJson = False) -> None:
    """Terminate a worker: its session ends, and other workers get its tasks. If its process is alive, it registers
    again."""
    with_tenuto(lambda tenuto: tenuto.terminate_worker(worker))
    show({"worker_id": worker, "status": "terminated"}, f"terminated {worker}", as_json=as_json)
