"""Arguments that come from other tasks: replaces nodes with slots and checks that the types match."""

from collections.abc import Mapping
from typing import Any, cast

from tenuto.model.errors import InvalidInput
from tenuto.sdk.client.start_request import take_objects
from tenuto.sdk.graphs.nodes import End, Node, Output, Vertex, outputs_in
from tenuto.sdk.graphs.type_compat import element, flows
from tenuto.sdk.task import Task
from tenuto.sdk.values.codecs import WrongValue, check_size, codec_of, refuse
from tenuto.sdk.values.pickle_codec import dump_value
from tenuto.sdk.values.wire_format import NotSerializable, dump, show


def make_vertex(
    task: Task[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], handler: End | None = None
) -> Vertex:
    """Return the task with these arguments, validated; nodes among them become slots."""
    if next(outputs_in((args, kwargs)), None) is None:
        text, objects = take_objects(task.encode_args(args, kwargs))
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

    def __init__(self, task: Task[..., Any]) -> None:
        self._task = task
        self._places: dict[tuple[Vertex, int | None], int] = {}
        self.slots: list[Output] = []

    def argument(self, name: str, value: Any, path: str) -> Any:
        return self._fill(value, self._task.signature.hints[name], path)

    def _fill(self, value: Any, hint: Any, path: str) -> Any:
        if isinstance(value, Output):
            return self._flow(value, hint, path)
        if isinstance(value, Node):
            outputs = cast("Node[Any]", value).outputs
            if len(outputs) == 1:
                return self._flow(outputs[0], hint, path)
            return [self._flow(item, element(hint, no), f"{path}[{no}]") for no, item in enumerate(outputs)]
        if next(outputs_in(value), None) is None:
            return dump_value(path, value) if self._task.pickled else codec_of(hint).encode(value, path)
        if isinstance(value, Mapping):
            pairs = cast("Mapping[str, Any]", value).items()
            return {key: self._fill(item, element(hint, key), f"{path}.{key}") for key, item in pairs}
        return [self._fill(item, element(hint, no), f"{path}[{no}]") for no, item in enumerate(value)]

    def _flow(self, output: Output, hint: Any, path: str) -> dict[str, int]:
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


def _limits_of(task: Task[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    bound = task.signature.bind(args, kwargs)
    for limit in (*task.declared.limit, *task.declared.rate):
        if limit.key and next(outputs_in(bound.get(limit.key)), None) is not None:
            raise InvalidInput(
                f"{task.name}: its limit is per {limit.key}, which is the output of another task and not known yet",
                "pass a value, or start the task as a child with ctx.start",
            )
    return task.limits_of(args, kwargs)
