"""`tenuto up`: runs Postgres, a dispatcher, the HTTP API and a worker; one Ctrl-C stops all of them."""

import asyncio
import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.commands.worker import (
    Bundles,
    Concurrency,
    Queues,
    Targets,
    Weak,
    find_targets,
    names,
    queues_of,
    read_allowed_hosts,
    what_runs,
)
from tenuto.cli.database import place_of, read_settings, ready_database
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.output import AsJson, show
from tenuto.cli.overview import status_line
from tenuto.cli.processes.pool_providers import read_pools, with_pools
from tenuto.cli.processes.serve import (
    LogFormat,
    LogLevel,
    MetricsHost,
    MetricsPort,
    ProcessContext,
    resolve_context,
    serve,
    stopped_by_signals,
    worker_name,
)
from tenuto.cli.processes.up_server import LocalServer, find_front, log_server, make_link, open_link, serve_http
from tenuto.model.log_output import LogOutput
from tenuto.model.text import LineFormatter
from tenuto.runtimes.background import BackgroundTasks, restarted, stop_process

if TYPE_CHECKING:
    from rich.console import Console

    from tenuto.worker.settings import WorkerSettings

EVERY = 1.0  # seconds between two updates of the status line, on a terminal

Port = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="The port of the HTTP API.", show_default="8080, or a free port"),
]

OpenBrowser = Annotated[bool, typer.Option("--open", help="Open the dashboard in a browser, logged in.")]

Reload = Annotated[bool, typer.Option("--reload", help="Restart the worker when a Python file in this folder changes.")]

Pools = Annotated[
    list[str] | None,
    typer.Option(
        "--pool",
        help="Run the apps in a pool of processes that grows and shrinks: local:min=0,max=4.",
        show_default=False,
    ),
]

log = logging.getLogger("tenuto.up")


def up(
    targets: Targets = None,
    port: Port = None,
    queues: Queues = None,
    concurrency: Concurrency = 100,
    bundles: Bundles = False,
    weak_sandbox: Weak = False,
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = "127.0.0.1",
    reload: Reload = False,
    open_browser: OpenBrowser = False,
    pool: Pools = None,
    log_format: LogFormat = "text",
    log_level: LogLevel = "info",
    as_json: AsJson = False,
) -> None:
    """Run Postgres, a dispatcher, the HTTP API and, for apps, a worker. Ctrl-C stops all of them."""
    from tenuto.worker.settings import WorkerSettings

    settings = replace(read_settings(), server_url=None)  # TENUTO_URL may be set for programs that use this server
    apps = find_targets(targets, settings, required=False)
    if reload and not apps:
        raise UsageError("--reload needs an app: write tenuto up --reload module:app")
    policies = read_pools(pool or [], runs=bool(apps or bundles), reload=reload)
    served = names(queues, "--queues") or queues_of(settings)
    console = _console(log_output := LogOutput(log_format, log_level))
    with ready_database(settings, keep=False) as url:
        log.info("database: %s", place_of(settings))
        context = resolve_context(settings, url, metrics_port, metrics_host)
        worker = WorkerSettings(
            targets=apps,
            queues=served,
            concurrency=concurrency,
            url=context.url,
            org_id=context.org_id,
            role=context.worker_role,
            name=worker_name(),
            home=str(settings.home),
            storage=settings.storage,
            installation=settings.installation,
            allowed_hosts=read_allowed_hosts(),
            bundles=bundles,
            weak_sandbox=weak_sandbox,
            weak_queries=settings.weak_queries,
            log=log_output,
        )
        context = with_pools(context, policies, worker)
        front, started = find_front(context, port), worker if (apps or bundles) and not policies else None
        asyncio.run(_serve(context, front, started, console, reload=reload, open_browser=open_browser))
    show({"stopped": True}, "stopped", as_json=as_json)


def _console(log_output: LogOutput) -> "Console | None":
    """Set up logging: plain lines, or on a terminal coloured lines above the status line. Returns the terminal, or None
    without a terminal."""
    if not sys.stderr.isatty() or log_output.format == "json":
        log_output.write_to_stderr()
        return None
    from rich.console import Console
    from rich.logging import RichHandler

    console = Console(stderr=True)
    handler = RichHandler(console=console, show_path=False)
    handler.setFormatter(LineFormatter("%(message)s", "%X"))
    log_output.install(handler)
    return console


async def _serve(
    context: ProcessContext,
    front: LocalServer | None,
    worker: "WorkerSettings | None",
    console: "Console | None",
    *,
    reload: bool,
    open_browser: bool,
) -> None:
    stop = asyncio.Event()
    link = await make_link(context, front) if front and context.may_dispatch else None
    parts = BackgroundTasks(stop_process(stop))
    if console:
        parts.start("live line", restarted("live line", lambda: _watch(context, console)))

    async def announce(listening: asyncio.Event) -> None:
        await listening.wait()  # a login link that does not work yet would only confuse
        log_server(front, link)
        if open_browser and link is not None:
            await asyncio.to_thread(open_link, link)
        log.info("dispatcher: running")
        none = "none; start one with `tenuto up module:app`"
        pools = "started by pools when there is work" if context.providers else none
        log.info("worker: %s", f"running {what_runs(worker)}" if worker else pools)
        log.info("press Ctrl-C to stop everything")

    try:
        async with serve_http(front, parts) as listening:

            def ready() -> None:
                parts.start("announcement", announce(listening))

            if worker is not None:  # the worker handles signals itself
                await serve(context, worker, stop=stop, ready=ready, reload=reload)
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
    from tenuto.db.overview import get_status

    async with open_pool(context.url, role=context.worker_role, size=1, timeout=5) as pool:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            while True:
                try:
                    status = await pool.call(
                        get_status, org_id=UUID(context.org_id), installation=context.settings.installation
                    )
                    line = status_line(status)
                except DatabaseProblem as problem:
                    line = str(problem)
                live.update(Text(line, style="bold green"), refresh=True)
                await asyncio.sleep(EVERY)
