"""The parts of a graph: vertices (tasks with inputs), their outputs, and the nodes that users pass around."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from tenuto.model.errors import InvalidInput
from tenuto.model.json import JsonObject
from tenuto.sdk.task import AnyTask

R = TypeVar("R")
On = Literal["completed", "failed", "continue"]
End = Literal["completed", "failed", "cancelled"]
ON = ("completed", "failed", "continue")


@dataclass(eq=False)
class Vertex:
    """One task of a graph. Its input refers to its slots: outputs of other tasks, and data objects."""

    task: AnyTask
    input: str
    slots: "list[Output | JsonObject]"
    limits: list[JsonObject] | None = None
    waits: "dict[Vertex, On]" = field(default_factory=dict)  # pyright: ignore[reportUnknownVariableType]
    handler: End | None = None
    split: int = 0  # number of elements of its tuple that other tasks read separately

    def __str__(self) -> str:
        return self.task.start_options.get("name") or self.task.name

    def above(self) -> "set[Vertex]":
        """Return the tasks that this task waits for, whether it uses their outputs or not."""
        return {*self.waits, *(slot.vertex for slot in self.slots if isinstance(slot, Output))}


@dataclass(frozen=True)
class Output:
    """The whole output of a task, or one element of an output that is a tuple."""

    vertex: Vertex
    place: int | None = None
    hint: object = None


class _Owner(Protocol):
    def check_own(self, node: "AnyNode") -> None: ...


class Node(Generic[R]):
    """A task, nested graph or composition inside a graph. Pass it to another task to pass its output."""

    def __init__(self, graph: _Owner, vertices: list[Vertex], outputs: list[Output]) -> None:
        self.graph = graph
        self.vertices = vertices
        self.outputs = outputs

    def __repr__(self) -> str:
        return f"<node {', '.join(map(str, self.vertices[:3]))}>"

    def after(self, *nodes: "AnyNode", on: On = "completed") -> "Node[R]":
        """Also wait for these nodes. on="failed": run only if they fail; on="continue": run whether or not they
        fail."""
        if on not in ON:
            raise InvalidInput(f"on={on!r} is not a condition", 'write "completed", "failed" or "continue"')
        own = set(self.vertices)
        roots = [vertex for vertex in self.vertices if not own & vertex.above()]
        for node in nodes:
            self.graph.check_own(node)
            for sink in sinks(node.vertices):
                for root in roots:
                    check_ends(sink, root)
                    root.waits[sink] = on
        return self


AnyNode = Node[Any]


class Nodes(list[Node[R]]):
    """The nodes of one `g.map`, in the order of the items."""


def sinks(vertices: Iterable[Vertex]) -> list[Vertex]:
    """Return the vertices that no other vertex waits for. Handlers are left out unless there is nothing else."""
    plain = [vertex for vertex in vertices if vertex.handler is None] or list(vertices)
    waited = {source for vertex in plain for source in vertex.above()}
    return [vertex for vertex in plain if vertex not in waited]


def outputs_in(value: object) -> Iterator[Output]:
    """Yield the outputs of other tasks that an argument contains."""
    if isinstance(value, Output):
        yield value
    elif isinstance(value, Node):
        yield from cast("AnyNode", value).outputs
    elif isinstance(value, list | tuple | set | frozenset):
        for item in cast("Iterable[object]", value):
            yield from outputs_in(item)
    elif isinstance(value, Mapping):
        for item in cast("Mapping[object, object]", value).values():
            yield from outputs_in(item)


def check_ends(source: Vertex, target: Vertex) -> None:
    """Raise InvalidInput unless both tasks are handlers for the same outcome, or neither of them is a handler."""
    if source.handler != target.handler:
        raise InvalidInput(
            f"{target} depends on {source}, but they are not handlers for the same outcome",
            "handlers start when all other tasks have ended; share values with ctx.data",
        )
