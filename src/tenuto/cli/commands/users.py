"""`tenuto users`: users of an org and their platform roles."""

from functools import partial
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, Org, change
from tenuto.cli.list_options import Before, Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.people_changes import find_user, with_people, with_user
from tenuto.cli.session import read_optional_id

if TYPE_CHECKING:
    from datetime import timedelta


app = typer.Typer(help="Users: add, list, show, role, link, disable, enable.", no_args_is_help=True)

COLUMNS = ("id", "platform_role", "email", "name", "issuer", "subject", "roles", "disabled_at")

UserId = Annotated[
    str, typer.Argument(metavar="USER", help="Name, email address, subject or id of the user.", show_default=False)
]
Role = Annotated[str, typer.Argument(metavar="ROLE", help="reader, writer or admin.", show_default=False)]


@app.command()
def add(
    issuer: Annotated[str, typer.Option(help="OIDC issuer of the user's tokens (`iss`).", show_default=False)],
    subject: Annotated[str, typer.Option(help="Subject of the user's tokens (`sub`).", show_default=False)],
    role: Annotated[str, typer.Option(help="reader, writer or admin.")] = "reader",
    email: Annotated[str | None, typer.Option(help="Email address, shown in lists.")] = None,
    name: Annotated[str | None, typer.Option(help="Name, shown in lists.")] = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Add a user of an OIDC issuer, or update the user if it exists."""
    from tenuto.sdk.operations.people import NewUser

    user = NewUser(issuer=issuer, subject=subject, platform_role=role, email=email, name=name)
    id = with_people(lambda people: people.put_user(user), org=org)
    show({"id": id}, f"user {id} is {role}", as_json=as_json)


@app.command("list")
def list_(before: Before = None, limit: Limit = 50, org: Org = None, as_json: AsJson = False) -> None:
    """List users, newest first."""
    before_id = read_optional_id(before, "user")
    items = with_people(lambda people: people.list_users(before=before_id, limit=limit), org=org)
    show_list("users", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(user: UserId, org: Org = None, as_json: AsJson = False) -> None:
    """Show one user."""
    _, row = with_user(user, lambda people, id: people.get_user(id), org=org)
    show(row, fields(row), as_json=as_json)


@app.command()
def role(user: UserId, role: Role, org: Org = None, as_json: AsJson = False) -> None:
    """Set the platform role: a reader can read, a writer can also start and stop runs, an admin can do everything in
    the org."""
    id, _ = with_user(user, lambda people, id: people.set_user_role(id, role), org=org)
    show({"id": id, "platform_role": role}, f"user {id} is {role}", as_json=as_json)


@app.command()
def disable(user: UserId, org: Org = None, as_json: AsJson = False) -> None:
    """Disable a user and end the user's logins."""
    id, _ = with_user(user, lambda people, id: people.disable_user(id), org=org)
    show({"id": id, "disabled": True}, f"disabled user {id}", as_json=as_json)


@app.command()
def enable(user: UserId, org: Org = None, as_json: AsJson = False) -> None:
    """Enable a disabled user."""
    id, _ = with_user(user, lambda people, id: people.enable_user(id), org=org)
    show({"id": id, "disabled": False}, f"enabled user {id}", as_json=as_json)


@app.command()
def link(
    user: UserId,
    url: Annotated[str, typer.Option(help="URL of the server, as browsers reach it.")] = "http://127.0.0.1:8080",
    lasts: Annotated[str, typer.Option(help="How long the link is valid: 10m, at most 1d.")] = "10m",
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Create a link that logs a user in once. Anyone who has the link can use it."""
    from datetime import timedelta

    from tenuto.db import identity
    from tenuto.model.durations import seconds
    from tenuto.model.keys import make_token

    token, span = make_token(), timedelta(seconds=seconds(lasts, "--lasts"))

    async def work(transaction: AuditedTransaction) -> None:
        list_users = partial(identity.list_users, transaction.conn, org_id=transaction.org_id)
        await link_for(transaction, await find_user(list_users, user), token, span)

    change(work, org=org)
    address = f"{url.rstrip('/')}/auth/link?token={token}"
    show({"link": address}, address, as_json=as_json)


async def link_for(transaction: AuditedTransaction, user_id: UUID, token: str, lasts: "timedelta") -> None:
    """Store the token, with which the user can log in once."""
    from tenuto.db import logins
    from tenuto.model.keys import token_hash

    await logins.make_login_token(
        transaction.conn, org_id=transaction.org_id, user_id=user_id, hash=token_hash(token), lasts=lasts
    )
