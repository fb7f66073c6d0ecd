"""A plan: what one start says to the kernel, made and checked without it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.model.errors import InvalidInput
from tenuto.model.ids import uuid7
from tenuto.sdk.options import START_OPTIONS, StartOptions, check_start
from tenuto.sdk.task import Task
from tenuto.sdk.tracing import carrier
from tenuto.sdk.values.codecs import refuse
from tenuto.sdk.values.wire_format import NotSerializable, dump, load

R = TypeVar("R")

OF_RUN = ("dedupe_key", "resource_group", "run_attempts", "metadata")
OF_GRAPH = frozenset((*OF_RUN, "delay", "available_at", "name", "connection"))


@dataclass(frozen=True)
class StartRequest:
    """The arguments of `start_run`, and how to read the run's output. Inputs are JSON text."""

    run: dict[str, Any]
    kinds: list[dict[str, Any]]
    inputs: list[str]
    read: Callable[[Any], Any]
    task_kinds: list[int] | None = None
    details: list[dict[str, Any]] | None = None
    edges: list[dict[str, Any]] | None = None

    def statement(self, org_id: UUID) -> start_statements.Statement:
        """The start as one statement."""
        if self.is_plain():
            return together([self], org_id)
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
        """A run of one task and nothing more: `start_many` takes two thirds of the time of `start_run` for it."""
        if self.task_kinds is not None or not self.run.keys() <= {"group", "dedupe_key"}:
            return False
        return not any("slots" in detail for detail in self.details or ())

    def is_bare(self) -> bool:
        """A plain one of which nothing is said that is kept apart from its kind."""
        return self.is_plain() and not self.details and "dedupe_key" not in self.run


def together(plans: Sequence[StartRequest], org_id: UUID) -> start_statements.Statement:
    """Plain plans of one kind and one resource group as one statement, which answers each in order."""
    keys = [plan.run.get("dedupe_key") for plan in plans]
    return start_statements.start_many(
        org_id=org_id,
        kinds=json.dumps(plans[0].kinds),
        inputs=[input for plan in plans for input in plan.inputs],
        ids=[uuid7() for _ in plans],
        details=details_of(plans),
        dedupe_keys=keys if any(key is not None for key in keys) else None,
        group=plans[0].run.get("group"),
        answer=True,
    )


def details_of(plans: Sequence[StartRequest]) -> str | None:
    """What only some tasks of plain plans have, as JSON."""
    details = [{**detail, "task": no} for no, plan in enumerate(plans) for detail in plan.details or ()]
    return json.dumps(details) if details else None


def split_options(task: Task[..., R], kwargs: Mapping[str, Any]) -> tuple[Task[..., R], dict[str, Any]]:
    """The task with the options among these keywords, and the rest. A parameter of the function comes first."""
    said = {key: value for key, value in kwargs.items() if key in START_OPTIONS}
    if not said:
        return task, dict(kwargs)
    said = {key: value for key, value in said.items() if key not in task.signature.parameters}
    rest = {key: value for key, value in kwargs.items() if key not in said}
    return task.options(**said), rest  # pyright: ignore[reportArgumentType]


def plan_task(task: Task[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> StartRequest:
    """A run of one task."""
    input, slots = take_objects(task.encode_args(args, kwargs))
    detail = detail_of(task, task.limits_of(args, kwargs))
    if slots:
        detail["slots"] = slots
    details = [{"task": 0, **detail}] if detail else None
    return StartRequest(run_of(task.said), [task.kind()], [input], task.decode_result, details=details)


def detail_of(task: Task[..., Any], limits: Sequence[dict[str, Any]] | None) -> dict[str, Any]:
    """What only this task has, as `p_details` takes it."""
    said: Mapping[str, Any] = task.said
    if not said and limits is None:
        return {"metadata": trace} if (trace := carrier()) else {}
    at: datetime | None = said.get("available_at")
    detail: dict[str, Any] = {
        "delay_seconds": said.get("delay"),
        "available_at": at.isoformat() if at else None,
        "name": said.get("name"),
        "queue_job_id": said.get("external_id"),
        "metadata": {**carrier(), **(_metadata(task.name, said) or {})} or None,
        "limits": limits,
    }
    return {key: value for key, value in detail.items() if value is not None}


def run_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the run, as `p_run` takes it."""
    if not said:
        return {}
    run = {
        "dedupe_key": said.get("dedupe_key"),
        "group": said.get("resource_group"),
        "max_attempts": said.get("run_attempts"),
        "metadata": _metadata("the run", said),
    }
    return {key: value for key, value in run.items() if value is not None}


def check_graph_options(what: str, said: Mapping[str, Any]) -> StartOptions:
    """What may be said of a whole graph; the rest is said of its tasks."""
    for key in said:
        if key in START_OPTIONS and key not in OF_GRAPH:
            raise InvalidInput(f"{what}: {key} is said of a task, not of a graph", f"write task.options({key}=…)")
    return check_start(what, said)  # pyright: ignore[reportReturnType]


def take_objects(text: str, first: int = 0) -> tuple[str, list[dict[str, Any]]]:
    """Data objects in an input become slots, which hold a reference to them for as long as the task is kept."""
    if '{"$object":' not in text:
        return text, []
    slots: list[dict[str, Any]] = []
    return dump(_lift(load(text), slots, first)), slots


def _lift(value: Any, slots: list[dict[str, Any]], first: int) -> Any:
    if isinstance(value, list):
        return [_lift(one, slots, first) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    held = cast("dict[str, Any]", value)
    if "$object" not in held:
        return {key: _lift(one, slots, first) for key, one in held.items()}
    slots.append({"object": held["$object"]})
    return {"$slot": first + len(slots) - 1}


def _metadata(what: str, said: Mapping[str, Any]) -> dict[str, Any] | None:
    if "metadata" not in said:
        return None
    from tenuto.sdk.values.json_codec import check_json

    metadata = dict(said["metadata"])
    try:
        check_json(metadata, "metadata")
        dump(metadata)
    except NotSerializable as problem:
        raise refuse(what, problem) from problem
    return metadata
