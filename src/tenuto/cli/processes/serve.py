"""Runs a dispatcher, and optionally a worker, in one process until a signal stops it."""

import asyncio
import logging
import os
import secrets
import signal
import socket
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.database import Settings
from tenuto.cli.exit_codes import UsageError, WorkFailed
from tenuto.cli.pepper import peppers_if_any
from tenuto.db.connection.errors import lacks_right
from tenuto.model.log_output import Format, Level, LogOutput
from tenuto.runtimes.background import BackgroundTasks, stop_process
from tenuto.runtimes.process_lifetime import exit_after

if TYPE_CHECKING:
    from tenuto.model.keys import Peppers
    from tenuto.providers.base import Provider
    from tenuto.storage.base import Store
    from tenuto.worker.settings import WorkerSettings
    from tenuto.worker.supervisor.child_process import ChildProcess

MetricsPort = Annotated[
    int | None,
    typer.Option(min=1, max=65535, help="Serve Prometheus metrics at this port, under /metrics.", show_default=False),
]
MetricsHost = Annotated[
    str, typer.Option(help="The address to serve metrics on. 0.0.0.0: other machines can read them, without a key.")
]

LogFormat = Annotated[Format, typer.Option(help="Log lines as text, or as one JSON object per line.")]
LogLevel = Annotated[Level, typer.Option(help="Lowest level that is logged.")]

SHUTDOWN_SECONDS = 8.0  # how long the loops may take to finish their current step
POOL_STOP_SECONDS = 90.0  # how long the workers of local pools may take to finish their tasks
NO_LOOPS = "this login cannot act as tenuto_dispatcher (grant it that role)"

log = logging.getLogger("tenuto")


@dataclass(frozen=True)
class ProcessContext:
    """The settings, database, roles and org of a process."""

    settings: Settings
    url: str
    worker_role: str | None
    dispatcher_role: str | None
    may_dispatch: bool
    may_work: bool
    org_id: str
    store: "Store"
    metrics_port: int = 0
    providers: "Mapping[str, Provider]" = field(default_factory=dict[str, "Provider"])  # providers of pools, by name
    log: LogOutput = field(default_factory=LogOutput)


def resolve_context(
    settings: Settings, url: str, metrics_port: int | None, metrics_host: str = "127.0.0.1"
) -> ProcessContext:
    """Query the database for the roles and the org, so that problems are reported before anything starts."""
    from tenuto.db import orgs
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.connection.pool import open_pool
    from tenuto.db.connection.process_role import choose_roles, usable_roles
    from tenuto.storage import open_store

    async def find_org() -> str:
        async with open_pool(url, role=worker_role, size=1) as pool:
            return str(await pool.call(orgs.find_org, slug=settings.org))

    store = open_store(settings.storage)
    with explained():
        worker_role, dispatcher_role = choose_roles(url, ["tenuto_worker", "tenuto_dispatcher"]).values()
        usable = usable_roles(url, ["tenuto_worker", "tenuto_dispatcher", "tenuto_owner"])
        org_id = asyncio.run(find_org())
    open_metrics(metrics_port, metrics_host)
    return ProcessContext(
        settings,
        url,
        worker_role,
        dispatcher_role,
        may_dispatch=not usable.isdisjoint({"tenuto_dispatcher", "tenuto_owner"}),
        may_work=not usable.isdisjoint({"tenuto_worker", "tenuto_owner"}),
        org_id=org_id,
        store=store,
        metrics_port=metrics_port or 0,
    )


def open_metrics(port: int | None, host: str) -> None:
    """Serve the metrics of this process, if a port was chosen."""
    if port is None:
        return
    from tenuto.model.metrics import serve_metrics

    try:
        serve_metrics(port, host)
    except OSError as error:
        place = f"--metrics-port {port} on --metrics-host {host}"
        raise UsageError(f"{place} cannot be used: {error.strerror or error}; choose another port") from error


