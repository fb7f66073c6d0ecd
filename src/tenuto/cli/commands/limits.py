"""`tenuto limits`: shows how many tasks use each limit and wait for it, and sets the sizes of limits."""

from typing import Annotated, Literal, get_args

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.session import with_tenuto

app = typer.Typer(help="Limits of concurrency and rate: list, show, set, reset.", no_args_is_help=True)

COLUMNS = ("scope", "key", "size", "seconds", "used", "waiting", "declared", "overridden", "idle_since")

Scope = Literal["key", "queue", "rate"]
ConcurrencyScope = Annotated[
    Literal["key", "queue"], typer.Argument(help="The scope of the limit.", show_default=False)
]
Key = Annotated[str, typer.Argument(help="The key of the limit; job:JOB_KEY for a job.", show_default=False)]


@app.command("list")
def list_(
    scope: Annotated[Scope | None, typer.Option(help="Only limits of this scope.")] = None,
    after: Annotated[
        str | None, typer.Option(help="Continue after this limit, scope:key, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the limits. For each limit, count the tasks that use it and the tasks that wait for it, up to 10,000
    each."""
    after_scope, colon, _ = (after or "").partition(":")
    if after and not (colon and after_scope in get_args(Scope)):
        raise UsageError(f"{after!r} is not scope:key; write the scope and key of the last limit of the previous page")
    items = with_tenuto(lambda tenuto: tenuto.list_limits(scope=scope, after=after or None, limit=limit))
    show_list("limits", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(
    scope: Annotated[Scope, typer.Argument(help="The scope of the limit.", show_default=False)],
    key: Annotated[str, typer.Argument(help="The key of the limit.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Show one limit."""
    row = with_tenuto(lambda tenuto: tenuto.get_limit(scope, key))
    show(row, fields(row), as_json=as_json)


@app.command("set")
def set_(
    scope: ConcurrencyScope,
    key: Key,
    size: Annotated[
        int, typer.Argument(help="How many tasks may run at a time.", min=1, max=1_000_000, show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Override the size of a limit until it is reset. Until then, workers, deploys and starts do not change the
    size."""
    with_tenuto(lambda tenuto: tenuto.set_limit(scope, key, size))
    show({"scope": scope, "key": key, "size": size}, f"set {scope} {key} to {size}", as_json=as_json)


@app.command()
def reset(scope: ConcurrencyScope, key: Key, as_json: AsJson = False) -> None:
    """Remove the override of a limit. Its size is then the size that workers declare, or else the size that the next
    start declares."""
    with_tenuto(lambda tenuto: tenuto.reset_limit(scope, key))
    show({"scope": scope, "key": key, "reset": True}, f"reset {scope} {key}", as_json=as_json)
