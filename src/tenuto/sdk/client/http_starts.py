"""Converts start requests to the JSON of the HTTP API, where the tasks of a graph have names and refer to outputs by
name."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from tenuto.model.json import Json, JsonObject
from tenuto.sdk.client.start_many import BulkStart
from tenuto.sdk.client.start_request import RUN_OPTIONS, RunOptions, StartRequest
from tenuto.sdk.values.wire_format import dump, fill_slots, load

NAMES = {
    "timeout_seconds": "timeout",
    "heartbeat_timeout_seconds": "heartbeat_timeout",
    "backoff_seconds": "backoff",
    "delay_seconds": "delay",
    "queue_job_id": "external_id",
}
RUN_FIELDS = {**{key: option for option, key in RUN_OPTIONS.items()}, "id": "id", "input": "input"}
OPEN_RUN_FIELDS = {**RUN_FIELDS, "name": "name"}
MAX_BATCH_TASKS = 10_000
MAX_BATCH_BYTES = 60 * 1024 * 1024  # per request; the server accepts 64 MB


def start_of(request: StartRequest) -> JsonObject:
    """Return the body of `POST /v1/runs` for one run."""
    run = {RUN_FIELDS[key]: value for key, value in cast("JsonObject", request.run).items() if key in RUN_FIELDS}
    if request.task_kinds is not None:
        return {**run, "graph": _graph(request, request.task_kinds)}
    detail = (request.details or [{}])[0]
    return {**run, **_task(request.kinds[0], detail), "input": _input(request.inputs[0], detail)}


def addition_of(request: StartRequest) -> JsonObject:
    """Return the body of `POST /v1/runs/{id}/tasks`."""
    return {**start_of(request), **({"id": str(request.ids[0])} if request.ids else {})}


def run_fields(run: RunOptions) -> JsonObject:
    """Return the options of an open run as fields of `POST /v1/runs`."""
    return {OPEN_RUN_FIELDS[key]: value for key, value in cast("JsonObject", run).items()}


def starts_of(many: BulkStart) -> Iterator[list[str]]:
    """Yield the starts of `start_many` as lists of JSON texts, each list small enough for one request."""
    (kind,) = load(many.kind)
    shared = {**_task(kind, {}), **({"resource_group": many.group} if many.group else {})}
    batch: list[str] = []
    size = 0
    for no, input in enumerate(many.inputs):
        own = _task({}, many.details[no]) if many.details else {}
        key = {"dedupe_key": many.dedupe_keys[no]} if many.dedupe_keys and many.dedupe_keys[no] else {}
        text = f'{dump({**shared, **own, **key})[:-1]},"input":{input}}}'
        if batch and (len(batch) == MAX_BATCH_TASKS or size + len(text) > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text.encode()) + 1
    if batch:
        yield batch


def schedule_of(request: StartRequest) -> JsonObject:
    """Return the body of `PUT /v1/schedules/{name}`, without the fields that say when the schedule fires."""
    detail = (request.details or [{}])[0]
    return {**_task(request.kinds[0], detail), "input": _input(request.inputs[0], detail)}


def _graph(request: StartRequest, task_kinds: list[int]) -> JsonObject:
    names = [f"t{no}" for no in range(len(task_kinds))]
    details = {detail["task"]: detail for detail in request.details or ()}
    tasks: dict[str, dict[str, Any]] = {}
    for no, name in enumerate(names):
        detail = details.get(no, {})
        count = {"output_count": len(detail["outputs"])} if "outputs" in detail else {}
        tasks[name] = {**_task(request.kinds[task_kinds[no]], detail), "name": detail.get("name"), **count}
        tasks[name]["input"] = _input(request.inputs[no], detail, names)
    edges: list[dict[str, Any]] = request.edges or []
    for edge in edges:
        tasks[names[edge["to"]]].setdefault("after", []).append({"task": names[edge["from"]], "on": edge["on"]})
    graph: JsonObject = {"tasks": tasks}
    if "name" in request.run:
        graph["name"] = request.run["name"]
    if "outputs" in request.run:
        graph["outputs"] = [_reference(slot, names) for slot in request.run["outputs"]]
    return graph


def _task(kind: Mapping[str, Json], detail: Mapping[str, Json]) -> JsonObject:
    options = {**kind, **{key: value for key, value in detail.items() if key not in ("task", "slots", "outputs")}}
    # The caller has the app. So options that it omits come from the declaration in its code, not from the declaration
    # that workers registered.
    return {"inherit": False, **{NAMES.get(key, key): value for key, value in options.items()}}


def _input(text: str, detail: Mapping[str, Any], names: list[str] | None = None) -> Json:
    slots = [_reference(slot, names or []) for slot in detail.get("slots", ())]
    return fill_slots(load(text), slots) if slots else load(text)


def _reference(slot: Mapping[str, Any], names: list[str]) -> JsonObject:
    if "object" in slot:
        return {"$object": slot["object"]}
    index = {"index": slot["output"]} if "output" in slot else {}
    return {"$output": names[slot["task"]], **index}
