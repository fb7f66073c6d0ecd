"""`tenuto bench`: measures this database on this machine through the public API."""

import asyncio
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenuto.cli.database import read_settings, ready_database
from tenuto.cli.exit_codes import WorkFailed
from tenuto.cli.output import AsJson, show
from tenuto.cli.processes.serve import ProcessContext, resolve_context, serve, worker_name

if TYPE_CHECKING:
    from tenuto.sdk.client.run import Runs

TARGET = "tenuto.cli.commands.bench_app:app"
QUEUE = "tenuto-bench"

Tasks = Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of tasks to start.")]
Processes = Annotated[int, typer.Option(min=1, max=64, help="Worker processes.")]


@dataclass(frozen=True)
class Measured:
    """The measured rates: tasks started per second, and tasks executed per second."""

    tasks: int
    processes: int
    enqueue_seconds: float
    enqueue_per_second: int
    drain_seconds: float
    drain_per_second: int


def bench(tasks: Tasks = 20_000, processes: Processes = 1, as_json: AsJson = False) -> None:
    """Start empty tasks in bulk, then run a worker until all are done. The tasks are kept until their retention
    ends."""
    settings = read_settings()
    with ready_database(settings) as url:
        measured = asyncio.run(_measure(resolve_context(settings, url, None), tasks, processes))
    text = f"enqueue  {measured.enqueue_per_second:,} tasks/s\ndrain    {measured.drain_per_second:,} tasks/s"
    show(measured, text, as_json=as_json)


async def _measure(context: ProcessContext, tasks: int, processes: int) -> Measured:
    from tenuto.cli.commands.bench_app import app, nothing
    from tenuto.worker.settings import WorkerSettings

    worker = WorkerSettings(
        targets=[TARGET],
        url=context.url,
        org_id=context.org_id,
        role=context.worker_role,
        name=worker_name(),
        home=str(context.settings.home),
        storage=context.settings.storage,
        installation=context.settings.installation,
        queues=[QUEUE],
        processes=processes,
    )
    async with app.connect(context.url, org=context.settings.org) as tn:
        begun = time.perf_counter()
        runs = await tn.start_many(nothing, range(tasks))
        started = time.perf_counter()
        ready = asyncio.Event()
        working = asyncio.create_task(serve(context, worker, stop=asyncio.Event(), ready=ready.set))
        draining = asyncio.create_task(_drain(runs, ready))
        await asyncio.wait({working, draining}, return_when=asyncio.FIRST_COMPLETED)
        if not draining.done():
            draining.cancel()
            await working
            raise WorkFailed("the worker stopped before all tasks had ended")
        drained, done = draining.result()
        signal.raise_signal(signal.SIGTERM)  # stops the worker as any user would
        await working
    return Measured(
        tasks,
        processes,
        round(started - begun, 3),
        round(tasks / (started - begun)),
        round(done - drained, 3),
        round(tasks / (done - drained)),
    )


async def _drain(runs: "Runs[Any]", ready: asyncio.Event) -> tuple[float, float]:
    """Return when the worker was ready and when everything was done."""
    await ready.wait()
    drained = time.perf_counter()
    await runs[-1].wait()  # poll only one run until nearly all are done
    await runs.results()
    return drained, time.perf_counter()
