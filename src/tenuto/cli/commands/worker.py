"""`tenuto worker`: runs the tasks of apps. If it works directly on the database, it also runs the dispatcher's
loops."""

import asyncio
import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.database import Settings, place_of, read_settings, ready_database
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.output import AsJson, show
from tenuto.cli.processes.remote_server import resolve_server
from tenuto.cli.processes.serve import (
    LogFormat,
    LogLevel,
    MetricsHost,
    MetricsPort,
    open_metrics,
    resolve_context,
    run_worker,
    serve,
    stopped_by_signals,
    worker_name,
)
from tenuto.model.durations import seconds
from tenuto.model.log_output import LogOutput
from tenuto.model.sizes import size_in_bytes
from tenuto.runtimes.process_lifetime import stop_with_parent

if TYPE_CHECKING:
    from tenuto.runtimes.process_settings import ProcessLimits
    from tenuto.worker.settings import WorkerSettings

log = logging.getLogger("tenuto.worker")

MAX_CODE_VERSION_BYTES = 64  # the maximum that the database accepts
NO_ORG = str(UUID(int=0))  # over HTTP the server takes the org from the worker key

Targets = Annotated[
    list[str] | None,
    typer.Argument(metavar="MODULE:APP", help="Apps to run: shop.tasks:app or tasks.py.", show_default=False),
]
Queues = Annotated[
    str | None, typer.Option(help="Claim only from these queues: a,b. Default: all.", envvar="TENUTO_QUEUES")
]
Concurrency = Annotated[
    int,
    typer.Option(min=1, max=10_000, help="Maximum number of tasks at once per process.", envvar="TENUTO_CONCURRENCY"),
]
Processes = Annotated[int, typer.Option(min=1, max=256, help="Number of processes that run user code.")]
Labels = Annotated[str | None, typer.Option(help="Labels of this machine: gpu=1,fast.", envvar="TENUTO_LABELS")]
Group = Annotated[str | None, typer.Option(help="Claim only tasks of this resource group.")]
Address = Annotated[
    str | None,
    typer.Option(
        help="Address of this worker. Tasks with data objects at this address prefer it.", show_default="the host name"
    ),
]
Pool = Annotated[str | None, typer.Option(help="The pool that this worker belongs to.", envvar="TENUTO_POOL")]
Lease = Annotated[str, typer.Option(help="After this time without a heartbeat, other workers get its tasks.")]
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
MaxTasks = Annotated[
    int | None, typer.Option(min=1, help="Replace a process after it has run this many tasks.", show_default=False)
]
MaxMemory = Annotated[
    str | None, typer.Option(help="Replace a process that uses more memory: 512MB, 2GB.", show_default=False)
]
CodeVersion = Annotated[
    str | None,
    typer.Option(
        help="Version of the code, up to 64 bytes. Default: a hash of the imported source files.", show_default=False
    ),
]
Grace = Annotated[str, typer.Option(help="How long running tasks may continue after SIGTERM.")]


def worker(
    targets: Targets = None,
    queues: Queues = None,
    concurrency: Concurrency = 100,
    processes: Processes = 1,
    labels: Labels = None,
    resource_group: Group = None,
    address: Address = None,
    pool: Pool = None,
    lease: Lease = "60s",
    grace: Grace = "30s",
    url: Url = None,
    key: WorkerKey = None,
    bundles: Bundles = False,
    weak_sandbox: Weak = False,
    code_version: CodeVersion = None,
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = "127.0.0.1",
    max_tasks_per_process: MaxTasks = None,
    max_memory_per_process: MaxMemory = None,
    log_format: LogFormat = "text",
    log_level: LogLevel = "info",
    as_json: AsJson = False,
) -> None:
    """Run the tasks of one or more apps. SIGTERM lets running tasks finish within the grace period, a second SIGTERM
    stops at once. SIGHUP lets all running tasks finish."""
    from tenuto.worker.settings import WorkerSettings

    options = WorkerSettings(
        targets=find_targets(targets, settings := read_settings(), required=not bundles),
        url="",
        org_id=NO_ORG,
        name=worker_name(),
        home=str(settings.home),
        queues=names(queues, "--queues") or queues_of(settings),
        concurrency=concurrency,
        processes=processes,
        labels=names(labels, "--labels") or [],
        resource_group=resource_group,
        address=address,
        pool=pool,
        lease=read_lease(lease),
        grace=seconds(grace, "--grace"),
        bundles=bundles,
        weak_sandbox=weak_sandbox,
        code_version=read_code_version(code_version),
        log=LogOutput(log_format, log_level),
        limits=read_limits(max_tasks_per_process, max_memory_per_process),
    )
    _run(settings, options, url, key, (metrics_port, metrics_host), as_json=as_json)


