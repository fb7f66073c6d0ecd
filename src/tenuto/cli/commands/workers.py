"""`tenuto workers`: lists, drains and terminates workers."""

from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.audited import audited_call
from tenuto.cli.commands.runs import Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.session import CommandContext, with_database

if TYPE_CHECKING:
    from tenuto.model.monitoring import WorkerStatus

app = typer.Typer(help="Workers: list, show, drain, terminate.", no_args_is_help=True)

COLUMNS = ("id", "status", "running", "labels", "address", "last_heartbeat")

WorkerId = Annotated[str, typer.Argument(metavar="WORKER", help="The worker's id.", show_default=False)]


@app.command("list")
def list_(
    status: Annotated[str | None, typer.Option(help="Only those with this status.")] = None,
    after: Annotated[str | None, typer.Option(help="Start after this id: the last one of the previous page.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the workers and how many tasks each runs."""
    from tenuto.db import monitoring

    workers = with_database(
        lambda context: context.pool.call(
            monitoring.list_workers, org_id=context.org_id, status=status, after=after, limit=limit
        )
    )
    show_list("workers", workers, COLUMNS, as_json=as_json)


@app.command("show")
def show_(worker: WorkerId, as_json: AsJson = False) -> None:
    """Show one worker."""
    row = with_database(lambda context: _find(context, worker))
    show(row, fields(row), as_json=as_json)


async def _find(context: CommandContext, worker_id: str) -> "WorkerStatus":
    from tenuto.db import monitoring
    from tenuto.model.errors import NotFound

    for status in (None, "terminated"):  # terminated workers are only listed by status
        after = None
        while page := await context.pool.call(
            monitoring.list_workers, org_id=context.org_id, status=status, after=after, limit=200
        ):
            for worker in page:
                if worker.id == worker_id:
                    return worker
            after = page[-1].id
    raise NotFound(f"no worker {worker_id}", "`tenuto workers list` shows the workers")


@app.command()
def drain(
    worker: WorkerId,
    reason: Annotated[str | None, typer.Option(help="Reason, stored with the worker.")] = None,
    as_json: AsJson = False,
) -> None:
    """Drain a worker: it finishes its tasks and claims no more."""
    from tenuto.db import workers

    audited_call(
        ("worker", worker),
        "drain",
        lambda transaction: workers.drain_worker(
            transaction.conn, org_id=transaction.org_id, worker_id=worker, reason=reason
        ),
        reason,
    )
    show({"worker_id": worker, "status": "draining"}, f"draining {worker}", as_json=as_json)


@app.command()
def terminate(worker: WorkerId, as_json: AsJson = False) -> None:
    """Terminate a worker: its session ends, and other workers get its tasks."""
    from tenuto.db import workers

    audited_call(
        ("worker", worker),
        "terminate",
        lambda transaction: workers.terminate_worker(transaction.conn, org_id=transaction.org_id, worker_id=worker),
    )
    show({"worker_id": worker, "status": "terminated"}, f"terminated {worker}", as_json=as_json)
