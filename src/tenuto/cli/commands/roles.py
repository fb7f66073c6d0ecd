"""`tenuto roles`: roles that an org defines, and their members."""

from typing import Annotated

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.users import UserId
from tenuto.cli.list_options import AfterName, Limit
from tenuto.cli.output import AsJson, show, show_list
from tenuto.cli.people_changes import with_people, with_user
from tenuto.cli.session import read_optional_id

app = typer.Typer(help="Roles of an org: create, list, members, add, remove, delete.", no_args_is_help=True)

COLUMNS = ("name", "display_name", "members", "description", "created_at")
MEMBERS = ("user_id", "email", "name", "since")

RoleName = Annotated[str, typer.Argument(metavar="ROLE", help="The role's name.", show_default=False)]


@app.command("list")
def list_(
    after: AfterName = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the roles and how many users have each."""
    roles = with_people(lambda people: people.list_roles(after=after, limit=limit), org=org)
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
    id = with_people(
        lambda people: people.create_role(role, description=description, display_name=display_name), org=org
    )
    show({"id": id, "name": role}, f"created role {role}", as_json=as_json)


@app.command()
def delete(role: RoleName, org: Org = None, as_json: AsJson = False) -> None:
    """Delete a role and remove it from the users who have it."""
    with_people(lambda people: people.delete_role(role), org=org)
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
    after_id = read_optional_id(after, "user")
    members = with_people(lambda people: people.list_members(role, after=after_id, limit=limit), org=org)
    show_list("members", members, MEMBERS, as_json=as_json)


@app.command()
def add(role: RoleName, user: UserId, org: Org = None, as_json: AsJson = False) -> None:
    """Give a user a role. Does nothing if the user has it."""
    id, _ = with_user(user, lambda people, id: people.add_member(role, id), org=org)
    show({"name": role, "user_id": id}, f"user {id} has role {role}", as_json=as_json)


@app.command()
def remove(role: RoleName, user: UserId, org: Org = None, as_json: AsJson = False) -> None:
    """Remove a role from a user."""
    id, _ = with_user(user, lambda people, id: people.remove_member(role, id), org=org)
    show({"name": role, "user_id": id, "removed": True}, f"user {id} no longer has role {role}", as_json=as_json)
