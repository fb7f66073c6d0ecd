"""Converts values to and from JSON, by type hint."""

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.model.json import Json
from tenuto.sdk.values.json_codec import Check, native_check, scalar_check, unfit
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES, MISSING, NotSerializable, dump

Convert = Callable[[Any, str], Any]  # of a value, and its path for errors


class WrongValue(InvalidInput):
    """A value does not fit its type hint. Never retried, because a retry would fail too."""


@dataclass(frozen=True)
class Codec:
    """Converts values of one type hint to and from JSON. `exact`: values of exactly this type need no check."""

    hint: object
    encode: Convert
    decode: Convert
    exact: type | None = None


def codec_of(hint: object) -> Codec:
    """Return the codec for a type hint; raise InvalidInput for a hint without a JSON form."""
    try:
        return _codec_of(hint)
    except TypeError:  # the hint is not hashable
        return _make_codec(hint)


def _make_codec(hint: object) -> Codec:
    if hint is None:
        hint = type(None)
    if isinstance(hint, type) and hint in _SCALARS:
        return _SCALARS[hint]
    check = native_check(hint)
    if check is not None:
        return _looked_at(hint, check)
    from tenuto.sdk.values.pydantic_codec import typed_codec

    return typed_codec(hint)


_codec_of = cache(_make_codec)


def _looked_at(hint: object, check: Check, exact: type | None = None) -> Codec:
    def look(value: Any, path: str) -> Any:
        check(value, path, 1)
        return value

    return Codec(hint, look, look, exact)


def _float(value: object, path: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise unfit(value, path, float)
    return float(value)


_SCALARS: Mapping[type, Codec] = {
    float: Codec(float, _float, _float, float),
    **{hint: _looked_at(hint, scalar_check(hint), hint) for hint in (int, str, bool, type(None))},
}


def hints_of(function: Callable[..., object], what: str, *, leave_out: Iterable[str] = ()) -> dict[str, object]:
    """Return the type hints of a function by parameter, including `return`. Raises InvalidInput for names that cannot
    be resolved."""
    plain = inspect.unwrap(function)
    given: dict[str, object] = {**getattr(plain, "__annotations__", {})}
    for name in leave_out:
        given.pop(name, None)
    # Hints of `ctx` and of left-out parameters may be imported only under TYPE_CHECKING.
    wanted: Any = types.SimpleNamespace(__annotations__=given, __globals__=getattr(plain, "__globals__", {}))
    try:
        return typing.get_type_hints(wanted, include_extras=True)
    except NameError as error:
        raise InvalidInput(
            f"{what}: a type hint names {error.name!r}, which its module does not define",
            "import it outside `if TYPE_CHECKING`, or define it at the top of the module",
        ) from error
    except TypeError as error:
        raise InvalidInput(f"{what}: its type hints cannot be read: {error}") from error


class ResultCodec:
    """Encodes and decodes the return value of a function."""

    def __init__(self, what: str, codec: Codec) -> None:
        self._what, self._codec = what, codec
        self._exact = codec.exact if codec.exact in (int, str, bool) else None

    @property
    def hint(self) -> object:
        return self._codec.hint

    def encode(self, value: object) -> str | None:
        """Return the value as JSON text, or None for None."""
        if value is None and self._codec.hint in (None, type(None), MISSING, Any):
            return None
        try:
            text = dump(value if type(value) is self._exact else self._codec.encode(value, "the result"))
        except NotSerializable as problem:
            raise refuse(self._what, problem) from problem
        return None if text == "null" else text

    def decode(self, value: Json) -> Any:
        """Return the result from its JSON value."""
        if type(value) is self._exact:
            return value
        try:
            return self._codec.decode(value, "the result")
        except NotSerializable as problem:
            raise refuse(self._what, problem) from problem


def result_codec(function: Callable[..., object], what: str) -> ResultCodec:
    """Return the codec for a function's return hint; without a hint, any JSON value is allowed."""
    others = [name for name in getattr(function, "__annotations__", {}) if name != "return"]
    return ResultCodec(what, codec_of(hints_of(function, what, leave_out=others).get("return", MISSING)))


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
