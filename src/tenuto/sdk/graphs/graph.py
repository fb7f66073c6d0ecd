"""Builds graphs of tasks. If a node is passed as an argument of a task, the task depends on this node and gets its
output."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast, overload

from tenuto.model.errors import InvalidInput
from tenuto.sdk.client.start_request import GRAPH_OPTIONS, split_options
from tenuto.sdk.graphs.nodes import AnyNode, End, Node, Nodes, On, Output, Vertex, check_ends, outputs_in, sinks
from tenuto.sdk.graphs.slots import make_vertex
from tenuto.sdk.option_types import ChildOptions, shows_options
from tenuto.sdk.task import AnyTask, Task

if TYPE_CHECKING:
    from tenuto.sdk.graphs.compose import Composition

R = TypeVar("R")


class Graph:
    """A graph of tasks: `g = tn.graph("report")`, or `Graph("report")` without a connection."""

    def __init__(self, name: str | None = None) -> None:
        if name is not None and (not isinstance(name, str) or not 1 <= len(name) <= 256):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"Graph({name!r}): a name is a text of 1 to 256 characters")
        self.name = name
        self._own: dict[Vertex, None] = {}  # in the order they were added
        self.declared: list[Output] | None = None

    def __repr__(self) -> str:
        return f"<graph {self.name or ''} of {len(self._own)} tasks>"

    @property
    def vertices(self) -> list[Vertex]:
        """The tasks of the graph, in the order they were added."""
        return list(self._own)

    @overload
    def add(
        self,
        target: Task[..., R],
        /,
        *args: object,
        after: Iterable[AnyNode] | AnyNode = (),
        on: On = "completed",
        **kwargs: object,
    ) -> Node[R]: ...
    @overload
    def add(
        self,
        target: "Graph | Composition",
        /,
        *args: object,
        after: Iterable[AnyNode] | AnyNode = (),
        on: On = "completed",
    ) -> AnyNode: ...
    @shows_options(ChildOptions)
    def add(
        self, target: object, /, *args: object, after: object = (), on: On = "completed", **kwargs: object
    ) -> AnyNode:
        """Add a task, a graph or a composition. `on`: how the nodes in `after` must end so that the added node
        starts."""
        from tenuto.sdk.graphs.compose import Composition

        if isinstance(target, Task):
            node = self._add_task(cast("AnyTask", target), args, kwargs)
        elif isinstance(target, Composition):
            node = target.place(self, args)
        elif isinstance(target, Graph):
            node = self._nest(target)
        else:
            raise InvalidInput(f"a graph takes tasks, graphs, chains and groups, not {target!r:.60}", "use @app.task")
        return _connect(node, after, on)

    @shows_options(ChildOptions)
    def map(
        self,
        task: Task[..., R],
        items: Iterable[object],
        /,
        *,
        after: Iterable[AnyNode] | AnyNode = (),
        on: On = "completed",
        **kwargs: object,
    ) -> Nodes[R]:
        """Add the task once per item. An item that is a tuple contains the positional arguments, a dict contains the
        arguments by name, and any other item is the first argument."""
        added = (self._add_task(task, args, {**kwargs, **named}) for args, named in map(arguments_of, items))
        return Nodes(_connect(node, after, on) for node in added)

    def on_completed(self, task: Task[..., R], /, *args: object, **kwargs: object) -> Node[R]:
        """Add a handler that runs when all other tasks have ended successfully, before the run counts as completed."""
        return self._add_task(task, args, kwargs, "completed")

    def on_failed(self, task: Task[..., R], /, *args: object, **kwargs: object) -> Node[R]:
        """Add a handler that runs when the run is about to fail."""
        return self._add_task(task, args, kwargs, "failed")

    def on_cancelled(self, task: Task[..., R], /, *args: object, **kwargs: object) -> Node[R]:
        """Add a handler that runs when the run was cancelled."""
        return self._add_task(task, args, kwargs, "cancelled")

    def output(self, *nodes: AnyNode) -> None:
        """Declare the result of the run: a list of these nodes' outputs, even for one node, so that `g.output(*parts)`
        works for any length. By default the result is the list of outputs of the tasks that no other task waits for. If
        there is only one such task, the result is its output itself."""
        for node in nodes:
            self.check_own(node)
        self.declared = [output for node in nodes for output in node.outputs]

    def check_own(self, node: AnyNode) -> None:
        """Raise InvalidInput unless the node belongs to this graph."""
        if not isinstance(node, Node):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"{node!r:.60} is not a node", "pass a node that g.add returned")
        if node.graph is not self:
            raise InvalidInput(f"{node} belongs to {node.graph}, not to {self}", "add its graph: g.add(other_graph)")

    def place(self, vertex: Vertex) -> Vertex:
        """Add a task whose dependencies are already in the graph."""
        for source in vertex.above():
            check_ends(source, vertex)
        self._own[vertex] = None
        return vertex

    def _add_task(
        self, task: Task[..., R], args: tuple[object, ...], kwargs: dict[str, object], handler: End | None = None
    ) -> Node[R]:
        if not isinstance(task, Task):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"a graph takes tasks, not {task!r:.60}", "use @app.task")
        task, rest = split_options(task, kwargs)
        for key in (GRAPH_OPTIONS - {"delay", "available_at", "name", "metadata"}) & task.start_options.keys():
            raise InvalidInput(f"{task.name}: {key} is an option of the whole graph", f"write tn.start(g, {key}=…)")
        for output in outputs_in((args, rest)):
            if output.vertex not in self._own:
                raise InvalidInput(f"{output.vertex} is in another graph", "add that graph: g.add(other_graph)")
        vertex = self.place(make_vertex(task, args, rest, handler))
        return Node(self, [vertex], [Output(vertex, None, task.returns)])

    def _nest(self, inner: "Graph") -> AnyNode:
        if inner is self:
            raise InvalidInput(f"{self} cannot contain itself")
        if any(vertex.handler for vertex in inner.vertices):
            raise InvalidInput(f"{inner} has handlers, which only the outermost graph can have")
        copies = {old: replace(old, slots=[], waits={}) for old in inner.vertices}

        def moved(output: Output) -> Output:
            return replace(output, vertex=copies[output.vertex])

        for old, new in copies.items():
            new.slots = [moved(slot) if isinstance(slot, Output) else slot for slot in old.slots]
            new.waits = {copies[one]: on for one, on in old.waits.items()}
            self.place(new)
        given = inner.declared or [Output(one, None, one.task.returns) for one in sinks(inner.vertices)]
        return Node(self, list(copies.values()), [moved(output) for output in given])


def _connect(node: Node[R], after: object, on: On) -> Node[R]:
    """Let the node wait for the nodes that the user passed in `after`."""
    if not isinstance(after, Node | list | tuple | set):
        raise InvalidInput(
            f"{node}: after={after!r:.60} is not a node",
            "if the task has a parameter called after, pass it by position",
        )
    nodes = [cast("AnyNode", after)] if isinstance(after, Node) else [*cast("list[AnyNode]", after)]
    if on != "completed" and not nodes:
        raise InvalidInput(f"{node}: on={on!r} needs nodes in after=", f"write after=[…], on={on!r}")
    return node.after(*nodes, on=on)


def arguments_of(item: object) -> tuple[tuple[object, ...], dict[str, object]]:
    """Return an item of `map` or `start_many` as positional and keyword arguments."""
    if type(item) is tuple:
        return cast("tuple[object, ...]", item), {}
    if type(item) is dict:
        return (), cast("dict[str, object]", item)
    return (item,), {}
