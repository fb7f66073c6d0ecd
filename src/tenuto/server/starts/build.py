"""Builds start requests from request bodies. Does not check that a type exists, because its worker may be started
later."""

import sys
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import lru_cache
from typing import Any, NoReturn, cast
from uuid import UUID

from tenuto.model.durations import seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.tasks import MAX_TASKS
from tenuto.sdk.client.start_request import RUN_OPTIONS, StartRequest, run_options, task_detail
from tenuto.sdk.graphs.compile import build_graph_start
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.graphs.nodes import Output, Vertex
from tenuto.sdk.options import OF_KIND, TaskOptions, check_start
from tenuto.sdk.retries import MAX_BACKOFF_SECONDS, Exponential
from tenuto.sdk.task import Task
from tenuto.sdk.task_reference import TaskReference, as_json
from tenuto.sdk.tracing import KEYS, TRACING, carrier
from tenuto.sdk.values.wire_format import check_size, dump, refuse_reserved
from tenuto.server.schemas.starts import AddGraphRequest, AddTaskRequest, GraphNode, TaskSpecFields

TASK_START_OPTIONS = ("delay", "available_at", "name", "external_id", *RUN_OPTIONS)
GRAPH_START_OPTIONS = ("delay", "available_at", "input", *RUN_OPTIONS)


Slot = Output | dict[str, Any]
FindOutput = Callable[[str, int | None], Output | list[Output]]  # returns the output of the task with this name
MAX_CACHED_SPECS = 1000  # building the spec of a type costs more than the rest of a start
_known: dict[str, Task[..., Any]] = {}
BASIC_FIELDS = {"type", "input"}  # most starts have only these


class StartBuilder:
    """Builds the start requests of one HTTP request."""

    def build(self, body: AddTaskRequest | AddGraphRequest) -> StartRequest:
        return self._build_graph(body) if isinstance(body, AddGraphRequest) else self._build_task(body)

    def _build_task(self, body: AddTaskRequest) -> StartRequest:
        if body.model_fields_set <= BASIC_FIELDS and not (TRACING in sys.modules and carrier()):
            text, slots = read_input(body.type, body.input)
            if not slots:
                return StartRequest({}, [_plain_kind(body.type)], [text], as_json)
        task = self.task(body)
        text, slots = read_input(body.type, body.input)
        detail = task_detail(task, limits_of(body))
        if slots:
            detail["slots"] = slots
        run = run_options(task.start_options)
        if own := {key: value for key, value in run.pop("metadata", {}).items() if key not in KEYS}:
            run["metadata"] = own  # the trace context belongs to the task, not to the run
        return StartRequest(run, [task.kind], [text], as_json, details=[{"task": 0, **detail}] if detail else None)

    def _build_graph(self, body: AddGraphRequest) -> StartRequest:
        graph = _GraphBuilder(self, body).read()
        refuse_reserved("the input of the run", getattr(body, "input", None))
        return build_graph_start(graph, _given(body, GRAPH_START_OPTIONS))

    def task(self, body: TaskSpecFields) -> Task[..., Any]:
        """Returns a task of this type with the options of the body."""
        of_kind = _given(body, OF_KIND)
        key = repr((body.type, body.language, body.backoff, of_kind, body.inherit))
        if key not in _known:
            if len(_known) >= MAX_CACHED_SPECS:
                _known.clear()
            declared = TaskOptions(language=body.language or "python", retry=_backoff(body))
            kept = frozenset(_given(body, ("language", "backoff")))
            _known[key] = TaskReference(body.type, declared, kept=kept, inherits=body.inherit).with_options(of_kind)
        task = copy(_known[key])
        options = check_start(body.type, _given(body, TASK_START_OPTIONS))
        task.start_options = options  # pyright: ignore[reportAttributeAccessIssue]
        return task


def types_of(body: AddTaskRequest | AddGraphRequest) -> set[str]:
    return {task.type for task in _tasks_of(body)}


