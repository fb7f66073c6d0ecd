"""The wire format: JSON text in both directions, reserved keys, and the values it cannot represent."""

import json
import json.encoder
import json.scanner
import re
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, Union, cast, get_args, get_origin

from tenuto.model.json import Json

MAX_DEPTH = 32
MAX_VALUE_BYTES = 1_048_576  # maximum size of one value in a row, as enforced by the database
RESERVED = ("$slot", "$object", "$pickle", "$output")  # reserved keys: user values may not contain them
MISSING: object = type("Missing", (), {})()  # the hint of a parameter without one

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
# json.dumps creates an encoder per call and json.loads inspects its input first: 7 and 6 times the cost.
_encoder, _scanner = cast("Any", json.encoder), cast("Any", json.scanner)
_encode: Callable[[object, int], tuple[str, ...]] = _encoder.c_make_encoder(
    None, None, _encoder.c_encode_basestring, None, ":", ",", False, False, False
)
_scan: Callable[[str, int], tuple[Any, int]] = _scanner.c_make_scanner(json.JSONDecoder())


class NotSerializable(Exception):
    """A value that cannot be serialized; `path` is its location inside the argument."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path, self.message = path, message


def dump(value: object) -> str:
    """Return JSON text for a value that JSON represents directly."""
    try:
        text = "".join(_encode(value, 0))
    except ValueError as error:
        raise NotSerializable("", _why_not(value)) from error
    except RecursionError as error:
        raise NotSerializable("", f"it is nested more than {MAX_DEPTH} levels deep") from error
    if "\\u0000" in text and _NUL.search(text):
        raise NotSerializable("", "a text contains a NUL character, which Postgres cannot store; pass bytes")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise NotSerializable(
                "", "a text contains half of a surrogate pair, which is not a character; pass bytes"
            ) from error
    return text


def _why_not(value: Any) -> str:
    try:
        json.dumps(value)  # allows NaN and infinity
    except ValueError:
        return f"an integer has more than {sys.get_int_max_str_digits()} digits; pass a text, as in hex(value)"
    return "NaN and infinity cannot be converted to JSON; use None, or a text"


def load(text: str) -> Any:
    """Return the value of JSON text."""
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        return json.loads(text)
    return value if end == len(text) else json.loads(text)


def fill_slots(value: Json, slots: Sequence[Json]) -> Json:
    """Return the input with every `{"$slot": i}` replaced by the i-th slot."""
    if isinstance(value, list):
        return [fill_slots(item, slots) for item in value]
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(slot := value.get("$slot"), int):
            return slots[slot]
        return {key: fill_slots(item, slots) for key, item in value.items()}
    return value


def show(hint: object) -> str:
    """Return a type hint as users write it."""
    if hint is MISSING or hint is Any:
        return "any JSON value"
    if hint is None or hint is type(None):
        return "None"
    if get_origin(hint) in (Union, types.UnionType):
        return " | ".join(map(show, get_args(hint)))
    if isinstance(hint, type) and not get_args(hint):
        return hint.__name__
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", str(hint))
