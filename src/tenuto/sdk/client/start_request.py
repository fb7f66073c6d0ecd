"""A start request: everything that one start sends to the database, built and validated without a connection."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast
from uuid import UUID

from tenuto.model.durations import seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.ids import uuid7
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.option_types import StartOptions
from tenuto.sdk.options import START_OPTIONS, check_start
from tenuto.sdk.task import AnyTask, Task
from tenuto.sdk.tracing import TRACING, carrier
from tenuto.sdk.values.codecs import check_json
from tenuto.sdk.values.wire_format import NotSerializable, dump, load, refuse

if TYPE_CHECKING:
    from tenuto.db.connection import start_statements  # at run time only with SQL: workers over HTTP import this too

R = TypeVar("R")

Detail = dict[str, Any]  # an entry of `p_details` of the SQL function `start_run`

# The start options of the run as a whole, with their names in `RunOptions`.
RUN_OPTIONS = {
    "dedupe_key": "dedupe_key",
    "resource_group": "group",
    "run_id": "id",
    "run_attempts": "max_attempts",
    "metadata": "metadata",
    "deadline": "deadline_seconds",
    "expires": "expires_seconds",
    "hold": "hold",
}
GRAPH_OPTIONS = frozenset((*RUN_OPTIONS, "delay", "available_at", "name", "connection"))


class RunOptions(TypedDict, total=False):
    """`p_run` of the SQL function `start_run`: the options of the run as a whole."""

    dedupe_key: str
    deadline_seconds: float
    expires_seconds: float
    group: str
    hold: bool
    id: str
    input: Json
    max_attempts: int
    metadata: JsonObject
    name: str
    outputs: list[dict[str, int]]


@dataclass(frozen=True)
class StartRequest:
    """The arguments of the SQL function `start_run`, and how to decode the run's output. Inputs are JSON text."""

    run: RunOptions
    kinds: list[JsonObject]
    inputs: list[str]
    read: Callable[[Json], Any]
    task_kinds: list[int] | None = None
    details: list[Detail] | None = None
    edges: list[JsonObject] | None = None
    ids: list[UUID] | None = None  # of the tasks, made by the client; only for tasks that are added to an open run

    def statement(self, org_id: UUID) -> "start_statements.Statement":
        """Return the start as one SQL statement."""
        from tenuto.db.connection import start_statements

        if self.is_plain():
            return batch_statement([self], org_id)
        return start_statements.start_run(
            org_id=org_id,
            run=json.dumps(self.run),
            kinds=json.dumps(self.kinds),
            inputs=self.inputs,
            task_kinds=self.task_kinds,
            details=json.dumps(self.details) if self.details else None,
            edges=json.dumps(self.edges) if self.edges else None,
        )

    def is_plain(self) -> bool:
        """Whether this is a run of one task, without slots and without run options other than the resource group and
        the dedupe key. For such a run, `start_many` takes two thirds of the time of `start_run`."""
        if self.task_kinds is not None or not self.run.keys() <= {"group", "dedupe_key"}:
            return False
        return not any("slots" in detail for detail in self.details or ())

    def is_bare(self) -> bool:
        """Whether this is a plain run without task details or a dedupe key."""
        return self.is_plain() and not self.details and "dedupe_key" not in self.run


def batch_statement(requests: Sequence[StartRequest], org_id: UUID) -> "start_statements.Statement":
    """Combine plain requests with the same kind and resource group into one statement, which returns a row per request,
    in order."""
    from tenuto.db.connection import start_statements

    keys = [request.run.get("dedupe_key") for request in requests]
    return start_statements.start_many(
        org_id=org_id,
        kinds=json.dumps(requests[0].kinds),
        inputs=[input for request in requests for input in request.inputs],
        ids=[uuid7() for _ in requests],
        details=details_json(requests),
        dedupe_keys=keys if any(key is not None for key in keys) else None,
        group=requests[0].run.get("group"),
        return_rows=True,
    )


def details_json(requests: Sequence[StartRequest]) -> str | None:
    """Return the details of the tasks as JSON; None if no task has details."""
    details = [{**detail, "task": no} for no, request in enumerate(requests) for detail in request.details or ()]
    return json.dumps(details) if details else None


