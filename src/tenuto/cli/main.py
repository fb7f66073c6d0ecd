"""`tenuto`: the command line. Exit codes: 0 done, 1 failed work, 2 wrong use, 3 not reachable."""

import sys
from importlib.metadata import version

import typer

from tenuto.cli import db
from tenuto.db.errors import BadAddress, DatabaseProblem, NoBinaries, ServerFailed, Unreachable

DONE, FAILED, WRONG_USE, NOT_REACHABLE = range(4)

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(db.app, name="db")


@app.callback(invoke_without_command=True)
def root(show_version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    """An orchestrator that is just Postgres."""
    if show_version:
        typer.echo(f"tenuto {version('tenuto')}")
        raise typer.Exit


def main() -> None:
    """Run a command; a problem is a line for a person, not a traceback."""
    try:
        app()
    except DatabaseProblem as problem:
        typer.echo(f"tenuto: {problem}", err=True)
        sys.exit(exit_code(problem))


def exit_code(problem: DatabaseProblem) -> int:
    match problem:
        case BadAddress():
            return WRONG_USE
        case Unreachable() | NoBinaries() | ServerFailed():
            return NOT_REACHABLE
        case _:
            return FAILED
