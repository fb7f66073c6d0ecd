"""The `tenuto` command. Subcommands import what they need when they run, so that --help is fast."""

import sys
from typing import NoReturn

import typer
from typer.exceptions import Abort, TyperException

from tenuto.cli.commands import (
    audit,
    bench,
    bundle,
    db,
    dispatcher,
    doctor,
    groups,
    keys,
    orgs,
    outbox,
    queues,
    roles,
    runs,
    schedules,
    server,
    signal,
    start,
    tasks,
    top,
    up,
    users,
    why,
    worker,
    worker_keys,
    workers,
)
from tenuto.cli.exit_codes import DONE, FAILED, PROBLEMS, WRONG_USE, exit_code
from tenuto.cli.output import say
from tenuto.model.text import indented

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

PROCESSES, WORK, CARE, WHO = "Processes", "Work", "Operations", "Access"
app.command(rich_help_panel=PROCESSES)(up.up)
app.command(rich_help_panel=PROCESSES)(worker.worker)
app.command(rich_help_panel=PROCESSES)(dispatcher.dispatcher)
app.command(rich_help_panel=PROCESSES)(server.server)
app.command(rich_help_panel=WORK)(start.start)
app.add_typer(runs.app, name="runs", rich_help_panel=WORK)
app.add_typer(tasks.app, name="tasks", rich_help_panel=WORK)
app.command(rich_help_panel=WORK)(signal.signal)
app.command(rich_help_panel=WORK)(why.why)
app.add_typer(schedules.app, name="schedules", rich_help_panel=WORK)
app.add_typer(queues.app, name="queues", rich_help_panel=WORK)
app.add_typer(bundle.app, name="bundle", rich_help_panel=WORK)
app.command(rich_help_panel=CARE)(top.top)
app.command(rich_help_panel=CARE)(doctor.doctor)
app.add_typer(workers.app, name="workers", rich_help_panel=CARE)
app.add_typer(outbox.app, name="outbox", rich_help_panel=CARE)
app.add_typer(db.app, name="db", rich_help_panel=CARE)
app.command(rich_help_panel=CARE)(bench.bench)
app.add_typer(keys.app, name="keys", rich_help_panel=WHO)
app.add_typer(worker_keys.app, name="worker-keys", rich_help_panel=WHO)
app.add_typer(users.app, name="users", rich_help_panel=WHO)
app.add_typer(roles.app, name="roles", rich_help_panel=WHO)
app.add_typer(orgs.app, name="orgs", rich_help_panel=WHO)
app.add_typer(groups.app, name="groups", rich_help_panel=WHO)
app.add_typer(audit.app, name="audit", rich_help_panel=WHO)


@app.callback(invoke_without_command=True)
def root(show_version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    """An orchestrator that is just Postgres."""
    if show_version:
        from importlib.metadata import version

        typer.echo(f"tenuto {version('tenuto')}")
        raise typer.Exit


def run() -> NoReturn:
    """Run a command; print an expected problem as one line, without a traceback."""
    try:
        code = app(standalone_mode=False)
    except PROBLEMS as problem:
        leave(str(problem), exit_code(problem))
    except TyperException as wrong:
        leave(usage_message(wrong), WRONG_USE)
    except Abort:
        leave("stopped", FAILED)
    sys.exit(code if isinstance(code, int) else DONE)


def usage_message(wrong: TyperException) -> str:
    """Describe the usage error; for an option of `list` passed to its group, say where it belongs."""
    message, option, ctx = wrong.format_message(), getattr(wrong, "option_name", None), getattr(wrong, "ctx", None)
    listing = getattr(getattr(ctx, "command", None), "commands", {}).get("list")
    if ctx is not None and listing is not None and any(option in parameter.opts for parameter in listing.params):
        return f"{message}; write `{ctx.command_path} list {option}`"
    return message


def leave(message: str, code: int) -> NoReturn:
    """Print the message and exit with the code."""
    if message:
        say(f"tenuto: {indented(message)}", err=True)
    sys.exit(code)
