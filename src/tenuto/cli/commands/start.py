"""`tenuto start`: starts a task."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.arguments import read_arguments
from tenuto.cli.exit_codes import PROBLEMS, UsageError, WorkFailed, run_continues
from tenuto.cli.output import AsJson, say, show
from tenuto.cli.session import with_tenuto
from tenuto.model.durations import seconds
from tenuto.model.json import Json, JsonObject
from tenuto.model.text import one_line

if TYPE_CHECKING:
    from tenuto.model.tasks import Started
    from tenuto.sdk.operations.base import Operations
    from tenuto.sdk.task import AnyTask

NO_WORKER_AFTER_SECONDS = 3.0

Type = Annotated[str, typer.Argument(metavar="TYPE", help="Type of the task: app.function.", show_default=False)]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ARGS",
        help="Arguments as JSON or text: all positional, or all name=value. With --app, the two can be mixed.",
        show_default=False,
    ),
]
App = Annotated[
    str | None, typer.Option("--app", help="App as module:app, to check the arguments and use the options of the task.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until the run has ended and print the result.")]
WaitTimeout = Annotated[
    str | None,
    typer.Option(help="Wait at most this long: 30s. Exit code 4 if the run has not ended by then; it continues."),
]
Delay = Annotated[str | None, typer.Option(help="Delay before the task can start: 5m.")]
Priority = Annotated[int | None, typer.Option(help="Tasks with a higher priority run first.")]
DedupeKey = Annotated[
    str | None, typer.Option(help="If a run with this key exists, return it instead of starting another.")
]
Queue = Annotated[str | None, typer.Option(help="Queue of the task.")]
Group = Annotated[str | None, typer.Option(help="Resource group of the run; its tasks use the share of this group.")]
MaxAttempts = Annotated[int | None, typer.Option(min=1, max=100, help="Maximum number of attempts.")]
Timeout = Annotated[
    str | None, typer.Option(help="Maximum duration of an attempt: 30s. To limit --wait, use --wait-timeout.")
]
RunUuid = Annotated[
    str | None, typer.Option("--run-id", help="Id of the run, a UUID; if a run has it, return that run.")
]
Deadline = Annotated[str | None, typer.Option(help="Cancel the run if it has not ended this long after its start: 2h.")]
Expires = Annotated[str | None, typer.Option(help="Cancel the run if it has not begun this long after its start: 10m.")]
Hold = Annotated[bool, typer.Option("--hold", help="Start no task of the run before `tenuto runs release`.")]
Anyway = Annotated[
    bool,
    typer.Option("--anyway", help="Start even if no worker has ever served the type, or nothing has named the queue."),
]


@dataclass(frozen=True)
class Outcome:
    """The started run, and how it ended if the command waited for it."""

    id: str
    created: bool
    status: str | None = None
    result: Json = None
    error: Json = None


def start(
    type: Type,
    arguments: Arguments = None,
    app: App = None,
    wait: Wait = False,
    wait_timeout: WaitTimeout = None,
    delay: Delay = None,
    priority: Priority = None,
    dedupe_key: DedupeKey = None,
    queue: Queue = None,
    resource_group: Group = None,
    max_attempts: MaxAttempts = None,
    timeout: Timeout = None,
    run_id: RunUuid = None,
    deadline: Deadline = None,
    expires: Expires = None,
    hold: Hold = False,
    anyway: Anyway = False,
    as_json: AsJson = False,
) -> None:
    """Start a task: `tenuto start shop.send to=a@b.c subject=hi --delay 5m`."""
    options = {"delay": delay, "priority": priority, "dedupe_key": dedupe_key, "queue": queue, "timeout": timeout}
    options |= {"resource_group": resource_group, "max_attempts": max_attempts, "run_id": run_id}
    options |= {"deadline": deadline, "expires": expires, "hold": hold or None}
    chosen = {name: value for name, value in options.items() if value is not None}
    task = find_task(type, app).with_options(chosen)
    args, kwargs = read_arguments(arguments or [])
    if app is None and args and kwargs:
        raise UsageError(f"{type} has positional and named arguments; name all or none, or pass --app module:app")
    wait = wait or wait_timeout is not None
    if hold and wait:
        raise UsageError("--wait would never return: the run is held; release it, then `tenuto runs watch` it")
    wait_seconds = None if wait_timeout is None else seconds(wait_timeout, "--wait-timeout")

    async def work(tenuto: "Operations") -> tuple[Outcome, Exception | None]:
        run = await _start(tenuto, task, args, kwargs, checked=app is None and not anyway)
        begun = Outcome(str(run.run_id), run.created)
        return await _wait(tenuto, run.run_id, begun, wait_seconds) if wait else (begun, None)

    _show(*with_tenuto(work), as_json=as_json)


def _show(outcome: Outcome, problem: Exception | None, *, as_json: bool) -> None:
    """Print the outcome, then raise the problem if there is one. With a problem, only JSON output shows the outcome."""
    if outcome.status is None:
        show(outcome, f"{'started' if outcome.created else 'already started:'} run {outcome.id}", as_json=as_json)
    elif as_json or problem is None:
        show(outcome, show_result(outcome.result), as_json=as_json)
    if problem is not None:
        raise problem


def show_result(result: Json) -> str:
    import json

    return json.dumps(result, ensure_ascii=False)


def find_task(type: str, target: str | None) -> "AnyTask":
    """Return the task of the app. Without an app, return a reference to the task; this reference accepts any
    arguments."""
    from tenuto.sdk.app_loader import BadTarget, load_app
    from tenuto.sdk.task_reference import TaskReference

    if target is None:
        if "." not in type.strip("."):
            raise UsageError(f"{type!r} is not the name of a task; write app.function, or pass --app module:app")
        return TaskReference(type)
    try:
        return load_app(target).find(type)
    except BadTarget as problem:
        raise UsageError(str(problem)) from problem


async def _start(
    tenuto: "Operations", task: "AnyTask", args: list[Json], kwargs: JsonObject, *, checked: bool
) -> "Started":
    from tenuto.sdk.client.start_request import build_task_start

    request = build_task_start(task, tuple(args), kwargs)  # `client.start` would treat `name=ada` as a start option
    if checked:
        return await tenuto.start_checked(request)
    (started,) = await tenuto.start([request])
    return started


async def _wait(
    tenuto: "Operations", run_id: UUID, begun: Outcome, wait_seconds: float | None
) -> tuple[Outcome, Exception | None]:
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.errors import RunCancelled, RunFailed, WaitTimeout

    client = Client(tenuto, url=tenuto.url)
    explaining = asyncio.create_task(print_reason(tenuto, run_id))
    try:
        # Plain JSON: the type of the result may exist only in the app.
        return replace(begun, status="completed", result=await client.run(run_id).result(wait_seconds)), None
    except RunFailed as problem:
        more = f"`tenuto tasks show {run_id}` shows its attempts and errors"
        return replace(begun, status="failed", error=problem.error), WorkFailed(f"{problem}; {more}")
    except RunCancelled as problem:
        return replace(begun, status="cancelled", error=problem.error), WorkFailed(str(problem))
    except WaitTimeout:
        now = await tenuto.get_run(run_id)
        return replace(begun, status=now.status), run_continues(run_id, wait_seconds or 0)
    except asyncio.CancelledError:
        say(f"run {run_id} continues; `tenuto runs watch {run_id}` follows it", err=True)
        raise
    finally:
        explaining.cancel()
        await client.watcher.close()


async def print_reason(tenuto: "Operations", run_id: UUID) -> None:
    """Print after a few seconds what the run waits for, such as a worker that serves its type. Print nothing if the
    task has ended by then: its result is printed next."""
    await asyncio.sleep(NO_WORKER_AFTER_SECONDS)
    with suppress(*PROBLEMS):  # the waiting coroutine reports the problem
        why = await tenuto.explain_task(run_id)
        if (await tenuto.get_task(run_id)).completed_at is None:  # the explanation does not contain the status
            say(f"still waiting: {one_line(why)}", err=True)
