"""The options of tasks and of starts: types, meanings, and signatures that show them to `help()`, editors and the
reference."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Literal, TypedDict, TypeVar
from uuid import UUID

from tenuto.model.durations import Duration
from tenuto.model.json import Json
from tenuto.model.statuses import CatchUp
from tenuto.sdk.limits import Limit, Rate
from tenuto.sdk.retries import RetryPolicy

F = TypeVar("F", bound=Callable[..., object])

Executor = Literal["async", "thread", "process"]
RuntimeName = Literal["worker", "sandbox"]  # "worker": in the process of the worker, with the executor of the task
Serializer = Literal["json", "pickle"]


class Declared(TypedDict, total=False):
    """The keyword arguments of `@app.task(…)`."""

    name: str | None
    """The name of the task, without the name of the app. Default: the name of the function."""
    queue: str | None
    """The queue in which its tasks wait. Workers that were started with `--queues` claim only from these queues."""
    priority: int | None
    """Tasks with larger numbers run first, within a queue and resource group."""
    max_attempts: int | None
    """How often a task is tried, including the first time: 1 to 100."""
    max_losses: int | None
    """How many attempts may be lost because their worker died: 1 to 1,000. Default: a lost attempt counts as a failed
    one."""
    timeout: Duration | None
    """How long one attempt may run. Default: without limit."""
    heartbeat_timeout: Duration | None
    """End an attempt that reports neither `ctx.heartbeat()` nor progress for this long. Default: without limit."""
    retry: RetryPolicy | None
    """The pause after a failure: `Fixed`, `Exponential`, or a function of the error and the number of failures.
    Default: from two seconds, doubled after each failure, up to ten minutes."""
    labels: Iterable[str] | None
    """Labels that a worker must have (`--labels gpu=1`) to run the task."""
    limit: Limit | Iterable[Limit] | None
    """How many tasks run at a time over all workers: `Limit(3)`, `Limit(2, key="customer_id")`."""
    rate: str | Rate | Iterable[Rate] | None
    """How many tasks start per period over all workers: `"100/m"`, `Rate("5/s", key="customer_id")`."""
    executor: Executor | None
    """How a worker runs the function: `"async"` on its event loop, `"thread"` or `"process"`. Default: `"async"` for an
    async function, `"thread"` for a plain one."""
    runtime: RuntimeName | None
    """Where the function runs: in the `"worker"`, or in a `"sandbox"` for untrusted code."""
    serializer: Serializer | None
    """How arguments and results are stored."""
    cron: str | None
    """When the task starts by itself: a cron expression of five fields, or of six with seconds first."""
    every: Duration | None
    """Start the task at this interval, instead of by `cron`: `"10m"`."""
    timezone: str | None
    """The timezone of `cron`."""
    catch_up: CatchUp | None
    """How a schedule treats times that were missed: `"one"` starts once for all of them, `"skip"` starts nothing,
    `"all"` starts once for each."""
    jitter: Duration | None
    """Start a scheduled task later by a random time of up to this length. The maximum is a day."""
    optional: bool | None
    """Whether a run completes although this task failed."""
    language: str | None
    """The language of the workers that run the task."""


class EveryStart(TypedDict, total=False):
    """The options that every start has. For an option that is not passed, the option of the task applies."""

    delay: Duration | None
    """Start the task after this time."""
    available_at: datetime | None
    """Start at this time, a datetime with a timezone."""
    priority: int | None
    """Tasks with larger numbers run first, within a queue and resource group."""
    queue: str | None
    """The queue in which the task waits."""
    labels: Iterable[str] | None
    """Labels that a worker must have to run the task."""
    metadata: Mapping[str, Json] | None
    """JSON values that are stored with the task. The task reads them as `ctx.metadata`."""
    timeout: Duration | None
    """How long one attempt may run."""
    heartbeat_timeout: Duration | None
    """End an attempt that reports neither `ctx.heartbeat()` nor progress for this long."""
    max_attempts: int | None
    """How often the task is tried, including the first time: 1 to 100."""
    max_losses: int | None
    """How many attempts may be lost because their worker died: 1 to 1,000."""
    optional: bool | None
    """Whether the run completes although this task failed."""


class ChildOptions(EveryStart, total=False):
    """The options of a child, or of a task in a graph: `ctx.start(resize.options(timeout="30s"), "a.jpg")`."""

    name: str | None
    """A name of the task or graph. Lists show it."""
    external_id: str | None
    """The id of the task in another system."""


class StartOptions(ChildOptions, total=False):
    """The options of a run: `send.options(delay="5m")`, `tn.start(send, …, priority=10)`."""

    dedupe_key: str | None
    """If a run of this task, or of a graph with this name, has the same key, start nothing and return that run. A key
    is kept for as long as its run is stored."""
    resource_group: str | None
    """The group that the run belongs to. Groups share workers by weight."""
    run_attempts: int | None
    """How often the whole run is tried: 1 to 100. Default: once."""
    run_id: UUID | str | None
    """The id of the run, a UUID that you made. If a run with this id exists, nothing is started, and that run is
    returned."""
    deadline: Duration | None
    """How long the run may take from its start, including all waiting times and all attempts: `"2h"`. A run that has
    not ended by then is cancelled. Default: without limit."""
    expires: Duration | None
    """Cancel the run if it has not begun this long after its start: `"10m"`. Default: never."""
    hold: bool | None
    """Create the run, but start none of its tasks until `run.release()` is called."""
    connection: object
    """Your own database connection or session: the start becomes part of its transaction."""


class OpenOptions(TypedDict, total=False):
    """The options of `tn.open_run(…)`."""

    metadata: Mapping[str, Json] | None
    """JSON values that are stored with the run."""
    resource_group: str | None
    """The group that the run belongs to. Groups share workers by weight."""
    dedupe_key: str | None
    """If a run with this name has the same key, open nothing and return that run."""
    run_attempts: int | None
    """How often the whole run is tried: 1 to 100. Default: once."""
    run_id: UUID | str | None
    """The id of the run, a UUID that you made. If a run with this id exists, nothing is opened, and that run is
    returned."""
    deadline: Duration | None
    """How long the run may take after it was opened. A run that has not ended by then is cancelled."""
    expires: Duration | None
    """Cancel the run if none of its tasks has begun this long after it was opened."""
    hold: bool | None
    """Start none of the added tasks until `run.release()` is called."""
    connection: object
    """Your own database connection or session: the run is opened in its transaction."""


class ManyOptions(EveryStart, total=False):
    """The options of `tn.start_many(…)`."""

    dedupe_keys: Iterable[str | None] | None
    """One dedupe key per item."""
    resource_group: str | None
    """The group that the runs belong to."""
    connection: object
    """Your own database connection or session: the starts become part of its transaction."""


def shows_options(options: type, defaults: type | None = None) -> Callable[[F], F]:
    """Let `help()` show these options, with their defaults, as parameters of a function that takes `**options` or
    `**kwargs`."""

    def show(function: F) -> F:
        signature = inspect.signature(function)
        *own, last = signature.parameters.values()
        shown = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(defaults, name, None))
            for name in options.__annotations__
        ]
        rest = [last] if last.name == "kwargs" else []  # the arguments of the task
        vars(function)["__signature__"] = signature.replace(parameters=[*own, *shown, *rest])
        return function

    return show
