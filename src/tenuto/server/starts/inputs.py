"""Checks values of untrusted clients for the keys reserved by the wire format, and never accepts a pickle."""

from collections.abc import Sequence
from typing import Any, cast

from tenuto.model.errors import InvalidInput
from tenuto.sdk.values.wire_format import RESERVED, dump


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
                raise InvalidInput(f"{what}: the key {taken[0]!r} is reserved", "use another key")
            stack.extend(members.values())
        elif isinstance(node, list):
            stack.extend(cast("list[Any]", node))
