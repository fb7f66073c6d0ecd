"""`tenuto types`: the task types that workers declared, and the arguments of their tasks."""

import json
from typing import Annotated

import typer

from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.session import with_tenuto

app = typer.Typer(help="Task types: list, show.", no_args_is_help=True)

COLUMNS = ("type", "declared_by", "declared_at", "bundle")


@app.command("list")
def list_(
    after: Annotated[
        str | None, typer.Option(help="Continue after this type, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the task types that workers declared, and those of bundles."""
    items = with_tenuto(lambda tenuto: tenuto.list_types(after=after, limit=limit))
    show_list("types", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(
    type: Annotated[str, typer.Argument(metavar="TYPE", help="The type, as app.function.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Show the options that workers declared for a task type, and the JSON Schema of its arguments."""
    row = with_tenuto(lambda tenuto: tenuto.get_type(type))
    text = fields(row, hide=("input_schema",))
    if row.input_schema is not None:
        text += f"\n\n{json.dumps(row.input_schema, indent=2, ensure_ascii=False)}"
    show(row, text, as_json=as_json)
