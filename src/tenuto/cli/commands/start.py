"""`tenuto start`: starts a task."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from tenuto.cli.arguments import read_arguments
from tenuto.cli.audited import AuditedTransaction, in_one, new
from tenuto.cli.exit_codes import PROBLEMS, StillRunning, UsageError, WorkFailed
from tenuto.cli.output import AsJson, say, show
from tenuto.cli.session import CommandContext, with_database
from tenuto.model.durations import seconds
from tenuto.model.json import Json, JsonObject
from tenuto.model.text import one_line

if TYPE_CHECKING:
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.client.run import Run
    from tenuto.sdk.client.start_request import StartRequest
    from tenuto.sdk.task import AnyTask

NO_WORKER_AFTER_SECONDS = 3.0
STRICT = "correct the type, start its worker first, or leave out --strict"

Type = Annotated[str, typer.Argument(metavar="TYPE", help="Type of the task: app.function.", show_default=False)]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ARGS",
        help="Arguments as JSON or text, all positional or all name=value (both only with --app).",
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
Group = Annotated[str | None, typer.Option(help="The resource group whose share it uses.")]
MaxAttempts = Annotated[int | None, typer.Option(min=1, max=100, help="Maximum number of attempts.")]
Timeout = Annotated[
    str | None, typer.Option(help="Maximum duration of an attempt: 30s. For --wait, use --wait-timeout.")
]
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
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Start a task: `tenuto start shop.send to=a@b.c subject=hi --delay 5m`."""
    options = {"delay": delay, "priority": priority, "dedupe_key": dedupe_key, "queue": queue, "timeout": timeout}
    options |= {"resource_group": resource_group, "max_attempts": max_attempts}
    chosen = {name: value for name, value in options.items() if value is not None}
    task = find_task(type, app).with_options(chosen)
    args, kwargs = read_arguments(arguments or [])
    if app is None and args and kwargs:
        raise UsageError(f"{type} has positional and named arguments; name all or none, or pass --app module:app")
    wait = wait or wait_timeout is not None
    wait_seconds = None if wait_timeout is None else seconds(wait_timeout, "--wait-timeout")

    async def work(context: CommandContext) -> tuple[Outcome, Exception | None]:
        if strict and (unserved := await why_unserved(context, task.name, otherwise=STRICT)):
            raise UsageError(unserved)
        run = await _start(context, task, args, kwargs)
        if app is None and (
            unserved := await why_unserved(context, task.name, otherwise="the task waits until one does")
        ):
            say(f"note: {one_line(unserved)}", err=True)
        begun = Outcome(str(run.id), run.created)
        return await _wait(context, run, begun, wait_seconds) if wait else (begun, None)

    _show(*with_database(work), as_json=as_json)


async def why_unserved(context: CommandContext, type: str, *, otherwise: str) -> str | None:
    """Explain that no worker has ever served the type, and suggest a similar one or else `otherwise`; returns None if a
    worker has served it."""
    from tenuto.db import runs
    from tenuto.sdk.suggestions import nearest

    if not await context.pool.call(runs.list_unknown_types, org_id=context.org_id, types=[type]):
        return None
    near = nearest(type, await context.pool.call(runs.list_types, org_id=context.org_id))
    return f"no worker has ever served {type}; " + (f"did you mean {near}?" if near else otherwise)


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
    """Return the app's task, or without an app a reference that accepts any arguments."""
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


def make_client(context: CommandContext) -> "Client":
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.client.sql_transport import SqlTransport
    from tenuto.storage.folder import FolderStore

    return Client(
        SqlTransport(context.pool, context.org_id, FolderStore(context.settings.home / "objects")), url=context.url
    )


async def _start(context: CommandContext, task: "AnyTask", args: list[Json], kwargs: JsonObject) -> "Run[Any]":
    from tenuto.sdk.client.start_request import plan_task

    # `client.start` would take `name=ada` for an option of the start.
    plan = plan_task(task, tuple(args), kwargs)
    return await in_one(context, lambda transaction: _start_one(transaction, make_client(context), plan, task.name))


async def _wait(
    context: CommandContext, run: "Run[Any]", begun: Outcome, wait_seconds: float | None
) -> tuple[Outcome, Exception | None]:
    from tenuto.db import monitoring
    from tenuto.sdk.errors import RunCancelled, RunFailed, WaitTimeout

    client = make_client(context)
    explaining = asyncio.create_task(_print_reason(context, run.id))
    try:
        # Plain JSON: the type of the result may exist only in the app.
        return replace(begun, status="completed", result=await client.run(run.id).result(wait_seconds)), None
    except RunFailed as problem:
        more = f"`tenuto tasks show {run.id}` shows its attempts and errors"
        return replace(begun, status="failed", error=problem.error), WorkFailed(f"{problem}; {more}")
    except RunCancelled as problem:
        return replace(begun, status="cancelled", error=problem.error), WorkFailed(str(problem))
    except WaitTimeout:
        now = await context.pool.call(monitoring.get_run, org_id=context.org_id, run_id=run.id)
        return replace(begun, status=now.status), StillRunning(run.id, wait_seconds or 0)
    except asyncio.CancelledError:
        say(f"run {run.id} continues; `tenuto runs watch {run.id}` follows it", err=True)
        raise
    finally:
        explaining.cancel()
        await client.watcher.close()


async def _start_one(transaction: AuditedTransaction, client: "Client", plan: "StartRequest", type: str) -> "Run[Any]":
    (run,) = await client.start_plans([plan], connection=transaction.conn)
    if run.created:
        await transaction.note("run", run.id, "start", new(type=type, runs=1))
    return run


async def _print_reason(context: CommandContext, run_id: UUID) -> None:
    """Print after a few seconds what the run waits for, such as a worker that serves its type."""
    from tenuto.db import monitoring

    await asyncio.sleep(NO_WORKER_AFTER_SECONDS)
    with suppress(*PROBLEMS):  # the waiting coroutine reports the problem
        sentence = await context.pool.call(monitoring.explain_task, org_id=context.org_id, task_id=run_id)
        say(f"still waiting: {one_line(sentence)}", err=True)
