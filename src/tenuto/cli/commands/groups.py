"""`tenuto groups`: resource groups, shares of an org's capacity."""

from typing import Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, Org, change, look, new
from tenuto.cli.commands.runs import Limit
from tenuto.cli.output import AsJson, show, show_list

app = typer.Typer(help="Resource groups: list, set.", no_args_is_help=True)

COLUMNS = ("external_id", "weight", "quota", "created_at", "id")


@app.command("list")
def list_(
    after: Annotated[
        str | None, typer.Option(help="Start after this group: the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the resource groups with their weights and quotas."""
    from tenuto.db import identity

    groups = look(
        lambda context: context.pool.call(identity.list_groups, org_id=context.org_id, after=after, limit=limit),
        org=org,
    )
    show_list("groups", groups, COLUMNS, as_json=as_json)


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
    from tenuto.db import identity

    async def work(transaction: AuditedTransaction) -> UUID:
        id = await identity.set_resource_group(
            transaction.conn, org_id=transaction.org_id, external_id=group, weight=weight, quota=quota
        )
        await transaction.note("group", group, "set", new(weight=weight, quota=quota))
        return id

    show({"id": change(work, org=org), "external_id": group}, f"set group {group}", as_json=as_json)
