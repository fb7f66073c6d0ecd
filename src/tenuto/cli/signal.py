"""`tenuto signal`: a message for a run that waits for it."""

from typing import Annotated

import typer

from tenuto.cli.asking import ask, read_id
from tenuto.cli.output import Json, show
from tenuto.cli.runs import RunId
from tenuto.cli.values import read_value


def signal(
    run: RunId,
    name: Annotated[str, typer.Argument(help="What the run waits for.", show_default=False)],
    value: Annotated[str, typer.Argument(help="JSON, or plain text.")] = "null",
    as_json: Json = False,
) -> None:
    """Send a run a signal; a task that waits for it goes on."""
    from tenuto.db import runs

    run_id = read_id(run, "run")
    sent = {"run_id": run_id, "name": name, "value": read_value(value)}
    signal_id = ask(lambda desk: desk.pool.call(runs.send_signal, org_id=desk.org_id, **sent))
    show({"signal_id": signal_id, **sent}, f"sent {name} to run {run_id}", as_json=as_json)
