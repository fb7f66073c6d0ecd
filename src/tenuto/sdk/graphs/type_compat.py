"""Checks whether the output type of one task fits the parameter type of another."""

import collections.abc
import types
import typing
from typing import Any, Union, cast, get_args, get_origin

from tenuto.sdk.values.wire_format import MISSING

_SEQUENCES = (
    list,
    tuple,
    set,
    frozenset,
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
)


def flows(source: object, target: object) -> bool:
    """Whether a value with the source's hint fits the target's hint. A missing hint fits everything."""
    source, target = _plain(source), _plain(target)
    if source is MISSING or target is MISSING or source == target:
        return True
    if get_origin(source) in (Union, types.UnionType):
        return all(flows(member, target) for member in get_args(source))
    if get_origin(target) in (Union, types.UnionType):
        return any(flows(source, member) for member in get_args(target))
    if get_origin(source) is typing.Literal:
        return all(flows(cast("object", type(member)), target) for member in get_args(source))
    if source is bool or (source, target) == (int, float):
        return source is int  # True is an int in Python but not in JSON
    return _classes_flow(source, target)


def _classes_flow(source: object, target: object) -> bool:
    have, want = get_origin(source) or source, get_origin(target) or target
    if not (isinstance(have, type) and isinstance(want, type) and issubclass(have, want)):
        return False
    given, taken = get_args(source), get_args(target)
    if not given or not taken:
        return True
    if want is not tuple and have is tuple and given[-1] is not Ellipsis:
        return all(flows(hint, taken[0]) for hint in given)
    given = tuple(hint for hint in given if hint is not Ellipsis)
    taken = tuple(hint for hint in taken if hint is not Ellipsis)
    return len(given) == len(taken) and all(map(flows, given, taken))


def element(hint: object, place: int | str) -> object:
    """Return the hint of one element inside a value with this hint, or MISSING."""
    hint = _plain(hint)
    if get_origin(hint) in (Union, types.UnionType):
        members = [member for member in get_args(hint) if member is not type(None)]
        return element(members[0], place) if len(members) == 1 else MISSING
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple and inner and inner[-1] is not Ellipsis:
        return inner[place] if isinstance(place, int) and place < len(inner) else MISSING
    if origin in _SEQUENCES and inner:
        return inner[0]
    if isinstance(origin, type) and issubclass(origin, collections.abc.Mapping) and len(inner) == 2:
        return inner[1]
    return MISSING


def _plain(hint: object) -> object:
    """Return the hint without Annotated, NewType and type variables."""
    if hint is Any or hint is object or isinstance(hint, typing.TypeVar):
        return MISSING
    if get_origin(hint) is typing.Annotated:
        return _plain(get_args(hint)[0])
    if (below := getattr(hint, "__supertype__", None)) is not None:
        return _plain(below)
    return type(None) if hint is None else hint
