"""Converts a graph to a start request: order, kinds, slots and edges. Rejects cycles and incompatible types."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from tenuto.model.durations import seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.model.tasks import MAX_TASKS
from tenuto.sdk.client.start_request import Detail, StartRequest, check_graph_options, run_options, task_detail
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.graphs.nodes import Output, Vertex, sinks
from tenuto.sdk.option_types import StartOptions
from tenuto.sdk.values.codecs import as_value, codec_of
from tenuto.sdk.values.wire_format import dump


def build_graph_start(graph: Graph, start_options: Mapping[str, object]) -> StartRequest:
    """Return the start request for one start of the graph."""
    input = as_value("the input of the run", start_options.get("input"))
    options = check_graph_options(str(graph), {key: value for key, value in start_options.items() if key != "input"})
    if not 1 <= len(graph.vertices) <= MAX_TASKS:
        raise InvalidInput(f"{graph}: a run has 1 to {MAX_TASKS:,} tasks", "add tasks, or start several runs")
    order = _in_order(graph.vertices)
    number = {vertex: no for no, vertex in enumerate(order)}
    numbers: dict[str, int] = {}
    kinds: list[JsonObject] = []
    task_kinds: list[int] = []
    details: list[Detail] = []
    edges: list[JsonObject] = []
    for no, vertex in enumerate(order):
        kind = _kind_of(vertex)
        known = numbers.setdefault(dump(kind), len(numbers))
        if known == len(kinds):
            kinds.append(kind)
        task_kinds.append(known)
        if detail := {**_when(vertex, options), **_detail_of(vertex, number)}:
            details.append({"task": no, **detail})
        edges.extend({"from": number[source], "to": no, "on": on} for source, on in vertex.waits.items())
    run = run_options(options)
    if input is not None:
        run["input"] = input
    if name := options.get("name", graph.name):
        run["name"] = name
    if (outputs := _outputs(graph)) is not None:
        run["outputs"] = [_slot(output, number) for output in outputs]
    return StartRequest(run, kinds, [vertex.input for vertex in order], _reader(graph), task_kinds, details, edges)


def _kind_of(vertex: Vertex) -> JsonObject:
    kind = vertex.task.kind
    return {**kind, "handler": vertex.handler} if vertex.handler else kind


def _when(vertex: Vertex, options: StartOptions) -> JsonObject:
    """Return the delay or start time of the graph for a task that waits for no other task; nothing for other tasks."""
    if vertex.handler or vertex.above():
        return {}
    times: JsonObject = {}
    if (delay := options.get("delay")) is not None:
        times["delay_seconds"] = seconds(delay)
    if (at := options.get("available_at")) is not None:
        times["available_at"] = at.isoformat()
    return times


def _detail_of(vertex: Vertex, number: Mapping[Vertex, int]) -> Detail:
    detail = task_detail(vertex.task, vertex.limits)
    if vertex.slots:
        detail["slots"] = [_slot(slot, number) if isinstance(slot, Output) else slot for slot in vertex.slots]
    if vertex.split:
        detail["outputs"] = ["any"] * vertex.split
    return detail


def _slot(output: Output, number: Mapping[Vertex, int]) -> dict[str, int]:
    place = {} if output.place is None else {"output": output.place}
    return {"task": number[output.vertex], **place}


def _in_order(vertices: list[Vertex]) -> list[Vertex]:
    """Return the vertices in the order in which they were added, except that each comes after the vertices it waits
    for."""
    place = {vertex: no for no, vertex in enumerate(vertices)}
    below: dict[Vertex, list[Vertex]] = defaultdict(list)
    open_: dict[Vertex, int] = {}
    for vertex in vertices:
        above = vertex.above()
        open_[vertex] = len(above)
        for neighbour in above:
            below[neighbour].append(vertex)
    ready = [place[vertex] for vertex in vertices if not open_[vertex]]
    order: list[Vertex] = []
    while ready:
        vertex = vertices[heapq.heappop(ready)]
        order.append(vertex)
        for neighbour in below[vertex]:
            open_[neighbour] -= 1
            if not open_[neighbour]:
                heapq.heappush(ready, place[neighbour])
    if len(order) < len(vertices):
        raise InvalidInput(f"the tasks wait for each other in a circle: {_circle(set(vertices) - set(order))}")
    return order


def _circle(left: set[Vertex]) -> str:
    """Describe one cycle among the tasks that never became ready."""
    path = [next(iter(left))]
    while True:
        following = next(iter(path[-1].above() & left))
        if following in path:
            names = [*path[path.index(following) :], following]
            return " waits for ".join(map(str, names))
        path.append(following)


def _outputs(graph: Graph) -> list[Output] | None:
    """Return the declared outputs. If none are declared, return None, with one exception: if there are several last
    tasks, and a task may end without output, return the outputs of the last tasks, so that each keeps its position."""
    given = graph.declared
    if given is None:
        ends = sinks(graph.vertices)
        uncertain = any(
            vertex.task.declared.optional or set(vertex.waits.values()) - {"completed"} for vertex in graph.vertices
        )
        if not uncertain or len(ends) == 1:
            return None
        given = [Output(vertex, None, vertex.task.returns) for vertex in ends]
    return given


def _reader(graph: Graph) -> Callable[[Json], Any]:
    """Return a function that decodes the run's output."""
    given = graph.declared or [Output(vertex, None, vertex.task.returns) for vertex in sinks(graph.vertices)]

    def read_one(output: Output, value: Json) -> Any:
        if value is None:
            return None
        if output.place is None:
            return output.vertex.task.decode_result(value)
        return codec_of(output.hint).decode(value, "the result")

    def read(value: Json) -> Any:
        if graph.declared is None and len(given) == 1:
            return read_one(given[0], value)
        if not isinstance(value, list) or len(value) != len(given):
            return value
        return [read_one(vertex, part) for vertex, part in zip(given, value, strict=True)]

    return read
