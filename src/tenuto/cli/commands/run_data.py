"""`tenuto runs inputs` and `tenuto runs data`: show the inputs of a run, and the data that its tasks share."""

from typing import Annotated

import typer

from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.session import RunId, read_id, with_tenuto
from tenuto.model.run_data import RunDataItem

INPUT_COLUMNS = ("position", "task_id", "name", "type", "input")
DATA_COLUMNS = ("key", "value", "tags", "metadata", "updated_at", "task_id", "attempt", "id")


def list_inputs(
    run: RunId,
    after: Annotated[int, typer.Option(min=-1, help="Continue after this position.")] = -1,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of results.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List the inputs of a run by position: the inputs of its tasks that depend on no other task."""
    run_id = read_id(run, "run")
    items = with_tenuto(lambda tenuto: tenuto.list_run_inputs(run_id, after=after, limit=limit))
    show_list("inputs", items, INPUT_COLUMNS, as_json=as_json)


def show_data(
    run: RunId,
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="Only the value of this key.", show_default=False)
    ] = None,
    glob: Annotated[str | None, typer.Option(help="Only keys that match: 'score.*'.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the run data of a run: the latest value of each key, or of one key."""
    run_id = read_id(run, "run")
    if key is not None:
        item = with_tenuto(lambda tenuto: tenuto.get_run_data_by_key(run_id, key))
        show(item, fields(item, hide=("org_id",)), as_json=as_json)
        return
    from tenuto.sdk.client.http_transport import read

    rows = with_tenuto(lambda tenuto: tenuto.get_run_data(run_id, glob=glob))
    show_list("values", read(list[RunDataItem], rows), DATA_COLUMNS, as_json=as_json)
