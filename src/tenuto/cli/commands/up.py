"""`tenuto up`: runs Postgres, a dispatcher, the HTTP API and a worker; one Ctrl-C stops all of them."""

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.commands.worker import Bundles, Weak, refuse_target, what_runs
from tenuto.cli.database import read_settings, ready_database
from tenuto.cli.output import AsJson, show
from tenuto.cli.overview import fetch_overview
from tenuto.cli.processes.serve import (
    MetricsPort,
    ProcessContext,
    log_to_stderr,
    quiet_the_driver,
    resolve_context,
    serve,
    stopped_by_signals,
    worker_name,
)
from tenuto.cli.processes.up_server import LocalServer, find_front, log_server, make_link, serve_http
from tenuto.model.text import LineFormatter
from tenuto.runtimes.background import BackgroundTasks, restarted, stop_process

if TYPE_CHECKING:
    from rich.console import Console

    from tenuto.worker.settings import WorkerSettings

EVERY = 1.0  # seconds between two updates of the status line, on a terminal

Target = Annotated[
    str | None, typer.Argument(metavar="[MODULE:APP]", help="App to run a worker for: module:app.", show_default=False)
]

Port = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="The port of the HTTP API.", show_default="8080, or a free port"),
]

log = logging.getLogger("tenuto.up")


def up(
    target: Target = None,
    port: Port = None,
    bundles: Bundles = False,
    weak_sandbox: Weak = False,
    metrics_port: MetricsPort = None,
    as_json: AsJson = False,
) -> None:
    """Run Postgres, a dispatcher, the HTTP API and, for an app, a worker. Ctrl-C stops all of them."""
    from tenuto.worker.settings import WorkerSettings

    if target is not None:
        refuse_target(target)
    settings = read_settings()
    console = _console()
    with ready_database(settings, keep=False) as url:
        where = f"embedded, in {settings.home}" if settings.database_url is None else "set by TENUTO_DATABASE_URL"
        log.info("database: %s", where)
        context = resolve_context(settings, url, metrics_port)
        worker = WorkerSettings(
            target=target,
            url=context.url,
            org_id=context.org_id,
            role=context.worker_role,
            name=worker_name(),
            home=str(settings.home),
            bundles=bundles,
            weak_sandbox=weak_sandbox,
        )
        asyncio.run(_serve(context, find_front(context, port), worker if target or bundles else None, console))
    show({"stopped": True}, "stopped", as_json=as_json)


def _console() -> "Console | None":
    """Set up logging: plain lines, or on a terminal coloured lines above the status line. Returns the terminal, or
    None."""
    if not sys.stderr.isatty():
        log_to_stderr()
        return None
    from rich.console import Console
    from rich.logging import RichHandler

    console = Console(stderr=True)
    handler = RichHandler(console=console, show_path=False)
    handler.setFormatter(LineFormatter("%(message)s", "%X"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    quiet_the_driver()
    return console


async def _serve(
    context: ProcessContext, front: LocalServer | None, worker: "WorkerSettings | None", console: "Console | None"
) -> None:
    stop = asyncio.Event()
    link = await make_link(context, front) if front and context.may_dispatch else None
    parts = BackgroundTasks(stop_process(stop))
    if console:
        parts.start("live line", restarted("live line", lambda: _watch(context, console)))

    async def announce(listening: asyncio.Event) -> None:
        await listening.wait()  # a login link that does not work yet would only confuse
        log_server(front, link)
        log.info("dispatcher: running")
        none = "none; start one with `tenuto up module:app`"
        log.info("worker: %s", f"running {what_runs(worker)}" if worker else none)
        log.info("press Ctrl-C to stop everything")

    try:
        async with serve_http(front, parts) as listening:

            def ready() -> None:
                parts.start("announcement", announce(listening))

            if worker is not None:  # the worker handles signals itself
                await serve(context, worker, stop=stop, ready=ready)
            else:
                with stopped_by_signals(stop):
                    await serve(context, None, stop=stop, ready=ready)
    finally:
        await parts.close()
    if parts.error:
        raise parts.error


async def _watch(context: ProcessContext, console: "Console") -> None:
    """Keep the status line up to date."""
    from rich.live import Live
    from rich.text import Text

    from tenuto.db.connection.errors import DatabaseProblem
    from tenuto.db.connection.pool import open_pool

    async with open_pool(context.url, role=context.worker_role, size=1, timeout=5) as pool:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            overview = None
            while True:
                try:
                    overview = await fetch_overview(pool, UUID(context.org_id), overview)
                    line = overview.line
                except DatabaseProblem as problem:
                    line = str(problem)
                live.update(Text(line, style="bold green"), refresh=True)
                await asyncio.sleep(EVERY)