def split_options(task: Task[..., R], kwargs: Mapping[str, object]) -> tuple[Task[..., R], dict[str, object]]:
    """Separate start options from the arguments. Return the task with the options applied, and the arguments. If a
    parameter of the function has the name of an option, the value is an argument."""
    options = {key: value for key, value in kwargs.items() if key in START_OPTIONS}
    if not options:
        return task, dict(kwargs)
    options = {key: value for key, value in options.items() if key not in task.signature.parameters}
    rest = {key: value for key, value in kwargs.items() if key not in options}
    return task.with_options(options), rest


def take_connection(target: object, kwargs: dict[str, object]) -> object:
    """Return the caller's own database connection, or None. It was passed as a keyword, which is removed from `kwargs`,
    or was set with `task.options(…)`."""
    if isinstance(target, Task):
        task = cast("AnyTask", target)
        if "connection" in kwargs and "connection" not in task.signature.parameters:
            return kwargs.pop("connection")
        return task.start_options.get("connection")
    return kwargs.pop("connection", None)


def build_task_start(task: AnyTask, args: tuple[object, ...], kwargs: Mapping[str, object]) -> StartRequest:
    """Build the start request for a run of one task."""
    input, slots = take_objects(task.signature.encode(args, kwargs))
    detail = task_detail(task, task.limits_of(args, kwargs) if task.limited else None)
    if slots:
        detail["slots"] = slots
    details = [{"task": 0, **detail}] if detail else None
    return StartRequest(run_options(task.start_options), [task.kind], [input], task.decode_result, details=details)


def task_detail(task: AnyTask, limits: Sequence[JsonObject] | None) -> Detail:
    """Return the entry of `p_details` for a task: the options that apply to this task only."""
    options, trace = task.start_options, carrier() if TRACING in sys.modules else {}
    if not options and limits is None:
        return {"metadata": trace} if trace else {}
    at, delay = options.get("available_at"), options.get("delay")
    detail: Detail = {
        "delay_seconds": None if delay is None else seconds(delay),
        "available_at": at.isoformat() if at else None,
        "name": options.get("name"),
        "queue_job_id": options.get("external_id"),
        "metadata": {**trace, **(_metadata(task.name, options) or {})} or None,
        "limits": limits,
    }
    return {key: value for key, value in detail.items() if value is not None}


def run_options(options: StartOptions) -> RunOptions:
    """Return `p_run`: the options that apply to the run as a whole."""
    if not options:
        return {}
    run = {
        "dedupe_key": options.get("dedupe_key"),
        "group": options.get("resource_group"),
        "id": options.get("run_id"),
        "max_attempts": options.get("run_attempts"),
        "metadata": _metadata("the run", options),
        "deadline_seconds": options.get("deadline"),
        "expires_seconds": options.get("expires"),
        "hold": options.get("hold") or None,
    }
    return cast("RunOptions", {key: value for key, value in run.items() if value is not None})


def check_graph_options(what: str, options: Mapping[str, object]) -> StartOptions:
    """Check the start options of a whole graph; other options belong to its tasks."""
    for key in options:
        if key in START_OPTIONS and key not in GRAPH_OPTIONS:
            raise InvalidInput(f"{what}: {key} is an option of a task, not of a graph", f"write task.options({key}=…)")
    return check_start(what, options)


def take_objects(text: str, first: int = 0) -> tuple[str, list[JsonObject]]:
    """Replace data objects in an input with slots, and return both. A slot keeps its object alive for as long as the
    task is stored."""
    if '{"$object":' not in text:
        return text, []
    slots: list[JsonObject] = []
    return dump(_objects_to_slots(load(text), slots, first)), slots


def _objects_to_slots(value: Json, slots: list[JsonObject], first: int) -> Json:
    if isinstance(value, list):
        return [_objects_to_slots(item, slots, first) for item in value]
    if not isinstance(value, dict):
        return value
    if "$object" not in value:
        return {key: _objects_to_slots(item, slots, first) for key, item in value.items()}
    slots.append({"object": value["$object"]})
    return {"$slot": first + len(slots) - 1}


def _metadata(what: str, options: StartOptions) -> JsonObject | None:
    if (given := options.get("metadata")) is None:
        return None
    metadata = dict(given)
    try:
        check_json(metadata, "metadata")
        dump(metadata)
    except NotSerializable as problem:
        raise refuse(what, problem) from problem
    return metadata
