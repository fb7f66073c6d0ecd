"""`tenuto schedules`: lists, pauses, resumes and deletes schedules."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.audited import WORKERS, AuditedTransaction, audited_call, change
from tenuto.cli.commands.runs import Limit
from tenuto.cli.output import AsJson, cell, show, show_list
from tenuto.cli.session import with_database

if TYPE_CHECKING:
    pass

app = typer.Typer(help="Schedules: list, pause, resume, delete.", no_args_is_help=True)

COLUMNS = ("name", "cron", "timezone", "catch_up", "next_at", "last_at", "paused_at")

Name = Annotated[str, typer.Argument(help="Name of the schedule.", show_default=False)]


@app.command("list")
def list_(
    after: Annotated[str | None, typer.Option(help="Start after this name: the last one of the previous page.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the schedules and the next time of each, in UTC."""
    from tenuto.db import reactions

    schedules = with_database(
        lambda context: context.pool.call(reactions.list_schedules, org_id=context.org_id, after=after, limit=limit)
    )
    show_list("schedules", schedules, COLUMNS, as_json=as_json)


@app.command()
def pause(name: Name, as_json: AsJson = False) -> None:
    """Pause a schedule: it starts nothing until it is resumed."""
    from tenuto.db import reactions

    audited_call(
        ("schedule", name),
        "pause",
        lambda transaction: reactions.pause_schedule(transaction.conn, org_id=transaction.org_id, name=name),
    )
    show({"name": name, "paused": True}, f"paused {name}", as_json=as_json)


@app.command()
def resume(name: Name, as_json: AsJson = False) -> None:
    """Resume a schedule. Times that passed during the pause are skipped."""
    next_at = change(lambda transaction: _resume(transaction, name), role=WORKERS)
    show({"name": name, "paused": False, "next_at": next_at}, f"resumed {name}, next {cell(next_at)}", as_json=as_json)


@app.command()
def delete(name: Name, as_json: AsJson = False) -> None:
    """Delete a schedule that its app no longer has. An app that still has it creates it again when a worker starts."""
    from tenuto.db import reactions

    audited_call(
        ("schedule", name),
        "delete",
        lambda transaction: reactions.delete_schedule(transaction.conn, org_id=transaction.org_id, name=name),
    )
    show({"name": name, "deleted": True}, f"deleted {name}", as_json=as_json)


async def _resume(transaction: AuditedTransaction, name: str) -> datetime:
    from tenuto.db import schedules

    next_at = await schedules.resume(transaction.conn, org_id=transaction.org_id, name=name)
    await transaction.note("schedule", name, "resume")
    return next_at
