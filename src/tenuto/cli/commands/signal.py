"""`tenuto signal`: sends a signal to a run."""

from typing import Annotated
from uuid import UUID

import typer

from tenuto.cli.arguments import read_value
from tenuto.cli.audited import WORKERS, AuditedTransaction, change, new
from tenuto.cli.commands.runs import RunId
from tenuto.cli.output import AsJson, show
from tenuto.cli.session import read_id


def signal(
    run: RunId,
    name: Annotated[str, typer.Argument(help="Name of the signal.", show_default=False)],
    value: Annotated[str, typer.Argument(help="Value of the signal: JSON, or plain text.")] = "null",
    as_json: AsJson = False,
) -> None:
    """Send a signal to a run. A task that waits for it continues."""
    from tenuto.db import runs

    run_id = read_id(run, "run")
    sent = read_value(value)

    async def work(transaction: AuditedTransaction) -> UUID:
        id = await runs.send_signal(transaction.conn, org_id=transaction.org_id, run_id=run_id, name=name, value=sent)
        await transaction.note("run", run_id, "signal", new(name=name))
        return id

    signal_id = change(work, role=WORKERS)
    show(
        {"id": signal_id, "run_id": run_id, "name": name, "value": sent},
        f"sent {name} to run {run_id}",
        as_json=as_json,
    )
