"""`tenuto destinations`: where side effects are delivered."""

from typing import Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import AuditedTransaction, Org, change, look
from tenuto.cli.commands.keys import ONCE
from tenuto.cli.commands.runs import Limit
from tenuto.cli.output import AsJson, show, show_list

app = typer.Typer(help="Where side effects are delivered: set, list, rotate, delete.", no_args_is_help=True)

COLUMNS = ("name", "url", "created_at", "updated_at")

Name = Annotated[str, typer.Argument(help="Name that effects use.", show_default=False)]


@app.command("set")
def set_(
    name: Name,
    url: Annotated[str, typer.Argument(help="URL that receives a POST per effect.", show_default=False)],
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Declare a destination and print the secret that signs its deliveries. It cannot be shown again.

    A destination that exists gets the new URL and keeps its secret.
    """
    from tenuto.model.deliveries import check_destination_url

    check_destination_url(url)

    async def work(transaction: AuditedTransaction) -> str | None:
        from tenuto.db import outbox

        secret, stored = _new_secret(transaction.org_id, name)
        is_new = await outbox.put_destination(
            transaction.conn, org_id=transaction.org_id, name=name, url=url, secret=stored
        )
        return secret if is_new else None

    secret = change(work, org=org)
    text = f"{secret}\nSecret of destination {name}: {ONCE}." if secret else f"set destination {name}"
    show({"name": name, "url": url, "secret": secret}, text, as_json=as_json)


@app.command("list")
def list_(
    after: Annotated[str | None, typer.Option(help="Continue after this name.", show_default=False)] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List destinations by name, without their secrets."""
    from tenuto.db import outbox

    items = look(
        lambda context: context.pool.call(outbox.list_destinations, org_id=context.org_id, after=after, limit=limit),
        org=org,
    )
    show_list("destinations", items, COLUMNS, as_json=as_json)


@app.command()
def rotate(name: Name, org: Org = None, as_json: AsJson = False) -> None:
    """Replace the secret of a destination and print the new one. The next delivery is signed with it."""

    async def work(transaction: AuditedTransaction) -> str:
        from tenuto.db import outbox

        secret, stored = _new_secret(transaction.org_id, name)
        await outbox.rotate_destination(transaction.conn, org_id=transaction.org_id, name=name, secret=stored)
        return secret

    secret = change(work, org=org)
    show({"name": name, "secret": secret}, f"{secret}\nSecret of destination {name}: {ONCE}.", as_json=as_json)


@app.command()
def delete(name: Name, org: Org = None, as_json: AsJson = False) -> None:
    """Delete a destination. Its effects that are not delivered yet fail until it is set again."""

    async def work(transaction: AuditedTransaction) -> None:
        from tenuto.db import outbox

        await outbox.delete_destination(transaction.conn, org_id=transaction.org_id, name=name)

    change(work, org=org)
    show({"name": name, "deleted": True}, f"deleted destination {name}", as_json=as_json)


def _new_secret(org_id: UUID, name: str) -> tuple[str, bytes]:
    """Return a new secret, and the form in which it is stored."""
    from tenuto.cli.database import read_settings
    from tenuto.cli.pepper import find_peppers
    from tenuto.model.deliveries import encrypt_secret, make_secret

    secret = make_secret()
    return secret, encrypt_secret(secret, org_id, name, find_peppers(read_settings()))
