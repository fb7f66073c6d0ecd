"""Reads untrusted inputs: resolves or refuses the keys reserved by the wire format, and never accepts a pickle."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, cast
from uuid import UUID

from tenuto.model.errors import InvalidInput
from tenuto.sdk.graphs.nodes import Output
from tenuto.sdk.values.codecs import check_size
from tenuto.sdk.values.wire_format import RESERVED, dump

Slot = Output | dict[str, Any]
FindOutput = Callable[[str, int | None], Output | list[Output]]  # returns the output of the task with that name


def read_input(what: str, value: Any, find: FindOutput | None = None) -> tuple[str, list[Slot]]:
    """Returns the input as JSON text, and its slots: data objects, and with `find` the outputs of other tasks."""
    text = dump(value)
    reader = _Reader(what, find)
    if '"$' in text:
        text = dump(reader.read(value, "input"))
    if len(text) > 100_000:
        check_size(f"the input of {what}", text)
    return text, list(reader.slots.values())


def refuse_pickles(what: str, value: Any) -> None:
    """Refuse pickles in values that workers and tasks send in the wire format: reading a pickle runs its code."""
    refuse_reserved(what, value, ("$pickle",))


def output_text(output: Any) -> str | None:
    """Returns an output as JSON text. Refuses pickles, because other tasks take the output as their input."""
    text = None if output is None else dump(output)
    if text is not None and '"$pickle"' in text:
        refuse_pickles("an output", output)
    return text


def refuse_reserved(what: str, value: Any, reserved: Sequence[str] = RESERVED) -> None:
    """Refuse the reserved keys of the wire format in a value that is stored unchanged: they would be misread later."""
    stack = [value] if '"$' in dump(value) else []
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            members = cast("dict[str, Any]", node)
            if taken := [key for key in reserved if key in members]:
                raise InvalidInput(f"{what}: the key {taken[0]!r} is taken by the wire format", "use another one")
            stack.extend(members.values())
        elif isinstance(node, list):
            stack.extend(cast("list[Any]", node))


class _Reader:
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
                self._refuse(where, f"the key {key!r} is not taken over HTTP", "use another one, and plain JSON")
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
            self._refuse(where, "the key '$output' is for the tasks of a graph", "use another one")
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
