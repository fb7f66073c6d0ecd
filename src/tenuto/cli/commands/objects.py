"""`tenuto objects`: lists data objects, and sets which runs and resource groups hold them."""

from typing import Annotated

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import Before, Limit
from tenuto.cli.output import AsJson, show, show_list
from tenuto.cli.session import read_id, read_optional_id, with_tenuto

app = typer.Typer(help="Data objects: list, reference, release.", no_args_is_help=True)

COLUMNS = (
    "id", "type", "size", "created_at", "addresses", "hard", "persisted", "reference_count", "holders", "collect_at"
)  # fmt: skip

ObjectId = Annotated[str, typer.Argument(metavar="OBJECT", help="Id of the data object.", show_default=False)]
Run = Annotated[str | None, typer.Option(help="Id of the run that references the object.")]
Group = Annotated[str | None, typer.Option(help="Name of the resource group that references the object.")]


@app.command("list")
def list_(
    held_by: Annotated[
        str | None, typer.Option(help="Only objects that the run, task or group with this id holds.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Only objects that the resource group with this name holds.")
    ] = None,
    before: Before = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List data objects, newest first. From `collect_at` on, an object that nothing holds may be deleted."""
    holder, before_id = read_optional_id(held_by, "run"), read_optional_id(before, "object")
    items = with_tenuto(lambda tenuto: tenuto.list_objects(held_by=holder, group=group, before=before_id, limit=limit))
    show_list("objects", items, COLUMNS, as_json=as_json)


@app.command()
def reference(object: ObjectId, run: Run = None, group: Group = None, as_json: AsJson = False) -> None:
    """Make a run or a resource group hold a data object. The object is kept until its holder is deleted or releases
    it."""
    id, run_id = read_id(object, "object"), read_optional_id(run, "run")
    _check(run, group)
    with_tenuto(lambda tenuto: tenuto.reference_object(id, run_id=run_id, group=group))
    show({"id": id, "held": True}, f"object {id} is held by {run or group}", as_json=as_json)


@app.command()
def release(object: ObjectId, run: Run = None, group: Group = None, as_json: AsJson = False) -> None:
    """Release the reference of a run or a resource group to a data object."""
    id, run_id = read_id(object, "object"), read_optional_id(run, "run")
    _check(run, group)
    released = with_tenuto(lambda tenuto: tenuto.release_object(id, run_id=run_id, group=group))
    text = f"released object {id}" if released else f"object {id} is not held by {run or group}"
    show({"id": id, "released": released}, text, as_json=as_json)


def _check(run: str | None, group: str | None) -> None:
    if (run is None) == (group is None):
        raise UsageError("pass either --run or --group")
