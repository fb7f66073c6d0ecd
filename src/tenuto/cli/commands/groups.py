"""`tenuto groups`: resource groups, shares of an org's capacity."""

from typing import Annotated

import typer

from tenuto.cli.audited import ROLE, Org
from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.session import with_tenuto

app = typer.Typer(help="Resource groups: list, show, set, delete.", no_args_is_help=True)

COLUMNS = ("external_id", "weight", "quota", "created_at", "id")


@app.command("list")
def list_(
    after: Annotated[
        str | None, typer.Option(help="Continue after this group, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the resource groups with their weights and quotas."""
    groups = with_tenuto(lambda tenuto: tenuto.list_groups(after=after, limit=limit), role=ROLE, org=org)
    show_list("groups", groups, COLUMNS, as_json=as_json)


@app.command("show")
def show_(
    group: Annotated[str, typer.Argument(metavar="GROUP", help="The group's name.", show_default=False)],
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Show one resource group."""
    row = with_tenuto(lambda tenuto: tenuto.get_group(group), role=ROLE, org=org)
    show(row, fields(row), as_json=as_json)


@app.command("set")
def set_(
    group: Annotated[str, typer.Argument(metavar="GROUP", help="The group's name.", show_default=False)],
    weight: Annotated[
        int, typer.Option(min=1, max=1000, help="Its share of workers, relative to the other groups.")
    ] = 1,
    quota: Annotated[
        int | None, typer.Option(min=0, help="Maximum number of its tasks that run at once.", show_default="no bound")
    ] = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Create a resource group, or change its weight and quota."""
    id = with_tenuto(lambda tenuto: tenuto.set_group(group, weight=weight, quota=quota), role=ROLE, org=org)
    show({"id": id, "external_id": group}, f"set group {group}", as_json=as_json)


@app.command()
def delete(
    group: Annotated[str, typer.Argument(metavar="GROUP", help="The group's name.", show_default=False)],
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Delete a resource group with its runs. All of these runs must have ended. Dispatchers delete them in pieces."""
    with_tenuto(lambda tenuto: tenuto.delete_group(group), role=ROLE, org=org)
    show({"external_id": group, "deleted": True}, f"deleted group {group}", as_json=as_json)
