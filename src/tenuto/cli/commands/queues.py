"""`tenuto queues`: lists, pauses, resumes and purges queues."""

from typing import Annotated

import typer

from tenuto.cli import bulk
from tenuto.cli.output import AsJson, show, show_list
from tenuto.cli.session import with_tenuto

app = typer.Typer(help="Queues: list, pause, resume, purge.", no_args_is_help=True)

COLUMNS = ("name", "ready", "running", "delayed", "waiting", "oldest_ready_seconds", "paused_at")

Queue = Annotated[str, typer.Argument(help="The queue's name.", show_default=False)]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the queues and the number of tasks in each."""
    queues = with_tenuto(lambda tenuto: tenuto.list_queues())
    show_list("queues", queues, COLUMNS, as_json=as_json)


@app.command()
def pause(
    queue: Queue,
    new: Annotated[bool, typer.Option("--new", help="The queue may be one that no task or worker has named yet.")] = (
        False
    ),
    as_json: AsJson = False,
) -> None:
    """Pause a queue: workers claim no tasks from it until it is resumed. Running tasks continue."""
    with_tenuto(lambda tenuto: tenuto.pause_queue(queue, new=new))
    show({"queue": queue, "paused": True}, f"paused {queue}", as_json=as_json)


@app.command()
def resume(queue: Queue, as_json: AsJson = False) -> None:
    """Resume a paused queue."""
    with_tenuto(lambda tenuto: tenuto.resume_queue(queue))
    show({"queue": queue, "paused": False}, f"resumed {queue}", as_json=as_json)


@app.command()
def purge(
    queue: Queue,
    reason: Annotated[str | None, typer.Option(help="Reason, stored with the tasks.")] = None,
    dry_run: bulk.DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Cancel the tasks of a queue that wait to start or to be retried. Tasks that run, or wait for a time, a signal or
    children, continue."""
    bulk.purge_queue(queue, reason=reason, dry_run=dry_run, as_json=as_json)
