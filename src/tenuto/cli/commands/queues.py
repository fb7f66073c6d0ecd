"""`tenuto queues`: lists, pauses and resumes queues."""

from typing import Annotated

import typer

from tenuto.cli.audited import audited_call
from tenuto.cli.output import AsJson, show, show_list
from tenuto.cli.session import with_database

app = typer.Typer(help="Queues: list, pause, resume.", no_args_is_help=True)

COLUMNS = ("name", "ready", "running", "delayed", "waiting", "oldest_ready_seconds", "paused_at")

Queue = Annotated[str, typer.Argument(help="The queue's name.", show_default=False)]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the queues and the number of tasks in each."""
    from tenuto.db import monitoring

    queues = with_database(lambda context: context.pool.call(monitoring.list_queues, org_id=context.org_id))
    show_list("queues", queues, COLUMNS, as_json=as_json)


@app.command()
def pause(queue: Queue, as_json: AsJson = False) -> None:
    """Pause a queue: its tasks are not claimed. Running tasks continue."""
    from tenuto.db import runs

    audited_call(
        ("queue", queue),
        "pause",
        lambda transaction: runs.pause_queue(transaction.conn, org_id=transaction.org_id, queue=queue),
    )
    show({"queue": queue, "paused": True}, f"paused {queue}", as_json=as_json)


@app.command()
def resume(queue: Queue, as_json: AsJson = False) -> None:
    """Resume a paused queue."""
    from tenuto.db import runs

    audited_call(
        ("queue", queue),
        "resume",
        lambda transaction: runs.resume_queue(transaction.conn, org_id=transaction.org_id, queue=queue),
    )
    show({"queue": queue, "paused": False}, f"resumed {queue}", as_json=as_json)
