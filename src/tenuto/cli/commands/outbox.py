"""`tenuto outbox`: side effects that are pending or were given up."""

from typing import Annotated, Literal

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, counted, show, show_list
from tenuto.cli.session import with_tenuto

app = typer.Typer(help="Side effects: list, replay.", no_args_is_help=True)

COLUMNS = ("id", "kind", "destination", "status", "attempts", "available_at", "last_error")

Status = Literal["pending", "processing", "done", "dead"]
Kind = Annotated[str | None, typer.Option(help="Only effects of this kind.")]


@app.command("list")
def list_(
    status: Annotated[Status | None, typer.Option(help="Only effects with this status.")] = None,
    kind: Kind = None,
    before: Annotated[
        int | None, typer.Option(help="List only what is older than this id, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List side effects, newest first. Dead effects have failed 20 times."""
    effects = with_tenuto(lambda tenuto: tenuto.list_effects(status=status, kind=kind, before=before, limit=limit))
    show_list("effects", effects, COLUMNS, as_json=as_json)


@app.command()
def replay(
    ids: Annotated[list[int] | None, typer.Argument(help="Ids of dead effects.", show_default=False)] = None,
    kind: Kind = None,
    everything: Annotated[bool, typer.Option("--all", help="All dead effects; with --kind, all of that kind.")] = False,
    as_json: AsJson = False,
) -> None:
    """Retry dead side effects, with 20 new attempts each."""
    if bool(ids) == everything:
        raise UsageError(
            "write either the ids of dead effects, or --all; `tenuto outbox list --status dead` shows the effects"
        )
    done = with_tenuto(lambda tenuto: tenuto.replay_effects(ids or None, kind))
    show({"replayed": done}, f"{counted(len(done), 'effect')} will be tried again", as_json=as_json)
