"""`tenuto signal`: sends a signal to a run."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.arguments import read_value
from tenuto.cli.output import AsJson, say, show
from tenuto.cli.session import RunId, read_id, with_tenuto
from tenuto.cli.task_details import awaited_text
from tenuto.model.errors import Forbidden

if TYPE_CHECKING:
    from tenuto.model.run_data import AwaitedSignal
    from tenuto.sdk.operations.base import Operations


def signal(
    run: RunId,
    name: Annotated[str, typer.Argument(help="Name of the signal.", show_default=False)],
    value: Annotated[str, typer.Argument(help="Value of the signal: JSON, or plain text.")] = "null",
    as_json: AsJson = False,
) -> None:
    """Send a signal to a run. A task that waits for it continues."""
    run_id = read_id(run, "run")
    sent = read_value(value)

    async def work(tenuto: "Operations") -> "tuple[UUID, list[AwaitedSignal] | None]":
        awaited = None
        with suppress(Forbidden):  # a key that can only write sends without the note
            awaited = await tenuto.list_awaited_signals(run_id)
        return await tenuto.send_signal(run_id, name, sent), awaited

    signal_id, awaited = with_tenuto(work)
    facts = {"id": signal_id, "run_id": run_id, "name": name, "value": sent}
    show(facts, f"sent {name} to run {run_id}", as_json=as_json)
    if awaited is not None and name not in {signal.name for signal in awaited}:
        others = awaited_text(awaited)
        what = f"the run waits for {others}; " if others else ""
        say(f"note: no task waits for the signal {name} now; {what}it is kept until a task waits for it", err=True)
