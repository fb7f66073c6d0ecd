"""Inputs that come from outside: what the wire format reserves is read, or refused; a pickle never gets in."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, cast
from uuid import UUID

from tenuto.model.errors import InvalidInput
from tenuto.sdk.graphs.nodes import Output
from tenuto.sdk.values.codecs import check_size
from tenuto.sdk.values.wire_format import RESERVED, dump

Slot = Output | dict[str, Any]
FindOutput = Callable[[str, int | None], Output | list[Output]]  # what the task of that name gives


def read_input(what: str, value: Any, find: FindOutput | None = None) -> tuple[str, list[Slot]]:
    """The input as JSON text, and its slots: data objects, and with `find` the outputs of other tasks."""
    text = dump(value)
    reader = _Reader(what, find)
    if '"$' in text:
        text = dump(reader.read(value, "input"))
    if len(text) > 100_000:
        check_size(f"the input of {what}", text)
    return text, list(reader.slots.values())


def refuse_pickles(what: str, value: Any) -> None:
    """For what workers and tasks send in the wire format itself: whoever reads a pickle runs its code."""
    refuse_reserved(what, value, ("$pickle",))


def output_text(output: Any) -> str | None:
    """An output as JSON text. Other tasks take it as their input, so a pickle does not get in this way either."""
    text = None if output is None else dump(output)
    if text is not None and '"$pickle"' in text:
        refuse_pickles("an output", output)
    return text


def refuse_reserved(what: str, value: Any, reserved: Sequence[str] = RESERVED) -> None:
    """For a value that is kept as it is: what the wire format reserves would be taken for more than it is."""
    stack = [value] if '"$' in dump(value) else []
    while stack:
        found = stack.pop()
        if isinstance(found, dict):
            held = cast("dict[str, Any]", found)
            if taken := [key for key in reserved if key in held]:
                raise InvalidInput(f"{what}: the key {taken[0]!r} is taken by the wire format", "use another one")
            stack.extend(held.values())
        elif isinstance(found, list):
            stack.extend(cast("list[Any]", found))


class _Reader:
    def __init__(self, what: str, find: FindOutput | None) -> None:
        self._what, self._find = what, find
        self.slots: dict[Any, Slot] = {}
        self._places: dict[Any, int] = {}

    def read(self, value: Any, where: str) -> Any:
        if isinstance(value, list):
            return [self.read(one, f"{where}[{no}]") for no, one in enumerate(cast("list[Any]", value))]
        if not isinstance(value, dict):
            return value
        held = cast("dict[str, Any]", value)
        if "$object" in held:
            id = self._object(held, where)
            return self._slot(id, {"object": id})
        if "$output" in held:
            return self._output(held, where)
        for key in ("$pickle", "$slot"):
            if key in held:
                self._refuse(where, f"the key {key!r} is not taken over HTTP", "use another one, and plain JSON")
        return {key: self.read(one, f"{where}.{key}") for key, one in held.items()}

    def _object(self, held: Mapping[str, Any], where: str) -> str:
        id = held["$object"] if len(held) == 1 else None
        try:
            return str(UUID(id))
        except (ValueError, AttributeError, TypeError):
            return self._refuse(where, f"{held!r:.60} is not a data object", 'write {"$object": "<its id>"}')

    def _output(self, held: Mapping[str, Any], where: str) -> Any:
        name, place = held["$output"], held.get("place")
        if self._find is None:
            self._refuse(where, "the key '$output' is for the tasks of a graph", "use another one")
        sound = isinstance(name, str) and (place is None or (type(place) is int and place >= 0))
        if not sound or not held.keys() <= {"$output", "place"}:
            self._refuse(where, f"{held!r:.60} is not an output", 'write {"$output": "<name of a task>"}')
        try:
            found = self._find(name, place)
        except InvalidInput as problem:
            raise InvalidInput(f"{self._what}: {where}: {problem.message}", problem.hint) from problem
        return [self._slot(one, one) for one in found] if isinstance(found, list) else self._slot(found, found)

    def _slot(self, key: Any, slot: Slot) -> dict[str, int]:
        self.slots.setdefault(key, slot)
        return {"$slot": self._places.setdefault(key, len(self._places))}

    def _refuse(self, where: str, what: str, hint: str) -> NoReturn:
        raise InvalidInput(f"{self._what}: {where}: {what}", hint)
