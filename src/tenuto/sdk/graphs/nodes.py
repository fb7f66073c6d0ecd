"""The parts of a graph: tasks with their inputs, what they give, and the handles that users pass around."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from tenuto.model.errors import InvalidInput
from tenuto.sdk.task import Task

R = TypeVar("R")
On = Literal["completed", "failed", "continue"]
End = Literal["completed", "failed", "cancelled"]
ON = ("completed", "failed", "continue")


@dataclass(eq=False)
class Vertex:
    """One task of a graph. Its input names its slots: what other tasks give, and data objects."""

    task: Task[..., Any]
    input: str
    slots: "list[Output | dict[str, Any]]"
    limits: list[dict[str, Any]] | None = None
    waits: "dict[Vertex, On]" = field(default_factory=dict)  # pyright: ignore[reportUnknownVariableType]
    handler: End | None = None
    split: int = 0  # how many places of its tuple others read one by one

    def __str__(self) -> str:
        return self.task.said.get("name", self.task.name)

    def above(self) -> "set[Vertex]":
        """The tasks it waits for, for their data or only for their end."""
        return {*self.waits, *(slot.vertex for slot in self.slots if isinstance(slot, Output))}


@dataclass(frozen=True)
class Output:
    """What a task gives: all of it, or one place of its tuple."""

    vertex: Vertex
    place: int | None = None
    hint: Any = None


class _Owner(Protocol):
    def check_own(self, node: "Node[Any]") -> None: ...


class Node(Generic[R]):
    """A task, a nested graph or a composition inside a graph. Pass it to others: they get what it gives."""

    def __init__(self, graph: _Owner, vertices: list[Vertex], outputs: list[Output]) -> None:
        self.graph = graph
        self.vertices = vertices
        self.outputs = outputs

    def __repr__(self) -> str:
        return f"<node {', '.join(map(str, self.vertices[:3]))}>"

    def after(self, *nodes: "Node[Any]", on: On = "completed") -> "Node[R]":
        """Wait for these too. on="failed": run only if they fail; on="continue": whether or not they fail."""
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


class Nodes(list[Node[R]]):
    """The nodes of one `g.map`, in order."""


def sinks(vertices: Iterable[Vertex]) -> list[Vertex]:
    """Those that no other of them waits for; handlers are never asked for what they give."""
    plain = [vertex for vertex in vertices if vertex.handler is None] or list(vertices)
    waited = {one for vertex in plain for one in vertex.above()}
    return [vertex for vertex in plain if vertex not in waited]


def outputs_in(value: Any) -> Iterator[Output]:
    """What an argument gets from other tasks."""
    if isinstance(value, Output):
        yield value
    elif isinstance(value, Node):
        yield from cast("Node[Any]", value).outputs
    elif isinstance(value, list | tuple | set | frozenset):
        for one in cast("Iterable[Any]", value):
            yield from outputs_in(one)
    elif isinstance(value, Mapping):
        for one in cast("Mapping[Any, Any]", value).values():
            yield from outputs_in(one)


def check_ends(source: Vertex, target: Vertex) -> None:
    """Handlers of an end wait only for each other."""
    if source.handler != target.handler:
        raise InvalidInput(
            f"{target} waits for {source}, and one of them is a handler of another end",
            "handlers start when all other tasks have ended; share values with ctx.data",
        )
