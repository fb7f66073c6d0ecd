"""`tenuto destinations`: where side effects are delivered."""

from typing import Annotated

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.keys import ONCE
from tenuto.cli.destination_changes import with_destinations
from tenuto.cli.list_options import AfterName, Limit
from tenuto.cli.output import AsJson, show, show_list

app = typer.Typer(help="Where side effects are delivered: set, list, rotate, delete.", no_args_is_help=True)

COLUMNS = ("name", "url", "openlineage", "created_at", "updated_at")

Name = Annotated[str, typer.Argument(help="Name of the destination, which effects refer to.", show_default=False)]


@app.command("set")
def set_(
    name: Name,
    url: Annotated[
        str,
        typer.Argument(
            help="URL that receives a POST per effect, or mailto:ADDRESS, or command:NAME.", show_default=False
        ),
    ],
    openlineage: Annotated[
        bool,
        typer.Option("--openlineage", help="Deliver OpenLineage events instead of effects, to a URL or to file:NAME."),
    ] = False,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Declare a destination and print the secret that signs its deliveries. The secret cannot be shown again.

    A destination that exists gets the new URL and keeps its secret.
    """
    from tenuto.model.deliveries import check_destination_url

    check_destination_url(url, openlineage=openlineage)
    secret = with_destinations(
        lambda destinations: destinations.put_destination(name, url, openlineage=openlineage), org=org
    )
    text = f"{secret}\nSecret of destination {name}: {ONCE}." if secret else f"set destination {name}"
    show({"name": name, "url": url, "secret": secret}, text, as_json=as_json)


@app.command("list")
def list_(
    after: AfterName = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List destinations by name, without their secrets."""
    items = with_destinations(lambda destinations: destinations.list_destinations(after=after, limit=limit), org=org)
    show_list("destinations", items, COLUMNS, as_json=as_json)


@app.command()
def rotate(name: Name, org: Org = None, as_json: AsJson = False) -> None:
    """Replace the secret of a destination and print the new secret, which signs all deliveries from now on."""
    secret = with_destinations(lambda destinations: destinations.rotate_destination(name), org=org)
    show({"name": name, "secret": secret}, f"{secret}\nSecret of destination {name}: {ONCE}.", as_json=as_json)


@app.command()
def delete(name: Name, org: Org = None, as_json: AsJson = False) -> None:
    """Delete a destination. Deliveries to it fail until the destination is set again; an effect is dead after 20 failed
    attempts."""
    with_destinations(lambda destinations: destinations.delete_destination(name), org=org)
    show({"name": name, "deleted": True}, f"deleted destination {name}", as_json=as_json)
