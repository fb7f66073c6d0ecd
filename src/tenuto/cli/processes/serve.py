"""Runs a dispatcher, and optionally a worker, in one process until a signal stops it."""

import asyncio
import logging
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.database import Settings
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.pepper import peppers_if_any
from tenuto.model.text import LineFormatter
from tenuto.runtimes.background import BackgroundTasks, stop_process
from tenuto.runtimes.process_lifetime import leaving_within

if TYPE_CHECKING:
    from tenuto.model.keys import Peppers
    from tenuto.worker.settings import WorkerSettings
    from tenuto.worker.supervisor.child_process import ChildProcess

MetricsPort = Annotated[
    int | None,
    typer.Option(min=1, max=65535, help="Serve Prometheus metrics at http://…:PORT/metrics.", show_default=False),
]

SHUTDOWN_SECONDS = 8.0  # for the loops to finish their current step
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
    org_id: str
    metrics_port: int = 0


def log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    quiet_the_driver()


def quiet_the_driver() -> None:
    """Silence the pool's warnings: it logs every failed attempt, while callers log an outage once."""
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


def resolve_context(settings: Settings, url: str, metrics_port: int | None) -> ProcessContext:
    """Query the database for the roles and the org, so that problems are reported before anything starts."""
    from tenuto.db import identity
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.connection.pool import open_pool
    from tenuto.db.connection.process_role import choose_roles, may_act_as

    async def find_org() -> str:
        async with open_pool(url, role=worker_role, size=1) as pool:
            return str(await pool.call(identity.find_org, slug=settings.org))

    with explained():
        worker_role, dispatcher_role = choose_roles(url, ["tenuto_worker", "tenuto_dispatcher"]).values()
        may_dispatch = may_act_as(url, ["tenuto_dispatcher", "tenuto_owner"])
        org_id = asyncio.run(find_org())
    open_metrics(metrics_port)
    return ProcessContext(settings, url, worker_role, dispatcher_role, may_dispatch, org_id, metrics_port or 0)


def open_metrics(port: int | None) -> None:
    """Serve the metrics of this process, if a port was chosen."""
    if port is None:
        return
    from tenuto.model.metrics import serve_metrics

    try:
        serve_metrics(port)
    except OSError as error:
        raise UsageError(f"--metrics-port {port} cannot be used: {error.strerror}; choose another") from error


def worker_name() -> str:
    """Returns a unique name: containers share host names and process ids."""
    return f"{socket.gethostname()[:200]}-{secrets.token_hex(3)}"


async def serve(
    context: ProcessContext,
    worker: "WorkerSettings | None",
    *,
    stop: asyncio.Event,
    ready: Callable[[], None] | None = None,
    first: "ChildProcess | None" = None,
) -> None:
    """Run the dispatcher, and the worker if there is one, until the worker ends, `stop` is set or the dispatcher
    dies."""
    parts = BackgroundTasks(stop_process(stop))
    dispatching = parts.start("dispatcher", _dispatch(context, peppers_if_any(context.settings), stop))
    try:
        if worker is None:
            if ready is not None:
                ready()
            await stop.wait()
        else:
            await run_worker(worker, ready, first, stop)
    finally:
        stop.set()
        with leaving_within(SHUTDOWN_SECONDS):
            await asyncio.wait({dispatching})
    if parts.error:
        raise parts.error


async def _dispatch(context: ProcessContext, peppers: "Peppers | None", stop: asyncio.Event) -> None:
    from tenuto.dispatcher.main import dispatch
    from tenuto.storage.folder import FolderStore

    if not context.may_dispatch:
        log.warning("no dispatcher loops run here: %s; run `tenuto dispatcher` elsewhere", NO_LOOPS)
        return
    store = FolderStore(context.settings.home / "objects")
    await dispatch(
        context.url,
        role=context.dispatcher_role,
        stop=stop,
        store=store,
        peppers=peppers,
        port=context.metrics_port,
        org_id=UUID(context.org_id),
    )


async def run_worker(
    settings: "WorkerSettings",
    ready: Callable[[], None] | None,
    first: "ChildProcess | None" = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Run the worker until a signal or `stop` ends it; a refused setting becomes a UsageError."""
    from tenuto.worker.main import WorkerRefused, work

    refused: list[str] = []
    try:
        await work(settings, ready=ready or (lambda: None), first=first, stop=stop)
    except* WorkerRefused as group:
        refused += [str(error) for error in group.exceptions]
    if refused:
        raise UsageError(refused[0])


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
