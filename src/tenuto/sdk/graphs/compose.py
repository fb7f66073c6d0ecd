"""Composition with `chain` and `group`, as in the task executor Spider: outputs become inputs by position, from left to
right, and their types must match."""

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard, cast, get_args, get_origin

from tenuto.model.errors import InvalidInput
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.graphs.nodes import AnyNode, Node, Output, Vertex, sinks
from tenuto.sdk.graphs.slots import make_vertex
from tenuto.sdk.graphs.type_compat import flows
from tenuto.sdk.task import AnyTask, Task
from tenuto.sdk.values.codecs import show


@dataclass(frozen=True)
class InputSlot:
    """One input or output of a composition: a parameter of a task, the result of a task, or one element of a result."""

    task: str
    name: str
    hint: object

    def __str__(self) -> str:
        return f"{self.name} of {self.task}"


class Composition:
    """Tasks combined with `chain` or `group`. Start it with its inputs, or add it to a graph."""

    def __init__(self, how: str, parts: "tuple[AnyTask | Composition, ...]") -> None:
        if not parts:
            raise InvalidInput(f"{how}() has no tasks", f"write {how}(first, second)")
        for part in parts:
            if not isinstance(part, Task | Composition):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidInput(f"{how} accepts tasks, chains and groups, not {part!r:.60}", "use @app.task")
        self.how, self.parts = how, parts
        if how == "chain":
            self.inputs, self.outputs = inputs_of(parts[0]), outputs_of(parts[-1])
            for first, second in pairwise(parts):
                _check_joint(outputs_of(first), inputs_of(second), first, second)
        else:
            self.inputs = [port for part in parts for port in inputs_of(part)]
            self.outputs = [port for part in parts for port in outputs_of(part)]

    def __repr__(self) -> str:
        names = [part.name if isinstance(part, Task) else repr(part) for part in self.parts]
        return f"{self.how}({', '.join(names)})"

    def bind(self, *args: object) -> Graph:
        """Return a graph with these inputs, for example to start many graphs at once: `tn.start([…])`."""
        graph = Graph()
        node = self.place(graph, args)
        if len(node.outputs) != 1 or node.outputs[0].place is not None:
            graph.declared = node.outputs
        return graph

    def place(self, graph: Graph, args: tuple[object, ...]) -> AnyNode:
        """Add the composition to a graph, with inputs assigned left to right."""
        if len(args) != len(self.inputs):
            takes = ", ".join(f"{port.name}: {show(port.hint)} ({port.task})" for port in self.inputs) or "none"
            raise InvalidInput(f"{self} takes {len(self.inputs)} inputs, not {len(args)}", f"they are {takes}")
        given = [value.outputs[0] if _is_single(value) else value for value in args]
        if self.how == "chain":
            return self._place_chain(graph, given)
        nodes: list[AnyNode] = []
        for part in self.parts:
            count = len(inputs_of(part))
            nodes.append(_place(part, graph, given[:count]))
            given = given[count:]
        vertices = [vertex for node in nodes for vertex in node.vertices]
        return Node(graph, vertices, [output for node in nodes for output in node.outputs])

    def _place_chain(self, graph: Graph, given: list[object]) -> AnyNode:
        vertices: list[Vertex] = []
        last: AnyNode | None = None
        for part in self.parts:
            node = _place(part, graph, given)
            for vertex in node.vertices if last else ():
                # Keep the order even where no data is passed.
                if not vertex.above():
                    vertex.waits.update(dict.fromkeys(sinks(cast("AnyNode", last).vertices), "completed"))
            vertices += node.vertices
            last, given = node, list(node.outputs)
        return Node(graph, vertices, last.outputs if last else [])


def chain(*parts: "AnyTask | Composition") -> Composition:
    """Run tasks one after the other; the outputs of each are the inputs of the next."""
    return Composition("chain", parts)


def group(*parts: "AnyTask | Composition") -> Composition:
    """Run tasks in parallel; inputs are assigned left to right."""
    return Composition("group", parts)


def inputs_of(part: "AnyTask | Composition") -> list[InputSlot]:
    """Return the parameters that need an input. Parameters with a default value are left out."""
    if isinstance(part, Composition):
        return part.inputs
    return [InputSlot(part.name, name, part.signature.hints[name]) for name in part.signature.required]


def outputs_of(part: "AnyTask | Composition") -> list[InputSlot]:
    """Return the outputs: the elements of a fixed-length tuple, nothing for None, otherwise the value itself."""
    if isinstance(part, Composition):
        return part.outputs
    places = _places(part)
    if places is not None:
        return [InputSlot(part.name, f"place {no}", hint) for no, hint in enumerate(places)]
    return [] if part.returns is type(None) else [InputSlot(part.name, "the result", part.returns)]


def _places(task: AnyTask) -> tuple[object, ...] | None:
    inner = get_args(task.returns)
    return inner if get_origin(task.returns) is tuple and inner and inner[-1] is not Ellipsis else None


def _place(part: "AnyTask | Composition", graph: Graph, given: list[object]) -> AnyNode:
    if isinstance(part, Composition):
        return part.place(graph, tuple(given))
    names = part.signature.required
    by_name = names != part.signature.positional[: len(names)]
    named = dict(zip(names, given, strict=True)) if by_name else {}
    vertex = graph.place(make_vertex(part, () if by_name else tuple(given), named))
    places = _places(part)
    if places is not None:
        vertex.split = len(places)
        return Node(graph, [vertex], [Output(vertex, no, hint) for no, hint in enumerate(places)])
    return Node(graph, [vertex], [] if part.returns is type(None) else [Output(vertex, None, part.returns)])


def _check_joint(given: list[InputSlot], taken: list[InputSlot], first: object, second: object) -> None:
    if len(given) != len(taken):
        gives = ", ".join(f"{show(port.hint)} ({port.task})" for port in given) or "none"
        takes = ", ".join(f"{port.name}: {show(port.hint)} ({port.task})" for port in taken) or "none"
        raise InvalidInput(
            f"chain: the outputs of {_name(first)} are {gives}, but the inputs of {_name(second)} are {takes}"
        )
    for source, target in zip(given, taken, strict=True):
        if not flows(source.hint, target.hint):
            raise InvalidInput(
                f"chain: {source} is {show(source.hint)}, but {target} takes {show(target.hint)}",
                "change one of the two type hints, or put a task between them",
            )


def _name(part: object) -> str:
    return part.name if isinstance(part, Task) else repr(part)


def _is_single(value: object) -> TypeGuard[AnyNode]:
    return isinstance(value, Node) and len(cast("AnyNode", value).outputs) == 1
