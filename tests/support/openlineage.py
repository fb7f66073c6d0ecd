"""Checks OpenLineage events against the published specification.

The package openlineage-python has a class per definition of the specification, generated from its JSON schemas and
licensed under Apache-2.0. An event fits if it and each of its facets, by its `_schemaURL`, are objects of these
classes: every required field is there, none is unknown, and each has its type.
"""

import importlib
import pkgutil
import types
from collections.abc import Iterator
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

import attr
from openlineage.client import generated

FACETS_OF_A_PART = ("facets", "inputFacets", "outputFacets")  # checked by their addresses


def _published() -> dict[str, Any]:
    """Return the published classes by the addresses of their schemas."""
    found: dict[str, Any] = {}
    for info in pkgutil.iter_modules(generated.__path__):
        for value in vars(importlib.import_module(f"{generated.__name__}.{info.name}")).values():
            if isinstance(value, type) and hasattr(value, "_get_schema"):
                found[value._get_schema()] = value  # pyright: ignore[reportAttributeAccessIssue]
    return found


PUBLISHED = _published()


def check_event(event: Any) -> None:
    """Raise if an event, or one of its facets, is not what the specification says."""
    _build(PUBLISHED[event["schemaURL"]], event, "event")
    for facet in facets_of(event):
        _build(PUBLISHED[facet["_schemaURL"]], facet, facet["_schemaURL"].rpartition("/")[2])


def facets_of(value: Any) -> Iterator[dict[str, Any]]:
    """Return all facets of an event, wherever they are."""
    if isinstance(value, dict):
        if "_schemaURL" in value:
            yield value
        for item in value.values():
            yield from facets_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from facets_of(item)


def _build(kind: Any, value: Any, place: str) -> Any:
    """Return the object of a published class that has these fields, which its own rules check too."""
    assert isinstance(value, dict), f"{place} is {value!r}"
    hints = get_type_hints(kind)
    fields = {field.name: field for field in attr.fields(kind)}
    assert set(value) <= set(fields), f"{place} has fields that are not known: {set(value) - set(fields)}"
    given = {
        (field.alias or name): {} if name in FACETS_OF_A_PART else _value(hints[name], value[name], f"{place}.{name}")
        for name, field in fields.items()
        if name in value and field.init
    }
    return kind(**given)


def _value(kind: Any, value: Any, place: str) -> Any:
    """Return a value as its published type."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        kinds = get_args(kind)
        if value is None:
            assert type(None) in kinds, f"{place} is null"
            return None
        (kind, *others) = [option for option in kinds if option is not type(None)]
        return value if others else _value(kind, value, place)
    if origin is list:
        assert isinstance(value, list), f"{place} is {value!r}"
        return [_value(get_args(kind)[0], item, f"{place}[]") for item in value]
    if origin is dict:
        assert isinstance(value, dict), f"{place} is {value!r}"
        return {key: _value(get_args(kind)[1], item, f"{place}.{key}") for key, item in value.items()}
    if kind is Any:
        return value
    if attr.has(kind):
        return _build(kind, value, place)
    if issubclass(kind, Enum):
        return kind(value)
    assert isinstance(value, (int, float) if kind is float else kind), f"{place} is {value!r}, not {kind.__name__}"
    assert not isinstance(value, bool) or kind is bool, f"{place} is {value!r}"
    return value
