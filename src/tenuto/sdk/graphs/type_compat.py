"""Whether what one task gives is what another takes."""

import collections.abc
import types
import typing
from typing import Any, Union, get_args, get_origin

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


def flows(source: Any, target: Any) -> bool:
    """Whether a value of the source's hint fits the target's. What has no hint fits everywhere."""
    source, target = _plain(source), _plain(target)
    if source is MISSING or target is MISSING or source == target:
        return True
    if get_origin(source) in (Union, types.UnionType):
        return all(flows(one, target) for one in get_args(source))
    if get_origin(target) in (Union, types.UnionType):
        return any(flows(source, one) for one in get_args(target))
    if get_origin(source) is typing.Literal:
        return all(flows(type(one), target) for one in get_args(source))
    if source is bool or (source, target) == (int, float):
        return source is int  # True is an int in Python and is none in JSON
    return _classes_flow(source, target)


def _classes_flow(source: Any, target: Any) -> bool:
    have, want = get_origin(source) or source, get_origin(target) or target
    if not (isinstance(have, type) and isinstance(want, type) and issubclass(have, want)):
        return False
    given, taken = get_args(source), get_args(target)
    if not given or not taken:
        return True
    if want is not tuple and have is tuple and given[-1] is not Ellipsis:
        return all(flows(one, taken[0]) for one in given)
    given = tuple(one for one in given if one is not Ellipsis)
    taken = tuple(one for one in taken if one is not Ellipsis)
    return len(given) == len(taken) and all(map(flows, given, taken))


def element(hint: Any, place: int | str) -> Any:
    """The hint of one place inside a value of this hint, as far as it says one."""
    hint = _plain(hint)
    if get_origin(hint) in (Union, types.UnionType):
        members = [one for one in get_args(hint) if one is not type(None)]
        return element(members[0], place) if len(members) == 1 else MISSING
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple and inner and inner[-1] is not Ellipsis:
        return inner[place] if isinstance(place, int) and place < len(inner) else MISSING
    if origin in _SEQUENCES and inner:
        return inner[0]
    if isinstance(origin, type) and issubclass(origin, collections.abc.Mapping) and len(inner) == 2:
        return inner[1]
    return MISSING


def _plain(hint: Any) -> Any:
    """The hint without what does not matter here: Annotated, NewType, type variables."""
    if hint is Any or hint is object or isinstance(hint, typing.TypeVar):
        return MISSING
    if get_origin(hint) is typing.Annotated:
        return _plain(get_args(hint)[0])
    if (below := getattr(hint, "__supertype__", None)) is not None:
        return _plain(below)
    return type(None) if hint is None else hint
