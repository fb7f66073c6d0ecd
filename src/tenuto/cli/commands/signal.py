"""`tenuto signal`: sends a signal to a run."""

from typing import Annotated

import typer

from tenuto.cli.arguments import read_value
from tenuto.cli.output import AsJson, show
from tenuto.cli.session import RunId, read_id, with_tenuto


def signal(
    run: RunId,
    name: Annotated[str, typer.Argument(help="Name of the signal.", show_default=False)],
    value: Annotated[str, typer.Argument(help="Value of the signal: JSON, or plain text.")] = "null",
    as_json: AsJson = False,
) -> None:
    """Send a signal to a run. A task that waits for it continues."""
    run_id = read_id(run, "run")
    sent = read_value(value)
    signal_id = with_tenuto(lambda tenuto: tenuto.send_signal(run_id, name, sent))
    show(
        {"id": signal_id, "run_id": run_id, "name": name, "value": sent},
        f"sent {name} to run {run_id}",
        as_json=as_json,
    )