def worker_name() -> str:
    """Returns a unique name, with a random part, because containers can have equal host names and process ids."""
    return f"{socket.gethostname()[:200]}-{secrets.token_hex(3)}"


async def serve(
    context: ProcessContext,
    worker: "WorkerSettings | None",
    *,
    stop: asyncio.Event,
    ready: Callable[[], None] | None = None,
    first: "ChildProcess | None" = None,
    reload: bool = False,
) -> None:
    """Run the dispatcher, and the worker if there is one, until the worker ends, `stop` is set or the dispatcher dies.
    `first`: a child process that waits for its settings. `reload`: run the worker again when its code changes."""
    if worker is not None and not context.may_work:
        raise lacks_right("a worker claims and completes tasks", role="tenuto_worker")
    if worker is not None and first is not None:
        first.begin(worker, 1)  # it opens its session while this process imports the dispatcher and the supervisor
    parts = BackgroundTasks(stop_process(stop))
    dispatching = parts.start("dispatcher", _dispatch(context, peppers_if_any(context.settings), stop))
    try:
        if worker is None:
            if ready is not None:
                ready()
            await run_operators(context, stop)
        else:
            began = ready or (lambda: None)
            if reload:
                from tenuto.cli.processes.reload import Reload

                await Reload(worker, began, stop).run()
            else:
                await run_worker(worker, began, first, stop)
    finally:
        stop.set()
        with exit_after(SHUTDOWN_SECONDS + (POOL_STOP_SECONDS if context.providers else 0)):
            await asyncio.wait({dispatching})
        await parts.close()
    if parts.error:
        raise parts.error


async def _dispatch(context: ProcessContext, peppers: "Peppers | None", stop: asyncio.Event) -> None:
    from tenuto.dispatcher.deliveries import read_notify_settings
    from tenuto.dispatcher.main import dispatch

    notify = read_notify_settings(os.environ)
    if not context.may_dispatch:
        log.warning("no dispatcher loops run here: %s; run `tenuto dispatcher` elsewhere", NO_LOOPS)
        return
    await dispatch(
        context.url,
        role=context.dispatcher_role,
        stop=stop,
        store=context.store,
        peppers=peppers,
        port=context.metrics_port,
        org_id=UUID(context.org_id),
        private_destinations=os.environ.get("TENUTO_PRIVATE_DESTINATIONS") == "1",
        notify=notify,
        lineage_folder=Path(folder) if (folder := os.environ.get("TENUTO_LINEAGE_FOLDER")) else None,
        providers=context.providers,
        installation=context.settings.installation,
    )


async def run_operators(context: ProcessContext, stop: asyncio.Event) -> None:
    """Claim tasks of jobs with `runtime: dispatcher` when there are some, until `stop` is set."""
    from tenuto.cli.processes.dispatcher_operators import session_settings, wait_for_tasks

    if context.may_work and await wait_for_tasks(context, stop):
        settings = session_settings(context, worker_name(), context.log)
        log.info("jobs with runtime: dispatcher run here, as worker %s", settings.name)
        await run_worker(settings, None, stop=stop)
    else:
        await stop.wait()


async def run_worker(
    settings: "WorkerSettings",
    ready: Callable[[], None] | None,
    first: "ChildProcess | None" = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Run the worker until a signal or `stop` ends it. Raises UsageError for a setting that is refused, and WorkFailed
    if a start-up hook fails. `first`: a child process that has its settings already."""
    from tenuto.worker.main import WorkerFailed, WorkerRefused, work

    refused: list[str] = []
    failed: list[str] = []
    try:
        await work(settings, ready=ready or (lambda: None), first=first, stop=stop)
    except* WorkerRefused as group:
        refused += [str(error) for error in group.exceptions]
    except* WorkerFailed as group:
        failed += [str(error) for error in group.exceptions]
    if refused:
        raise UsageError(refused[0])
    if failed:
        raise WorkFailed(failed[0])


@contextmanager
def stopped_by_signals(stop: asyncio.Event) -> Generator[None]:
    """Set `stop` on SIGTERM and SIGINT during the block."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
