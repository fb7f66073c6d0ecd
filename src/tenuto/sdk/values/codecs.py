"""Finds the codec for a type hint. Values that JSON represents directly are checked without pydantic and never
converted, because this is the hot path."""

import inspect
import re
import types
import typing
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Union, cast, get_args, get_origin

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.sdk.values.data_objects import is_data_object
from tenuto.sdk.values.wire_format import MAX_DEPTH, MISSING, RESERVED, Codec, NotSerializable, ResultCodec

Check = Callable[[Any, str, int], None]  # arguments: a value, its path for errors, and its depth
_DICTS = (dict, Counter, OrderedDict, defaultdict)  # accepted for the hint dict, and decoded as a dict
_CONTAINERS = (tuple, set, frozenset, bytes, bytearray)


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
    def checked(value: Any, path: str) -> Any:
        check(value, path, 1)
        return value

    return Codec(hint, checked, checked, exact)


def scalar_check(hint: type) -> Check:
    def check(value: object, path: str, _depth: int) -> None:
        if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
            raise unfit(value, path, hint)

    return check


def unfit(value: object, path: str, hint: object, reason: str = "") -> NotSerializable:
    if is_data_object(value):
        return NotSerializable(
            path,
            f"{value!r:.60} is a data object, not {show(hint)}; use the type hint DataObject and read it with "
            "ctx.get(…), or pass what the object holds",
        )
    return NotSerializable(path, f"{value!r:.60} is not {show(hint)}{reason}")


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
    # Only the other hints are read: the hints of left-out parameters may name classes that are imported only under
    # TYPE_CHECKING.
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


def result_codec(function: Callable[..., object], what: str) -> ResultCodec:
    """Return the codec for a function's return hint; without a hint, any JSON value is allowed."""
    others = [name for name in getattr(function, "__annotations__", {}) if name != "return"]
    hint = hints_of(function, what, leave_out=others).get("return", MISSING)
    try:
        return ResultCodec(what, codec_of(hint))
    except InvalidInput as error:
        raise InvalidInput(f"{what}: the result: {error.message}", error.hint) from error


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


def native_check(hint: object) -> Check | None:
    """Return a check for a hint whose values JSON represents directly, or None for other hints. Containers of floats
    need conversion, because 1e20 comes back as an int."""
    if hint is Any or hint is MISSING or hint is object:
        return check_json
    if isinstance(hint, type) and hint in (int, str, bool, type(None)):
        return scalar_check(hint)
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if origin is list:
        return _list(hint, native_check(inner[0]) if inner else check_json, set(inner) or {str, int, bool})
    if origin is dict and (not inner or inner[0] is str):
        return _dict(hint, native_check(inner[1]) if inner else check_json)
    if origin in (Union, types.UnionType) and len(inner) == 2 and type(None) in inner:
        return _optional(native_check(next(member for member in inner if member is not type(None))))
    return None


def _list(hint: object, inner: Check | None, exact: set[object]) -> Check | None:
    if inner is None:
        return None

    def check(value: list[object], path: str, depth: int) -> None:
        if type(value) is not list:
            raise unfit(value, path, hint)
        _check_depth(path, depth)
        if set(map(type, value)) <= exact:
            return
        for position, item in enumerate(value):
            inner(item, f"{path}[{position}]", depth + 1)

    return check


def _dict(hint: object, inner: Check | None) -> Check | None:
    if inner is None:
        return None

    def check(value: dict[object, object], path: str, depth: int) -> None:
        if type(value) not in _DICTS:
            raise unfit(value, path, hint)
        _check_depth(path, depth)
        for key, item in value.items():
            _check_key(key, path)
            inner(item, f"{path}.{key}", depth + 1)

    return check


def _optional(inner: Check | None) -> Check | None:
    if inner is None:
        return None

    def check(value: object, path: str, depth: int) -> None:
        if value is not None:
            inner(value, path, depth)

    return check


def check_json(value: Any, path: str, depth: int = 1, *, objects: bool = False) -> None:
    """Raise NotSerializable for values that JSON would change or cannot represent. `objects`: allow data objects in
    their JSON form."""
    kind = cast("type[Any]", type(value))
    if value is None or kind in (str, int, bool, float):
        return
    if kind is list:
        _check_depth(path, depth)
        for position, item in enumerate(value):
            if type(item) not in (str, int, bool):
                check_json(item, f"{path}[{position}]", depth + 1, objects=objects)
    elif kind is dict:
        _check_depth(path, depth)
        if objects and len(value) == 1 and "$object" in value:
            return
        for key, item in value.items():
            _check_key(key, path)
            check_json(item, f"{path}.{key}", depth + 1, objects=objects)
    else:
        if is_data_object(value):
            raise unfit(value, path, MISSING)
        known = kind in _CONTAINERS or kind.__module__ != "builtins"
        cure = "; annotate it with its type" if known else ""
        raise NotSerializable(path, f"{value!r:.60} ({kind.__name__}) cannot be converted to JSON{cure}")


def _check_depth(path: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotSerializable(path.split("[")[0].split(".")[0], f"it is nested more than {MAX_DEPTH} levels deep")


def _check_key(key: object, path: str) -> None:
    if type(key) is not str:
        raise NotSerializable(path, f"the key {key!r:.60} is not a text; annotate the parameter, as in dict[int, str]")
    if key in RESERVED:
        raise NotSerializable(path, f"the key {key!r} is reserved; use another key")


def as_value(what: str, value: object) -> Json:
    """Return a value without a type hint as JSON, or raise InvalidInput."""
    try:
        return codec_of(MISSING).encode(value, "value")
    except NotSerializable as problem:
        raise InvalidInput(f"{what}: {problem}") from problem
