"""`tenuto orgs`: orgs (tenants), their names and settings."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, change, look, new, operator
from tenuto.cli.commands.runs import Limit
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.model.json import JsonObject

if TYPE_CHECKING:
    from tenuto.cli.session import CommandContext
    from tenuto.db.connection.call import Conn
    from tenuto.model.identity import Org as Tenant

app = typer.Typer(help="Orgs: create, list, show, set.", no_args_is_help=True)

COLUMNS = ("slug", "name", "settings", "created_at", "id")

Slug = Annotated[
    str, typer.Argument(metavar="ORG", help="Slug (short name) of the org, as in TENUTO_ORG.", show_default=False)
]
FullName = Annotated[str | None, typer.Option("--name", help="Display name of the org.", show_default=False)]
Retention = Annotated[
    int | None, typer.Option(min=1, max=3650, help="Number of days that ended runs are kept.", show_default=False)
]


@app.command("list")
def list_(
    after: Annotated[str | None, typer.Option(help="Start after this org: the last one of the previous page.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List all orgs by slug."""
    from tenuto.db import identity

    orgs = look(lambda context: context.pool.call(identity.list_orgs, after=after, limit=limit), org="default")
    show_list("orgs", orgs, COLUMNS, as_json=as_json)


@app.command()
def create(org: Slug, name: FullName = None, retention_days: Retention = None, as_json: AsJson = False) -> None:
    """Create an org, with its own users, keys and runs."""
    from tenuto.db import identity

    settings: JsonObject | None = {"retention_days": retention_days} if retention_days else None

    async def work(context: "CommandContext") -> UUID:
        async with context.pool.connection() as conn, conn.transaction():
            id = await identity.create_org(conn, slug=org, name=name, settings=settings)
            await AuditedTransaction(conn, id, operator()).note("org", org, "create", new(name=name, settings=settings))
            return id

    id = look(work, org="default")
    show({"id": id, "slug": org}, f"created org {org} with id {id}", as_json=as_json)


@app.command("show")
def show_(org: Slug, as_json: AsJson = False) -> None:
    """Show one org."""

    async def find(context: "CommandContext") -> "Tenant":
        async with context.pool.connection() as conn:
            return await _find(conn, context.org_id)

    row = look(find, org=org)
    show(row, fields(row), as_json=as_json)


@app.command("set")
def set_(org: Slug, name: FullName = None, retention_days: Retention = None, as_json: AsJson = False) -> None:
    """Change the name or settings of an org. Options you leave out keep their values."""
    from tenuto.db import identity
    from tenuto.model.audit import diff

    if name is None and retention_days is None:
        raise UsageError("nothing to change; write --name or --retention-days")

    async def work(transaction: AuditedTransaction) -> None:
        old = await _find(transaction.conn, transaction.org_id)
        settings = {**old.settings, "retention_days": retention_days} if retention_days else old.settings
        await identity.update_org(transaction.conn, org_id=transaction.org_id, name=name, settings=settings)
        before: JsonObject = {"name": old.name, "settings": old.settings}
        await transaction.note("org", org, "set", diff(before, {"name": name or old.name, "settings": settings}))

    change(work, org=org)
    show({"slug": org, "name": name, "retention_days": retention_days}, f"set org {org}", as_json=as_json)


async def _find(conn: "Conn", org_id: UUID) -> "Tenant":
    from tenuto.db import identity
    from tenuto.model.errors import NotFound

    after = None
    while page := await identity.list_orgs(conn, after=after, limit=200):
        for row in page:
            if row.id == org_id:
                return row
        after = page[-1].slug
    raise NotFound(f"no org {org_id}", "`tenuto orgs list` shows the orgs")
