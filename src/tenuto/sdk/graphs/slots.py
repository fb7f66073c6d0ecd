"""Replaces arguments that are outputs of other tasks with slots, and checks that the types match."""

from collections.abc import Iterable, Mapping
from typing import cast

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.client.start_request import take_objects
from tenuto.sdk.graphs.nodes import AnyNode, End, Node, Output, Vertex, outputs_in
from tenuto.sdk.graphs.type_compat import element, flows
from tenuto.sdk.task import AnyTask
from tenuto.sdk.values.codecs import codec_of, show
from tenuto.sdk.values.pickle_codec import dump_value
from tenuto.sdk.values.wire_format import NotSerializable, WrongValue, check_size, dump, refuse


def make_vertex(
    task: AnyTask, args: tuple[object, ...], kwargs: Mapping[str, object], handler: End | None = None
) -> Vertex:
    """Return the vertex for a task with these arguments. The arguments are checked, and nodes in them become slots."""
    if next(outputs_in((args, kwargs)), None) is None:
        text, objects = take_objects(task.signature.encode(args, kwargs))
        return Vertex(task, text, [*objects], task.limits_of(args, kwargs), handler=handler)
    filler = _Filler(task)
    try:
        encoded = task.signature.encoded(args, kwargs, filler.argument)
        text = dump(encoded)
    except NotSerializable as problem:
        raise refuse(task.name, problem, f"its signature is {task.signature}") from problem
    check_size(f"the input of {task.name}", text)
    text, objects = take_objects(text, len(filler.slots))
    return Vertex(task, text, [*filler.slots, *objects], _limits_of(task, args, kwargs), handler=handler)


class _Filler:
    """Replaces nodes with slots and checks that their output fits the parameter."""

    def __init__(self, task: AnyTask) -> None:
        self._task = task
        self._places: dict[tuple[Vertex, int | None], int] = {}
        self.slots: list[Output] = []

    def argument(self, name: str, value: object, path: str) -> Json:
        return self._fill(value, self._task.signature.hints[name], path)

    def _fill(self, value: object, hint: object, path: str) -> Json:
        if isinstance(value, Output):
            return self._flow(value, hint, path)
        if isinstance(value, Node):
            outputs = cast("AnyNode", value).outputs
            if len(outputs) == 1:
                return self._flow(outputs[0], hint, path)
            return [self._flow(item, element(hint, no), f"{path}[{no}]") for no, item in enumerate(outputs)]
        if next(outputs_in(value), None) is None:
            return dump_value(path, value) if self._task.pickled else codec_of(hint).encode(value, path)
        if isinstance(value, Mapping):
            pairs = cast("Mapping[str, object]", value).items()
            return {key: self._fill(item, element(hint, key), f"{path}.{key}") for key, item in pairs}
        items = cast("Iterable[object]", value)
        return [self._fill(item, element(hint, no), f"{path}[{no}]") for no, item in enumerate(items)]

    def _flow(self, output: Output, hint: object, path: str) -> dict[str, int]:
        if output.vertex.task.pickled and not self._task.pickled:
            raise WrongValue(
                f"{output.vertex} returns a pickle, which {self._task.name} does not accept as {path}",
                'write serializer="pickle" for both tasks',
            )
        if not self._task.pickled and not flows(output.hint, hint):
            place = "" if output.place is None else f" at position {output.place}"
            raise WrongValue(
                f"{self._task.name} takes {show(hint)} as {path}, "
                f"but {output.vertex} returns {show(output.hint)}{place}",
                "change one of the two type hints, or put a task between them",
            )
        key = (output.vertex, output.place)
        if key not in self._places:
            self._places[key] = len(self.slots)
            self.slots.append(output)
        return {"$slot": self._places[key]}


def _limits_of(task: AnyTask, args: tuple[object, ...], kwargs: Mapping[str, object]) -> list[JsonObject] | None:
    bound = task.signature.bind(args, kwargs)
    for limit in (*task.declared.limit, *task.declared.rate):
        if limit.key and next(outputs_in(bound.get(limit.key)), None) is not None:
            raise InvalidInput(
                f"{task.name}: its limit is per {limit.key}, which is the output of another task and not known yet",
                "pass a value, or start the task as a child with ctx.start",
            )
    return task.limits_of(args, kwargs)
