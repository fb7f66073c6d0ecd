"""`tenuto runs open`, `add` and `close` manage open runs, to which tasks are added. `tenuto runs release` starts the
tasks of a held run."""

from typing import TYPE_CHECKING, Annotated, Any, cast
from uuid import UUID

import typer

from tenuto.cli.arguments import read_arguments, read_json
from tenuto.cli.commands.start import Anyway, App, Arguments, Hold, Type, find_task
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.output import AsJson, show
from tenuto.cli.session import RunId, read_id, with_tenuto

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations

Object = Annotated[str | None, typer.Option(help="JSON object that is stored with the run.")]


def open_run(
    name: Annotated[str | None, typer.Option(help="Name of the run.")] = None,
    input: Annotated[str | None, typer.Option(help="Input of the run, as JSON.")] = None,
    metadata: Object = None,
    resource_group: Annotated[str | None, typer.Option(help="Resource group of the run.")] = None,
    dedupe_key: Annotated[
        str | None, typer.Option(help="If a run of this name has this key, return that run; needs --name.")
    ] = None,
    run_id: Annotated[str | None, typer.Option(help="Id of the run, a UUID; if a run has it, return that run.")] = None,
    hold: Hold = False,
    as_json: AsJson = False,
) -> None:
    """Open a run without tasks. It ends after `tenuto runs close`."""
    values = cast("Any", read_json(metadata, "--metadata"))
    run_input = read_json(input, "--input")

    async def work(tenuto: "Operations") -> tuple[UUID, bool]:
        from tenuto.sdk.client.client import Client

        run = await Client(tenuto, url=tenuto.url).open_run(
            name,
            input=run_input,
            metadata=values,
            resource_group=resource_group,
            dedupe_key=dedupe_key,
            run_id=run_id,
            hold=hold,
        )
        return run.id, run.created

    id, created = with_tenuto(work)
    show({"id": id, "created": created}, f"{'opened' if created else 'already opened:'} run {id}", as_json=as_json)


def add_task(
    run: RunId,
    type: Type,
    arguments: Arguments = None,
    app: App = None,
    task_id: Annotated[
        str | None, typer.Option(help="Id of the task, a UUID. A repeated command adds no second task.")
    ] = None,
    anyway: Anyway = False,
    as_json: AsJson = False,
) -> None:
    """Add a task to an open run: `tenuto runs add RUN shop.send to=a@b.c`."""
    from tenuto.sdk.client.open_runs import check_addition, name_task
    from tenuto.sdk.client.start_request import build_task_start
    from tenuto.sdk.collections.pages import read_uuid

    run_id = read_id(run, "run")
    task = find_task(type, app)
    args, kwargs = read_arguments(arguments or [])
    if app is None and args and kwargs:
        raise UsageError(f"{type} has positional and named arguments; name all or none, or pass --app module:app")
    request = check_addition(build_task_start(task, tuple(args), kwargs), task)
    if task_id is not None:
        request = name_task(request, read_uuid(task_id, "a task"))

    checked = app is None and not anyway
    (id,) = with_tenuto(
        lambda tenuto: tenuto.add_checked(run_id, request) if checked else tenuto.add_tasks(run_id, request)
    )
    show({"id": id, "run_id": run_id}, f"added task {id}", as_json=as_json)


def close_run(run: RunId, as_json: AsJson = False) -> None:
    """Close an open run: no more tasks can be added, and it ends when its tasks have ended."""
    run_id = read_id(run, "run")
    with_tenuto(lambda tenuto: tenuto.close_run(run_id))
    show({"id": run_id, "closed": True}, f"closed run {run_id}", as_json=as_json)


def release_run(run: RunId, as_json: AsJson = False) -> None:
    """Start the tasks of a run that was started or opened with --hold."""
    run_id = read_id(run, "run")
    released = with_tenuto(lambda tenuto: tenuto.release_run(run_id))
    text = f"released run {run_id}" if released else f"run {run_id} is not held"
    show({"id": run_id, "released": released}, text, as_json=as_json)
