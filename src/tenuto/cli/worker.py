"""`tenuto worker`: runs an app's tasks, and the loops beside them."""

import asyncio
import logging
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenuto.cli.database import ready_database
from tenuto.cli.output import Json, show
from tenuto.cli.problems import WrongUse
from tenuto.cli.serving import MetricsPort, Place, find_place, log_to_stderr, serve, worker_name
from tenuto.cli.settings import read_settings

if TYPE_CHECKING:
    from tenuto.worker.settings import WorkerSettings

log = logging.getLogger("tenuto.worker")

Target = Annotated[
    str, typer.Argument(metavar="MODULE:APP", help="Where the app is: shop.tasks:app or tasks.py.", show_default=False)
]
Queues = Annotated[str | None, typer.Option(help="Only these queues: a,b. Default: all.")]
Concurrency = Annotated[int, typer.Option(min=1, max=10_000, help="Tasks at a time in each process.")]
Processes = Annotated[int, typer.Option(min=1, max=256, help="Processes with user code.")]
Labels = Annotated[str | None, typer.Option(help="What this machine has: gpu=1,fast.")]
Group = Annotated[str | None, typer.Option(help="Only tasks of this resource group.")]
Pool = Annotated[str | None, typer.Option(help="The pool of workers this one belongs to.")]
Lease = Annotated[str, typer.Option(help="After this silence its tasks are given to others.")]
Grace = Annotated[str, typer.Option(help="How long tasks may finish when it is stopped.")]


def worker(
    target: Target,
    queues: Queues = None,
    concurrency: Concurrency = 100,
    processes: Processes = 1,
    labels: Labels = None,
    resource_group: Group = None,
    pool: Pool = None,
    lease: Lease = "60s",
    grace: Grace = "30s",
    metrics_port: MetricsPort = None,
    as_json: Json = False,
) -> None:
    """Run an app's tasks. SIGTERM finishes within the grace, a second one at once; SIGHUP finishes everything."""
    flags = {"concurrency": concurrency, "processes": processes, "resource_group": resource_group, "pool": pool}
    flags |= {"queues": names(queues, "--queues"), "labels": names(labels, "--labels") or [], **times(lease, grace)}
    check_target(target)
    settings = read_settings()
    log_to_stderr()
    with ready_database(settings, keep=False) as url:
        place = find_place(settings, url, metrics_port)
        asyncio.run(_serve(place, worker_settings(place, target, **flags)))
    show({"stopped": True}, "stopped", as_json=as_json)


async def _serve(place: Place, settings: "WorkerSettings") -> None:
    ready = f"{settings.name} works on {settings.target}: {settings.processes} × {settings.concurrency} tasks at a time"
    await serve(place, settings, stop=asyncio.Event(), ready=lambda: log.info(ready))


def worker_settings(place: Place, target: str, **flags: Any) -> "WorkerSettings":
    from tenuto.worker.settings import WorkerSettings

    where = {"url": place.url, "org_id": place.org_id, "role": place.worker_role, "home": str(place.settings.home)}
    return WorkerSettings(target=target, name=worker_name(), **where, **flags)


def check_target(target: str) -> None:
    """What can be seen without importing user code, which only a child of the worker does."""
    from tenuto.sdk.target import BadTarget, split_target

    try:
        split_target(target)
    except BadTarget as problem:
        raise WrongUse(str(problem)) from problem


def names(text: str | None, flag: str) -> list[str] | None:
    """`a,b` as a list."""
    if text is None:
        return None
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise WrongUse(f"{flag} is {text!r}: a name is empty; write {flag} one,two")
    return found


def times(lease: str, grace: str) -> dict[str, float]:
    from tenuto.model.durations import seconds

    leased = seconds(lease, "--lease", positive=True)
    if not 1 <= leased <= 86_400:
        raise WrongUse(f"--lease is {lease}, not between one second and one day; write 60s")
    return {"lease": leased, "grace": seconds(grace, "--grace")}