def queues_of(body: AddTaskRequest | AddGraphRequest) -> set[str]:
    """Returns the queues that the body names. The queue of any other task is the one that its worker declared."""
    return {task.queue for task in _tasks_of(body) if task.queue is not None}


def _tasks_of(body: AddTaskRequest | AddGraphRequest) -> Iterable[TaskSpecFields]:
    return body.graph.tasks.values() if isinstance(body, AddGraphRequest) else [body]


@lru_cache(MAX_CACHED_SPECS)
def _plain_kind(type: str) -> dict[str, Any]:
    return StartBuilder().task(AddTaskRequest(type=type)).kind


class _GraphBuilder:
    """Builds a graph. Creates all tasks first, so that each can refer to any other, and then connects them."""

    def __init__(self, builder: StartBuilder, body: AddGraphRequest) -> None:
        self._builder, self._graph_of = builder, body.graph
        self._made: dict[str, list[Vertex]] = {}

    def read(self) -> Graph:
        graph = Graph(self._graph_of.name)
        nodes = self._graph_of.tasks
        if (count := sum(len(node.map or "1") for node in nodes.values())) > MAX_TASKS:
            raise InvalidInput(f"the graph has {count:,} tasks, more than {MAX_TASKS:,}", "start several runs")
        for name, node in nodes.items():
            self._made[name] = list(self._make(name, node))
        for name, node in nodes.items():
            self._join(name, node)
        for vertex in (vertex for made in self._made.values() for vertex in made):
            graph.place(vertex)
        if self._graph_of.outputs is not None:
            outputs = [self._find(reference.output, reference.index) for reference in self._graph_of.outputs]
            graph.declared = [each for output in outputs for each in (output if isinstance(output, list) else [output])]
        return graph

    def _make(self, name: str, node: GraphNode) -> Iterable[Vertex]:
        task = self._builder.task(node)
        own = node.name if "name" in node.model_fields_set else name
        for no in range(len(node.map or "1")):
            node_task = copy(task)
            called = {} if own is None else {"name": own if node.map is None else f"{own}[{no}]"}
            unnamed = {key: value for key, value in task.start_options.items() if key != "name"}
            node_task.start_options = {**unnamed, **called}  # pyright: ignore[reportAttributeAccessIssue]
            yield Vertex(node_task, "", [], limits_of(node), handler=node.handler, split=node.output_count or 0)

    def _join(self, name: str, node: GraphNode) -> None:
        inputs = [node.input] if node.map is None else [_merged(name, node, item) for item in node.map]
        for vertex, input in zip(self._made[name], inputs, strict=True):
            vertex.input, vertex.slots = read_input(name, input, self._find)
            for after in node.after:
                other, on = (after, "completed") if isinstance(after, str) else (after.task, after.on)
                vertex.waits.update(dict.fromkeys(self._vertices(other), on))

    def _vertices(self, name: str) -> list[Vertex]:
        if name not in self._made:
            shown = f"its tasks are {', '.join(self._made):.200}"
            raise InvalidInput(f"there is no task {name!r:.100} in the graph", shown)
        return self._made[name]

    def _find(self, name: str, index: int | None) -> Output | list[Output]:
        vertices = self._vertices(name)
        count = vertices[0].split
        if index is not None and index >= count:
            raise InvalidInput(
                f"there is no output {index} of {name!r}: its output_count is {count}",
                f'set "output_count" of {name!r} to the length of the list that it returns',
            )
        outputs = [Output(vertex, index) for vertex in vertices]
        return outputs if self._graph_of.tasks[name].map is not None else outputs[0]


