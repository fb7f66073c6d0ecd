"""From a graph to a plan: order, kinds, slots and edges; cycles and types that do not meet are refused."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, cast

from tenuto.model.errors import InvalidInput
from tenuto.sdk.client.start_request import StartRequest, check_graph_options, detail_of, run_of
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.graphs.nodes import Output, Vertex, sinks
from tenuto.sdk.values.codecs import codec_of
from tenuto.sdk.values.wire_format import dump

MAX_TASKS = 100_000


def plan_graph(graph: Graph, said: Mapping[str, Any]) -> StartRequest:
    """Everything one start of the graph says."""
    options = check_graph_options(str(graph), said)
    if not 1 <= len(graph.vertices) <= MAX_TASKS:
        raise InvalidInput(f"{graph}: a run has 1 to {MAX_TASKS:,} tasks", "add tasks, or start several runs")
    order = _in_order(graph.vertices)
    number = {vertex: no for no, vertex in enumerate(order)}
    kinds: dict[str, int] = {}
    plan = StartRequest({}, [], [], _reader(graph), [], [], [])
    for no, vertex in enumerate(order):
        kind = _kind_of(vertex)
        known = kinds.setdefault(dump(kind), len(kinds))
        if known == len(plan.kinds):
            plan.kinds.append(kind)
        cast("list[int]", plan.task_kinds).append(known)
        detail = {**_when(vertex, options), **_detail_of(vertex, number)}
        plan.inputs.append(vertex.input)
        if detail:
            cast("list[Any]", plan.details).append({"task": no, **detail})
        cast("list[Any]", plan.edges).extend(
            {"from": number[one], "to": no, "on": on} for one, on in vertex.waits.items()
        )
    name = options.get("name", graph.name)
    plan.run.update(run_of(options), **({"name": name} if name else {}), **_outputs(graph, number))
    return plan


def _kind_of(vertex: Vertex) -> dict[str, Any]:
    kind = vertex.task.kind()
    return {**kind, "handler": vertex.handler} if vertex.handler else kind


def _when(vertex: Vertex, options: Mapping[str, Any]) -> dict[str, Any]:
    """A delay of the graph is one of the tasks that it begins with."""
    if vertex.handler or vertex.above():
        return {}
    at = options.get("available_at")
    said = {"delay_seconds": options.get("delay"), "available_at": at.isoformat() if at else None}
    return {key: value for key, value in said.items() if value is not None}


def _detail_of(vertex: Vertex, number: Mapping[Vertex, int]) -> dict[str, Any]:
    detail = detail_of(vertex.task, vertex.limits)
    if vertex.slots:
        detail["slots"] = [_slot(slot, number) if isinstance(slot, Output) else slot for slot in vertex.slots]
    if vertex.split:
        detail["outputs"] = ["any"] * vertex.split
    return detail


def _slot(output: Output, number: Mapping[Vertex, int]) -> dict[str, int]:
    place = {} if output.place is None else {"output": output.place}
    return {"task": number[output.vertex], **place}


def _in_order(vertices: list[Vertex]) -> list[Vertex]:
    """Each after those it waits for, else as they were added."""
    place = {vertex: no for no, vertex in enumerate(vertices)}
    below: dict[Vertex, list[Vertex]] = defaultdict(list)
    open_: dict[Vertex, int] = {}
    for vertex in vertices:
        above = vertex.above()
        open_[vertex] = len(above)
        for one in above:
            below[one].append(vertex)
    ready = [place[vertex] for vertex in vertices if not open_[vertex]]
    order: list[Vertex] = []
    while ready:
        vertex = vertices[heapq.heappop(ready)]
        order.append(vertex)
        for one in below[vertex]:
            open_[one] -= 1
            if not open_[one]:
                heapq.heappush(ready, place[one])
    if len(order) < len(vertices):
        raise InvalidInput(f"the tasks wait for each other in a circle: {_circle(set(vertices) - set(order))}")
    return order


def _circle(left: set[Vertex]) -> str:
    """One of the circles among those that never became ready."""
    path = [next(iter(left))]
    while True:
        following = next(iter(path[-1].above() & left))
        if following in path:
            names = [*path[path.index(following) :], following]
            return " waits for ".join(map(str, names))
        path.append(following)


def _outputs(graph: Graph, number: Mapping[Vertex, int]) -> dict[str, Any]:
    """The declared outputs; also where a task may end without one, so that each keeps its place."""
    given = graph.declared
    if given is None:
        ends = sinks(graph.vertices)
        uncertain = any(one.task.declared.optional or set(one.waits.values()) - {"completed"} for one in graph.vertices)
        if not uncertain or len(ends) == 1:
            return {}
        given = [Output(one, None, one.task.returns) for one in ends]
    return {"outputs": [_slot(one, number) for one in given]}


def _reader(graph: Graph) -> Callable[[Any], Any]:
    """How to read the run's output."""
    given = graph.declared or [Output(one, None, one.task.returns) for one in sinks(graph.vertices)]

    def read_one(output: Output, value: Any) -> Any:
        if value is None:
            return None
        if output.place is None:
            return output.vertex.task.decode_result(value)
        return codec_of(output.hint).decode(value, "the result")

    def read(value: Any) -> Any:
        if graph.declared is None and len(given) == 1:
            return read_one(given[0], value)
        parts = cast("list[Any]", value)
        if not isinstance(value, list) or len(parts) != len(given):
            return parts
        return [read_one(one, part) for one, part in zip(given, parts, strict=True)]

    return read
