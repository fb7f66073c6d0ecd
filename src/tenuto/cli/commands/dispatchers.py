"""`tenuto dispatchers`: lists the dispatcher processes."""

import typer

from tenuto.cli.output import AsJson, show_list
from tenuto.cli.session import with_tenuto

app = typer.Typer(help="Dispatchers: list.", no_args_is_help=True)

COLUMNS = ("id", "status", "address", "port", "heartbeat", "started_at")


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the dispatchers with a heartbeat in the last hour, latest heartbeat first. Those without one in the last
    minute are dead."""
    items = with_tenuto(lambda tenuto: tenuto.list_dispatchers())
    show_list("dispatchers", items, COLUMNS, as_json=as_json)


@app.callback()
def dispatchers() -> None:
    """Dispatchers: list."""