def _run(
    settings: Settings,
    options: "WorkerSettings",
    url: str | None,
    key: str | None,
    metrics: tuple[int | None, str],
    *,
    as_json: bool,
) -> None:
    options.log.write_to_stderr()
    if pipe := os.environ.pop("TENUTO_PARENT_PIPE", None):  # set by the local provider; tasks must not inherit it
        stop_with_parent(pipe)
    machine = os.environ.get("TENUTO_MACHINE") or None  # set by the provider of the pool
    options = replace(options, allowed_hosts=read_allowed_hosts(), machine=machine, name=machine or options.name)
    if (site := resolve_server(settings, url, key)) is not None:
        open_metrics(*metrics)
        # Without TENUTO_STORAGE there is no storage: no other machine would find the files of jobs in a folder of this
        # machine.
        storage = settings.storage_url or ""
        asyncio.run(_work(replace(options, url=site.url, key=site.key, proxy=site.proxy, storage=storage)))
    else:
        options = replace(
            options,
            storage=settings.storage,
            installation=settings.installation,
            weak_queries=settings.weak_queries,
        )
        asyncio.run(_serve(settings, metrics, options))
    show({"stopped": True}, "stopped", as_json=as_json)


def find_targets(targets: list[str] | None, settings: Settings, *, required: bool) -> list[str]:
    """Return the apps to run: the apps of the command line, else the apps of the project. In the second case, the
    folder of the project becomes the current folder."""
    if not targets and settings.project is not None and settings.project.apps:
        os.chdir(settings.project.file.parent)
        targets = [*settings.project.apps]
    if not targets and required:
        raise UsageError(
            "no app is given; write tenuto worker module:app, or tenuto worker --bundles, "
            'or app = "module:app" below [tool.tenuto] in pyproject.toml'
        )
    refuse_targets(targets or [])
    check_secrets()
    return targets or []


def check_secrets() -> None:
    """Report a wrong TENUTO_SECRETS when a worker starts, not at its first task."""
    if os.environ.get("TENUTO_SECRETS"):
        from tenuto.sdk.secret_providers import current_provider

        current_provider()


def read_allowed_hosts(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the hosts with private addresses that jobs may contact, from TENUTO_ALLOWED_HOSTS."""
    return names(environment.get("TENUTO_ALLOWED_HOSTS") or None, "TENUTO_ALLOWED_HOSTS") or []


def queues_of(settings: Settings) -> list[str] | None:
    """Return the queues of the project, or None for all queues."""
    project = settings.project
    return None if project is None or project.queues is None else [*project.queues]


async def _serve(settings: Settings, metrics: tuple[int | None, str], options: "WorkerSettings") -> None:
    from tenuto.worker.supervisor.child_process import first_child

    async with first_child(remote=False) as child:
        with ready_database(settings, keep=False) as database:
            context = await asyncio.to_thread(resolve_context, settings, database, *metrics)
            worker = replace(options, url=context.url, org_id=context.org_id, role=context.worker_role)
            stop = asyncio.Event()

            def ready() -> None:
                log.info("database: %s", place_of(settings))
                _ready(worker)

            with stopped_by_signals(stop):  # until the supervisor handles them: the child may have tasks before that
                await serve(context, worker, stop=stop, ready=ready, first=child)


async def _work(settings: "WorkerSettings") -> None:
    """Run a worker over HTTP, without dispatcher loops, which need the database."""
    from tenuto.worker.supervisor.child_process import first_child

    async with first_child(remote=True) as child:
        stop = asyncio.Event()
        with stopped_by_signals(stop):
            child.begin(settings, 1)
            await run_worker(settings, lambda: _ready(settings), child, stop)


def _ready(settings: "WorkerSettings") -> None:
    size = f"{settings.processes} × {settings.concurrency}"
    log.info("worker %s runs %s: up to %s tasks at once", settings.name, what_runs(settings), size)


def what_runs(settings: "WorkerSettings") -> str:
    return " and ".join([*settings.targets, *(["bundles"] if settings.bundles else [])])


def refuse_targets(targets: list[str]) -> None:
    """Report errors that can be found without importing user code: only child processes of the worker import it."""
    from tenuto.sdk.app_loader import BadTarget, check_target

    try:
        for target in targets:
            check_target(target)
    except BadTarget as problem:
        raise UsageError(str(problem)) from problem


def read_limits(max_tasks: int | None, max_memory: str | None) -> "ProcessLimits":
    from tenuto.runtimes.process_settings import ProcessLimits

    memory = None if max_memory is None else size_in_bytes(max_memory, "--max-memory-per-process")
    return ProcessLimits(max_tasks, memory)


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


def read_code_version(text: str | None) -> str | None:
    if text and (size := len(text.encode())) > MAX_CODE_VERSION_BYTES:
        raise UsageError(
            f"--code-version has {size} bytes, more than {MAX_CODE_VERSION_BYTES}: {text[:40]}…; write a shorter text,"
            " such as a hash of it"
        )
    return text
