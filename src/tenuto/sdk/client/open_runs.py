"""Open runs: the options of `open_run`, and requests to add tasks to an open run."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast
from uuid import UUID

from tenuto.model.errors import InvalidInput
from tenuto.sdk.client.start_many import build_many
from tenuto.sdk.client.start_request import RUN_OPTIONS, RunOptions, StartRequest, run_options
from tenuto.sdk.collections.pages import read_uuid
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.options import check_start
from tenuto.sdk.task import AnyTask, Task
from tenuto.sdk.task_reference import as_json
from tenuto.sdk.values.codecs import as_value

if TYPE_CHECKING:
    from tenuto.db.connection import start_statements


def open_options(options: Mapping[str, object], input: object) -> RunOptions:
    """Validate the options of `open_run`."""
    checked = check_start("an open run", options)
    run = run_options(checked)
    if name := checked.get("name"):
        run["name"] = name
    if input is not None:
        run["input"] = as_value("the input of the run", input)
    return run


def check_addition(request: StartRequest, target: object) -> StartRequest:
    """Return a request to add tasks to an open run. Raises InvalidInput if it has options of a run, or a graph with
    declared outputs."""
    options = [option for option, key in RUN_OPTIONS.items() if key in request.run and option != "metadata"]
    if request.task_kinds is not None:
        options += [key for key in ("metadata", "input") if key in request.run]
    if options:
        raise InvalidInput(f"{options[0]} is an option of the run, which is open already", "pass it to open_run")
    if isinstance(target, Graph) and target.declared is not None:
        raise InvalidInput(
            f"{target} declares outputs", "remove its g.output: the output of an open run is that of its last tasks"
        )
    return request


def take_task_id(target: object, kwargs: dict[str, object]) -> UUID | None:
    """Return the id of the added task that the caller passed as `task_id`. Return None if it passed none, or if
    `task_id` is a parameter of the task."""
    if isinstance(target, Task) and "task_id" in cast("AnyTask", target).signature.parameters:
        return None
    id = cast("UUID | str | None", kwargs.pop("task_id", None))
    return None if id is None else read_uuid(id, "a task")


def name_task(request: StartRequest, task_id: UUID) -> StartRequest:
    """Return the request with the id of its only task."""
    if request.task_kinds is not None:
        raise InvalidInput("task_id is the id of one task, but this call adds several", "leave it out")
    return replace(request, ids=[task_id])


def build_additions(task: AnyTask, items: Iterable[object], options: Mapping[str, object]) -> StartRequest:
    """Build the request to add one task per item to an open run."""
    many = build_many(task, items, options)
    if many.group or many.dedupe_keys:
        raise InvalidInput("resource_group and dedupe_keys are options of runs", "pass them to open_run")
    details = [{"task": no, **detail} for no, detail in enumerate(many.details or ()) if detail]
    return StartRequest({}, json.loads(many.kind), many.inputs, as_json, [0] * len(many.inputs), details or None)


def add_statement(request: StartRequest, org_id: UUID, run_id: UUID) -> "start_statements.Statement":
    """Return the request as one SQL statement."""
    from tenuto.db.connection import start_statements

    return start_statements.add_tasks(
        org_id=org_id,
        run_id=run_id,
        kinds=json.dumps(request.kinds),
        inputs=request.inputs,
        ids=request.ids,
        task_kinds=request.task_kinds,
        details=json.dumps(request.details) if request.details else None,
        edges=json.dumps(request.edges) if request.edges else None,
    )
