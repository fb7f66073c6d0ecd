"""`tenuto schedules`: lists, shows, changes, runs, pauses, resumes and deletes schedules."""

from typing import Annotated, Literal

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import AfterName, Limit
from tenuto.cli.output import AsJson, cell, fields, show, show_list
from tenuto.cli.session import with_tenuto

app = typer.Typer(help="Schedules: list, show, update, run, pause, resume, delete.", no_args_is_help=True)

COLUMNS = ("name", "cron", "timezone", "catch_up", "next_at", "last_at", "paused_at")

Name = Annotated[str, typer.Argument(help="Name of the schedule.", show_default=False)]


@app.command("list")
def list_(
    after: AfterName = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the schedules, each with its next start time in UTC."""
    schedules = with_tenuto(lambda tenuto: tenuto.list_schedules(after, limit))
    show_list("schedules", schedules, COLUMNS, as_json=as_json)


@app.command()
def pause(name: Name, as_json: AsJson = False) -> None:
    """Pause a schedule: it starts nothing until it is resumed."""
    with_tenuto(lambda tenuto: tenuto.pause_schedule(name))
    show({"name": name, "paused": True}, f"paused {name}", as_json=as_json)


@app.command()
def resume(name: Name, as_json: AsJson = False) -> None:
    """Resume a schedule. Start times that passed during the pause are skipped."""
    next_at = with_tenuto(lambda tenuto: tenuto.resume_schedule(name))
    show({"name": name, "paused": False, "next_at": next_at}, f"resumed {name}, next {cell(next_at)}", as_json=as_json)


@app.command("show")
def show_(name: Name, as_json: AsJson = False) -> None:
    """Show one schedule."""
    row = with_tenuto(lambda tenuto: tenuto.get_schedule(name))
    show(row, fields(row, hide=("org_id",)), as_json=as_json)


@app.command()
def update(
    name: Name,
    cron: Annotated[str | None, typer.Option(help="New cron expression.", show_default=False)] = None,
    timezone: Annotated[str | None, typer.Option(help="New timezone: Europe/Berlin.", show_default=False)] = None,
    catch_up: Annotated[
        Literal["skip", "one", "all"] | None,
        typer.Option(
            help="For missed times: skip those over a minute ago (skip), start one run (one) or one per time (all).",
            show_default=False,
        ),
    ] = None,
    jitter: Annotated[
        str | None, typer.Option(help="Start later, by a random time of up to this length: 30s.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a schedule. Its next start time changes only with --cron or --timezone. When a worker starts whose app
    declares the schedule, the declared values replace these changes."""
    from tenuto.model.cron import check_cron
    from tenuto.model.durations import seconds
    from tenuto.model.schedules import ScheduleUpdate

    jitter_seconds = None if jitter is None else seconds(jitter, "--jitter")
    changes = ScheduleUpdate(cron=cron, timezone=timezone, catch_up=catch_up, jitter_seconds=jitter_seconds)
    if changes == ScheduleUpdate():
        raise UsageError("nothing to change; write --cron, --timezone, --catch-up or --jitter")
    check_cron(cron or "* * * * *", timezone or "UTC")

    next_at = with_tenuto(lambda tenuto: tenuto.update_schedule(name, changes)).next_at
    show({"name": name, "next_at": next_at}, f"updated {name}, next {cell(next_at)}", as_json=as_json)


@app.command()
def run(name: Name, as_json: AsJson = False) -> None:
    """Start a run of a schedule now, even if it is paused. Its next start time stays the same."""
    run_id = with_tenuto(lambda tenuto: tenuto.fire_schedule(name))
    show({"name": name, "run_id": run_id}, f"fired {name}: run {run_id}", as_json=as_json)


@app.command()
def delete(name: Name, as_json: AsJson = False) -> None:
    """Delete a schedule. If an app still declares it, a worker of this app creates it again when it starts."""
    with_tenuto(lambda tenuto: tenuto.delete_schedule(name))
    show({"name": name, "deleted": True}, f"deleted {name}", as_json=as_json)
