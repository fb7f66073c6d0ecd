"""The `tenuto` command. Only the module of the command that runs is imported, so that each command starts quickly."""

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, NoReturn

import typer
from typer.exceptions import Abort, TyperException

from tenuto.cli.database import SERVER_URL, read_settings
from tenuto.cli.exit_codes import DONE, FAILED, PROBLEMS, WRONG_USE, exit_code
from tenuto.cli.help import PlainGroup, use_plain_help
from tenuto.cli.output import say
from tenuto.model.errors import NotFound
from tenuto.model.text import indented

# For every command and group: its heading in the help text, its module in `cli/commands`, and its name in the module.
COMMANDS = {
    "demo": ("Processes", "demo", "demo"),
    "up": ("Processes", "up", "up"),
    "worker": ("Processes", "worker", "worker"),
    "dispatcher": ("Processes", "dispatcher", "dispatcher"),
    "server": ("Processes", "server", "server"),
    "start": ("Work", "start", "start"),
    "runs": ("Work", "runs", "app"),
    "tasks": ("Work", "tasks", "app"),
    "signal": ("Work", "signal", "signal"),
    "why": ("Work", "why", "why"),
    "schedules": ("Work", "schedules", "app"),
    "queues": ("Work", "queues", "app"),
    "types": ("Work", "types", "app"),
    "limits": ("Work", "limits", "app"),
    "objects": ("Work", "objects", "app"),
    "bundle": ("Work", "bundle", "app"),
    "validate": ("Data", "validate", "validate"),
    "schema": ("Data", "validate", "schema"),
    "dags": ("Data", "dag_lists", "app"),
    "plan": ("Data", "dags", "plan"),
    "deploy": ("Data", "dags", "deploy"),
    "versions": ("Data", "dags", "versions"),
    "diff": ("Data", "dags", "diff"),
    "cutover": ("Data", "dags", "cutover"),
    "rollback": ("Data", "dags", "rollback"),
    "jobs": ("Data", "jobs", "app"),
    "datasets": ("Data", "datasets", "app"),
    "query": ("Data", "query", "query"),
    "events": ("Data", "events", "app"),
    "backfill": ("Data", "backfill", "app"),
    "invalidate": ("Data", "invalidate", "invalidate"),
    "invalidations": ("Data", "invalidate", "app"),
    "reconcile": ("Data", "reconcile", "reconcile"),
    "status": ("Operations", "status", "status"),
    "top": ("Operations", "top", "top"),
    "doctor": ("Operations", "doctor", "doctor"),
    "workers": ("Operations", "workers", "app"),
    "pools": ("Operations", "pools", "app"),
    "dispatchers": ("Operations", "dispatchers", "app"),
    "outbox": ("Operations", "outbox", "app"),
    "destinations": ("Operations", "destinations", "app"),
    "alerts": ("Operations", "alerts", "app"),
    "db": ("Operations", "db", "app"),
    "bench": ("Operations", "bench", "bench"),
    "keys": ("Access", "keys", "app"),
    "worker-keys": ("Access", "worker_keys", "app"),
    "users": ("Access", "users", "app"),
    "roles": ("Access", "roles", "app"),
    "orgs": ("Access", "orgs", "app"),
    "groups": ("Access", "groups", "app"),
    "audit": ("Access", "audit", "app"),
}


def build_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the program with these commands."""
    app = typer.Typer(cls=PlainGroup, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    app.callback(invoke_without_command=True)(root)
    for name in names:
        panel, module, attribute = COMMANDS[name]
        command = getattr(import_module(f"tenuto.cli.commands.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(command)
    use_plain_help(app)
    return app


def root(
    url: Annotated[
        str | None,
        typer.Option(
            help="Server to use, with the key in TENUTO_API_KEY, instead of TENUTO_DATABASE_URL and TENUTO_URL.",
            show_default=False,
        ),
    ] = None,
    show_version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    """An orchestrator that is just Postgres."""
    if url is not None:
        SERVER_URL.set(url)
    if show_version:
        from importlib.metadata import version

        typer.echo(f"tenuto {version('tenuto')}")
        raise typer.Exit


def run() -> NoReturn:
    """Run a command; print an expected problem as one line, without a traceback."""
    named = sys.argv[1:2]
    app = build_app(named if set(named) & COMMANDS.keys() else COMMANDS)
    try:
        code = app(standalone_mode=False)
    except NotFound as missing:
        from tenuto.sdk.other_projects import describe_others

        others = describe_others(read_settings())  # it may be in the database of another project
        leave(f"{missing}; {others}" if others else str(missing), exit_code(missing))
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
