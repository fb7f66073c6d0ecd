"""Type hints that JSON represents directly: values are checked, never converted, without pydantic. This is the hot
path."""

import types
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, Union, cast, get_args, get_origin

from tenuto.sdk.values.wire_format import MAX_DEPTH, MISSING, RESERVED, NotSerializable, show

Check = Callable[[Any, str, int], None]
_DICTS = (dict, Counter, OrderedDict, defaultdict)  # decoded as a dict, as the hint says
_CONTAINERS = (tuple, set, frozenset, bytes, bytearray)


def native_check(hint: object) -> Check | None:
    """Return a check for hints that JSON represents directly, else None. Floats inside containers are excluded: 1e20
    comes back as an int."""
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


def scalar_check(hint: type) -> Check:
    def check(value: object, path: str, _depth: int) -> None:
        if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
            raise unfit(value, path, hint)

    return check


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
    """Raise NotSerializable for values that JSON would change. `objects`: allow data objects in their JSON form."""
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
        known = kind in _CONTAINERS or kind.__module__ != "builtins"
        cure = "; annotate it with its type" if known else ""
        raise NotSerializable(path, f"{value!r:.60} ({kind.__name__}) cannot be converted to JSON{cure}")


def unfit(value: object, path: str, hint: object) -> NotSerializable:
    return NotSerializable(path, f"{value!r:.60} is not {show(hint)}")


def _check_depth(path: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotSerializable(path.split("[")[0].split(".")[0], f"it is nested more than {MAX_DEPTH} levels deep")


def _check_key(key: object, path: str) -> None:
    if type(key) is not str:
        raise NotSerializable(path, f"the key {key!r:.60} is not a text; annotate the parameter, as in dict[int, str]")
    if key in RESERVED:
        raise NotSerializable(path, f"the key {key!r} is reserved; use another key")
