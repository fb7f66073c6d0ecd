"""Converts values to JSON text and back. Also defines the errors for values that cannot be converted."""

import json
import json.encoder
import json.scanner
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.model.json import Json


class Missing:
    """Marks a parameter that has no hint, or no value."""

    def __repr__(self) -> str:
        return "…"


Convert = Callable[[Any, str], Any]  # arguments: a value, and its path for errors

MAX_DEPTH = 32
MAX_VALUE_BYTES = 1_048_576  # maximum size of one value in a row, as enforced by the database
MISSING: object = Missing()
RESERVED = ("$slot", "$object", "$pickle", "$output")  # reserved keys: user values must not contain them

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
# json.dumps creates an encoder per call, and json.loads inspects its input first. So they take 7 and 6 times as long as
# these functions.
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
    """Return the JSON text of a value of JSON types. Raises NotSerializable if JSON or Postgres cannot represent it."""
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


class WrongValue(InvalidInput):
    """A value does not fit its type hint. Never retried, because a retry would fail too."""


def refuse(what: str, problem: NotSerializable, cure: str | None = None) -> WrongValue:
    """Return the error that the user sees, with the task, the path and the value."""
    where = f"{what}: {problem.path}" if problem.path else what
    return WrongValue(f"{where}: {problem.message}", cure)


def check_size(what: str, text: str) -> None:
    """Raise TooLarge if the text is too large for a database row."""
    if len(text) > MAX_VALUE_BYTES and len(text.encode()) > MAX_VALUE_BYTES:
        raise TooLarge(
            f"{what} has {len(text.encode())} bytes, more than 1 MB ({MAX_VALUE_BYTES})",
            "put it into a data object with `await tn.put(…)` and pass that",
        )


def refuse_reserved(what: str, value: Any, reserved: Sequence[str] = RESERVED) -> None:
    """Raise InvalidInput if a value that is stored unchanged contains a reserved key, because such a key would be
    misread later."""
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


def refuse_pickles(what: str, value: Any) -> None:
    """Raise InvalidInput if a value that workers or tasks send contains a pickle, because reading a pickle runs its
    code."""
    refuse_reserved(what, value, ("$pickle",))


def output_text(output: Any) -> str | None:
    """Return an output as JSON text. Raises InvalidInput for pickles, because other tasks get the output as their
    input."""
    text = None if output is None else dump(output)
    if text is not None and '"$pickle"' in text:
        refuse_pickles("an output", output)
    return text


@dataclass(frozen=True)
class Codec:
    """Converts values of one type hint to and from JSON. `exact`: values of exactly this type need no check."""

    hint: object
    encode: Convert
    decode: Convert
    exact: type | None = None


class ResultCodec:
    """Encodes and decodes the return value of a function."""

    def __init__(self, what: str, codec: Codec) -> None:
        self._what, self._codec = what, codec
        self._exact = codec.exact if codec.exact in (int, str, bool) else None
        self._may_be_none = codec.hint in (None, type(None), MISSING, Any)

    @property
    def hint(self) -> object:
        return self._codec.hint

    def encode(self, value: object) -> str | None:
        """Return the value as JSON text, or None for None."""
        if value is None and self._may_be_none:
            return None
        try:
            text = dump(value if type(value) is self._exact else self._codec.encode(value, "the result"))
        except NotSerializable as problem:
            raise refuse(
                self._what,
                problem,
                "the work is done, and a retry would repeat it: correct the type hint of the result, and"
                f" finish by hand with the returned value: {value!r:.2000}",
            ) from problem
        return None if text == "null" else text

    def decode(self, value: Json) -> Any:
        """Return the Python result for its JSON value."""
        if type(value) is self._exact:
            return value
        try:
            return self._codec.decode(value, "the result")
        except NotSerializable as problem:
            raise refuse(self._what, problem) from problem