def _merged(name: str, node: GraphNode, item: Json) -> Json:
    """Returns the input of one item of a map. An object has arguments by name, which are merged with the input of the
    node. A list has the positional arguments. Any other value is the first argument."""
    if isinstance(item, dict) and isinstance(node.input, dict) and not any(key.startswith("$") for key in item):
        return {**node.input, **item}
    if node.input:
        raise InvalidInput(
            f"{name}: input and the items of map can be merged only if all are objects of named arguments",
            "leave input out, or write it and every item as an object without keys that begin with $",
        )
    return item if isinstance(item, list) else [item]


def _given(body: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(body, name, None)) is not None}


def limits_of(body: TaskSpecFields) -> list[dict[str, Any]] | None:
    return [limit.model_dump(exclude_none=True) for limit in body.limits] if body.limits else None


def _backoff(body: TaskSpecFields) -> Exponential | None:
    if body.backoff is None:
        return None
    base = seconds(body.backoff, f"{body.type}: backoff")
    return Exponential(base, max(base, MAX_BACKOFF_SECONDS))


def read_input(what: str, value: Any, find: FindOutput | None = None) -> tuple[str, list[Slot]]:
    """Returns the input as JSON text, and its slots: its data objects and, with `find`, the outputs of other tasks in
    it. A value that is neither a list nor an object becomes the first argument."""
    value = cast("Json", value if isinstance(value, dict | list) else [value])
    text = dump(value)
    reader = _InputReader(what, find)
    if '"$' in text:
        text = dump(reader.read(value, "input"))
    if len(text) > 100_000:
        check_size(f"the input of {what}", text)
    return text, list(reader.slots.values())


class _InputReader:
    """Reads one untrusted input. Replaces `$object` and `$output` by slots, and refuses the other reserved keys of the
    wire format."""

    def __init__(self, what: str, find: FindOutput | None) -> None:
        self._what, self._find = what, find
        self.slots: dict[Any, Slot] = {}
        self._places: dict[Any, int] = {}

    def read(self, value: Any, where: str) -> Any:
        if isinstance(value, list):
            return [self.read(item, f"{where}[{no}]") for no, item in enumerate(cast("list[Any]", value))]
        if not isinstance(value, dict):
            return value
        members = cast("dict[str, Any]", value)
        if "$object" in members:
            id = self._object(members, where)
            return self._slot(id, {"object": id})
        if "$output" in members:
            return self._output(members, where)
        for key in ("$pickle", "$slot"):
            if key in members:
                self._refuse(where, f"the key {key!r} is not accepted over HTTP", "use another key, and plain JSON")
        return {key: self.read(item, f"{where}.{key}") for key, item in members.items()}

    def _object(self, members: Mapping[str, Any], where: str) -> str:
        id = members["$object"] if len(members) == 1 else None
        try:
            return str(UUID(id))
        except (ValueError, AttributeError, TypeError):
            return self._refuse(where, f"{members!r:.60} is not a data object", 'write {"$object": "<its id>"}')

    def _output(self, members: Mapping[str, Any], where: str) -> Any:
        name, index = members["$output"], members.get("index")
        if self._find is None:
            self._refuse(where, "the key '$output' is allowed only in the tasks of a graph", "use another key")
        sound = isinstance(name, str) and (index is None or (type(index) is int and index >= 0))
        if not sound or not members.keys() <= {"$output", "index"}:
            self._refuse(where, f"{members!r:.60} is not an output", 'write {"$output": "<name of a task>"}')
        try:
            outputs = self._find(name, index)
        except InvalidInput as problem:
            raise InvalidInput(f"{self._what}: {where}: {problem.message}", problem.hint) from problem
        return (
            [self._slot(output, output) for output in outputs]
            if isinstance(outputs, list)
            else self._slot(outputs, outputs)
        )

    def _slot(self, key: Any, slot: Slot) -> dict[str, int]:
        self.slots.setdefault(key, slot)
        return {"$slot": self._places.setdefault(key, len(self._places))}

    def _refuse(self, where: str, what: str, hint: str) -> NoReturn:
        raise InvalidInput(f"{self._what}: {where}: {what}", hint)
