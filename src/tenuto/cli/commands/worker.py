"""`tenuto worker`: runs an app's tasks, and the dispatcher's loops alongside."""

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.database import Settings, read_settings, ready_database
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.output import AsJson, show
from tenuto.cli.processes.remote_server import resolve_server
from tenuto.cli.processes.serve import (
    MetricsPort,
    log_to_stderr,
    open_metrics,
    resolve_context,
    run_worker,
    serve,
    worker_name,
)
from tenuto.model.durations import seconds

if TYPE_CHECKING:
    from tenuto.worker.settings import WorkerSettings

log = logging.getLogger("tenuto.worker")

NO_ORG = str(UUID(int=0))  # over HTTP the server takes the org from the worker key

Target = Annotated[
    str | None,
    typer.Argument(metavar="[MODULE:APP]", help="App to run: shop.tasks:app or tasks.py.", show_default=False),
]
Queues = Annotated[str | None, typer.Option(help="Only these queues: a,b. Default: all.")]
Concurrency = Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of tasks at once per process.")]
Processes = Annotated[int, typer.Option(min=1, max=256, help="Number of processes that run user code.")]
Labels = Annotated[str | None, typer.Option(help="Labels of this machine: gpu=1,fast.")]
Group = Annotated[str | None, typer.Option(help="Only tasks of this resource group.")]
Pool = Annotated[str | None, typer.Option(help="The pool of workers this one belongs to.")]
Lease = Annotated[str, typer.Option(help="Time without a heartbeat after which other workers get its tasks.")]
Url = Annotated[
    str | None,
    typer.Option(help="URL of a server to work for over HTTP: https://… Default: TENUTO_URL.", show_default=False),
]
WorkerKey = Annotated[
    str | None, typer.Option(help="Worker key for --url: tnw_… Default: TENUTO_WORKER_KEY.", show_default=False)
]
Bundles = Annotated[bool, typer.Option("--bundles", help="Also run the tasks of bundles, in sandboxes.")]
Weak = Annotated[
    bool, typer.Option("--weak-sandbox", help="Run untrusted code even if this machine cannot confine it fully.")
]
Grace = Annotated[str, typer.Option(help="How long running tasks may continue after SIGTERM.")]


def worker(
    target: Target = None,
    queues: Queues = None,
    concurrency: Concurrency = 100,
    processes: Processes = 1,
    labels: Labels = None,
    resource_group: Group = None,
    pool: Pool = None,
    lease: Lease = "60s",
    grace: Grace = "30s",
    url: Url = None,
    key: WorkerKey = None,
    bundles: Bundles = False,
    weak_sandbox: Weak = False,
    metrics_port: MetricsPort = None,
    as_json: AsJson = False,
) -> None:
    """Run the tasks of an app.

    SIGTERM lets running tasks finish within the grace period, a second SIGTERM stops at once.
    SIGHUP lets all running tasks finish.
    """
    from tenuto.worker.settings import WorkerSettings

    _check_app(target, bundles=bundles)
    settings = read_settings()
    options = WorkerSettings(
        target=target,
        url="",
        org_id=NO_ORG,
        name=worker_name(),
        home=str(settings.home),
        queues=names(queues, "--queues"),
        concurrency=concurrency,
        processes=processes,
        labels=names(labels, "--labels") or [],
        resource_group=resource_group,
        pool=pool,
        lease=read_lease(lease),
        grace=seconds(grace, "--grace"),
        bundles=bundles,
        weak_sandbox=weak_sandbox,
    )
    log_to_stderr()
    if (site := resolve_server(settings, url, key)) is not None:
        open_metrics(metrics_port)
        asyncio.run(_work(replace(options, url=site.url, key=site.key, proxy=site.proxy)))
    else:
        asyncio.run(_serve(settings, metrics_port, options))
    show({"stopped": True}, "stopped", as_json=as_json)


def _check_app(target: str | None, *, bundles: bool) -> None:
    if target is not None:
        refuse_target(target)
    elif not bundles:
        raise UsageError("no app is given; write tenuto worker module:app, or tenuto worker --bundles")


async def _serve(settings: Settings, metrics_port: int | None, options: "WorkerSettings") -> None:
    from tenuto.worker.supervisor.child_process import early_child

    async with early_child(options.concurrency) as child:
        with ready_database(settings, keep=False) as database:
            context = await asyncio.to_thread(resolve_context, settings, database, metrics_port)
            worker = replace(options, url=context.url, org_id=context.org_id, role=context.worker_role)
            await serve(context, worker, stop=asyncio.Event(), ready=lambda: _ready(worker), first=child)


async def _work(settings: "WorkerSettings") -> None:
    """Run a worker over HTTP: dispatchers run where the database is."""
    from tenuto.worker.supervisor.child_process import early_child

    async with early_child(settings.concurrency) as child:
        await run_worker(settings, lambda: _ready(settings), child)


def _ready(settings: "WorkerSettings") -> None:
    size = f"{settings.processes} × {settings.concurrency}"
    log.info("worker %s runs %s: up to %s tasks at once", settings.name, what_runs(settings), size)


def what_runs(settings: "WorkerSettings") -> str:
    return " and ".join(filter(None, (settings.target, "bundles" if settings.bundles else None)))


def refuse_target(target: str) -> None:
    """Report errors that can be found without importing user code, which only a child process of the worker does."""
    from tenuto.sdk.app_loader import BadTarget, check_target

    try:
        check_target(target)
    except BadTarget as problem:
        raise UsageError(str(problem)) from problem


def names(text: str | None, flag: str) -> list[str] | None:
    """Splits `a,b` into a list; an empty name is a usage error."""
    if text is None:
        return None
    parts = [name.strip() for name in text.split(",")]
    if not all(parts):
        raise UsageError(f"{flag} is {text!r} and contains an empty name; write {flag} first,second")
    return parts


def read_lease(text: str) -> float:
    lease = seconds(text, "--lease", positive=True)
    if not 1 <= lease <= 86_400:
        raise UsageError(f"--lease is {text}, which is not between 1 second and 1 day; write 60s")
    return lease
