"""Checks OpenLineage events against the specification: the event, and each of its facets by its `_schemaURL`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

SPEC = Path(__file__).parents[1] / "lineage" / "openlineage_spec"
PREFIX = "https://openlineage.io/spec/"
EVENTS = jsonschema_rs.Draft202012Validator(json.loads((SPEC / "events.json").read_text()), validate_formats=True)
FACETS = {
    name: jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    for name, schema in json.loads((SPEC / "facets.json").read_text()).items()
}


def check_event(event: Any) -> None:
    """Raise if an event, or one of its facets, is not what the specification says."""
    EVENTS.validate(event)
    for facet in facets_of(event):
        FACETS[facet["_schemaURL"].removeprefix(PREFIX)].validate(facet)


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
