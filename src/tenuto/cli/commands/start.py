"""`tenuto start`: starts a task."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from tenuto.cli.arguments import read_arguments
from tenuto.cli.database import read_settings
from tenuto.cli.exit_codes import PROBLEMS, UsageError, WorkFailed, run_continues
from tenuto.cli.output import AsJson, say, show
from tenuto.cli.session import with_tenuto
from tenuto.model.durations import seconds
from tenuto.model.errors import Forbidden
from tenuto.model.json import Json, JsonObject
from tenuto.model.text import one_line

if TYPE_CHECKING:
    from tenuto.sdk.client.run import Run
    from tenuto.sdk.operations.base import Operations
    from tenuto.sdk.task import AnyTask

NO_WORKER_AFTER_SECONDS = 3.0
STRICT = "correct the type, start its worker first, or leave out --strict"

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
Strict = Annotated[bool, typer.Option("--strict", help="Reject a type that no worker has ever served.")]


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
    strict: Strict = False,
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
        if strict and (unserved := await why_unserved(tenuto, task.name, otherwise=STRICT)):
            raise UsageError(unserved)
        run = await _start(tenuto, task, args, kwargs)
        if app is None:
            await _note_unserved(tenuto, task.name)
        begun = Outcome(str(run.id), run.created)
        return await _wait(tenuto, run, begun, wait_seconds) if wait else (begun, None)

    _show(*with_tenuto(work), as_json=as_json)


async def why_unserved(tenuto: "Operations", type: str, *, otherwise: str) -> str | None:
    """Return a message which says that no worker has ever served the type. It ends with a similar type, or with
    `otherwise`. Return None if a worker has served the type."""
    from tenuto.sdk.other_projects import describe_others

    checked = await tenuto.check_type(type)
    if checked.served:
        return None
    unserved = f"no worker has ever served {type}; " + (
        f"did you mean {checked.similar}?" if checked.similar else otherwise
    )
    others = describe_others(read_settings())
    return f"{unserved}; {others}" if others else unserved


async def _note_unserved(tenuto: "Operations", type: str) -> None:
    with suppress(Forbidden):  # a key that can only start runs gets no note
        if unserved := await why_unserved(tenuto, type, otherwise="the task waits until one does"):
            say(f"note: {one_line(unserved)}", err=True)


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


async def _start(tenuto: "Operations", task: "AnyTask", args: list[Json], kwargs: JsonObject) -> "Run[Any]":
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.client.start_request import build_task_start

    # `client.start` would treat `name=ada` as an option of the start.
    (run,) = await Client(tenuto, url=tenuto.url).start_requests([build_task_start(task, tuple(args), kwargs)])
    return run


async def _wait(
    tenuto: "Operations", run: "Run[Any]", begun: Outcome, wait_seconds: float | None
) -> tuple[Outcome, Exception | None]:
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.errors import RunCancelled, RunFailed, WaitTimeout

    client = Client(tenuto, url=tenuto.url)
    explaining = asyncio.create_task(print_reason(tenuto, run.id))
    try:
        # Plain JSON: the type of the result may exist only in the app.
        return replace(begun, status="completed", result=await client.run(run.id).result(wait_seconds)), None
    except RunFailed as problem:
        more = f"`tenuto tasks show {run.id}` shows its attempts and errors"
        return replace(begun, status="failed", error=problem.error), WorkFailed(f"{problem}; {more}")
    except RunCancelled as problem:
        return replace(begun, status="cancelled", error=problem.error), WorkFailed(str(problem))
    except WaitTimeout:
        now = await tenuto.get_run(run.id)
        return replace(begun, status=now.status), run_continues(run.id, wait_seconds or 0)
    except asyncio.CancelledError:
        say(f"run {run.id} continues; `tenuto runs watch {run.id}` follows it", err=True)
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
