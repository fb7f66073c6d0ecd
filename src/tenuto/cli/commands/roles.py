"""`tenuto roles`: roles that an org defines, and their members."""

from typing import Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, Org, change, look
from tenuto.cli.commands.runs import Limit
from tenuto.cli.commands.users import UserId
from tenuto.cli.output import AsJson, show, show_list
from tenuto.cli.session import read_id, read_optional_id

app = typer.Typer(help="Roles of an org: create, list, members, add, remove, delete.", no_args_is_help=True)

COLUMNS = ("name", "display_name", "members", "description", "created_at")
MEMBERS = ("user_id", "email", "name", "since")

RoleName = Annotated[str, typer.Argument(metavar="ROLE", help="The role's name.", show_default=False)]


@app.command("list")
def list_(
    after: Annotated[
        str | None, typer.Option(help="Continue after this name, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the roles and how many users have each."""
    from tenuto.db import identity

    roles = look(
        lambda context: context.pool.call(identity.list_roles, org_id=context.org_id, after=after, limit=limit), org=org
    )
    show_list("roles", roles, COLUMNS, as_json=as_json)


@app.command()
def create(
    role: RoleName,
    description: Annotated[str | None, typer.Option(help="Description of the role.")] = None,
    display_name: Annotated[str | None, typer.Option(help="Name to display; the role's name by default.")] = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Create a role that users can have and datasets can refer to."""
    from tenuto.db import identity

    async def work(transaction: AuditedTransaction) -> UUID:
        return await identity.create_role(
            transaction.conn,
            org_id=transaction.org_id,
            name=role,
            description=description,
            display_name=display_name,
        )

    show({"id": change(work, org=org), "name": role}, f"created role {role}", as_json=as_json)


@app.command()
def delete(role: RoleName, org: Org = None, as_json: AsJson = False) -> None:
    """Delete a role and remove it from the users who have it."""
    from tenuto.db import identity

    async def work(transaction: AuditedTransaction) -> None:
        await identity.delete_role(transaction.conn, org_id=transaction.org_id, name=role)

    change(work, org=org)
    show({"name": role, "deleted": True}, f"deleted role {role}", as_json=as_json)


@app.command()
def members(
    role: RoleName,
    after: Annotated[
        str | None, typer.Option(help="Continue after this user, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the users who have a role."""
    from tenuto.db import identity

    after_id = read_optional_id(after, "user")
    members = look(
        lambda context: context.pool.call(
            identity.list_members, org_id=context.org_id, role=role, after=after_id, limit=limit
        ),
        org=org,
    )
    show_list("members", members, MEMBERS, as_json=as_json)


@app.command()
def add(role: RoleName, user: UserId, org: Org = None, as_json: AsJson = False) -> None:
    """Give a user a role. Does nothing if the user has it."""
    from tenuto.db import identity

    id = read_id(user, "user")

    async def work(transaction: AuditedTransaction) -> None:
        await identity.add_member(transaction.conn, org_id=transaction.org_id, role=role, user_id=id)

    change(work, org=org)
    show({"name": role, "user_id": id}, f"user {id} has role {role}", as_json=as_json)


@app.command()
def remove(role: RoleName, user: UserId, org: Org = None, as_json: AsJson = False) -> None:
    """Remove a role from a user."""
    from tenuto.db import identity

    id = read_id(user, "user")

    async def work(transaction: AuditedTransaction) -> None:
        await identity.remove_member(transaction.conn, org_id=transaction.org_id, role=role, user_id=id)

    change(work, org=org)
    show({"name": role, "user_id": id, "removed": True}, f"user {id} no longer has role {role}", as_json=as_json)
