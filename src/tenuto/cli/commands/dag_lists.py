"""`tenuto dags`: lists the DAGs."""

from typing import Annotated

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.runs import Limit
from tenuto.cli.dag_changes import with_dags
from tenuto.cli.output import AsJson, show_list

app = typer.Typer(help="DAGs: list.", no_args_is_help=True)

COLUMNS = ("name", "version", "newest_version", "newest_status", "updated_at")


@app.callback()
def dags() -> None:
    """DAGs: list."""


@app.command("list")
def list_(
    after: Annotated[
        str | None, typer.Option(help="Continue after this name, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the DAGs by name, each with its current and its newest version."""
    items = with_dags(lambda dags: dags.list_dags(after=after, limit=limit), org=org)
    show_list("dags", items, COLUMNS, as_json=as_json)
