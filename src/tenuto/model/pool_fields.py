"""Parses the policy of a pool from texts: `min=0,max=4,idle_timeout=5m` on a command line, or values of a YAML file."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from tenuto.model.durations import seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.model.similar_names import most_similar

SHORT = {"min": "min_workers", "max": "max_workers", "spare": "spare_workers"}
TEXTS = ("provider",)
NUMBERS = ("min_workers", "max_workers", "spare_workers", "tasks_per_worker", "min_spawns_for_rate")
DECIMALS = ("scale_up_multiplier", "scale_down_multiplier", "max_failure_rate")
LISTS = ("queues", "types", "labels")
DURATIONS = (
    "idle_timeout", "over_capacity_timeout", "scale_down_grace", "starting_grace", "spawn_timeout", "failure_window",
)  # fmt: skip
JSON = ("settings", "tiers")
FLAGS = ("paused",)
FIELDS = (*SHORT, *TEXTS, *NUMBERS, *DECIMALS, *LISTS, *DURATIONS, *JSON, *FLAGS)


def split_fields(text: str) -> list[str]:
    """Split `min=0,queues=a,b` into `min=0` and `queues=a,b`: a part without `=` belongs to the part before it."""
    parts: list[str] = []
    for part in text.split(","):
        if "=" in part or not parts:
            parts.append(part)
        else:
            parts[-1] += f",{part}"
    return parts


def read_pairs(pairs: Sequence[str]) -> JsonObject:
    """Return the policy of a list of `field=value` texts. Raises InvalidInput for any other text."""
    values: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise InvalidInput(f"{pair!r:.100} is not field=value", "write for example max=4 or idle_timeout=5m")
        values[name.strip()] = text.strip()
    return read_policy(values)


def read_policy(values: Mapping[str, object]) -> JsonObject:
    """Return the policy of these fields, with the names and units of the database. Raises InvalidInput for an unknown
    field or a wrong value."""
    policy: dict[str, Json] = {}
    for given, value in values.items():
        name = SHORT.get(given, given)
        if name.removesuffix("_seconds") in DURATIONS:
            name = name.removesuffix("_seconds")
            policy[f"{name}_seconds"] = seconds(cast("str", value), name)
        elif name in FIELDS:
            policy[name] = _read(name, value)
        else:
            near = most_similar(given, FIELDS)
            hint = f"did you mean {near}?" if near else f"the fields are {', '.join(FIELDS)}"
            raise InvalidInput(f"a pool has no field {given!r:.100}", hint)
    return policy


def _read(name: str, value: object) -> Json:
    try:
        if name in NUMBERS:
            return _whole(value)
        if name in DECIMALS:
            return float(cast("str", value))
        if name in LISTS:
            return _names(value)
        if name in FLAGS:
            return value if isinstance(value, bool) else {"true": True, "false": False}[str(value).lower()]
        if name in JSON:
            return json.loads(value) if isinstance(value, str) else cast("Json", value)
        return str(value)
    except (ValueError, TypeError, KeyError):
        raise InvalidInput(f"{name} is {value!r:.100}, which is not allowed", _example(name)) from None


def _whole(value: object) -> int:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise TypeError
    return int(value)


def _names(value: object) -> list[str] | None:
    if value is None or value == "*":
        return None
    if isinstance(value, str):
        return [name for name in (part.strip() for part in value.split(",")) if name]
    if not isinstance(value, list):
        raise TypeError
    return [str(name) for name in cast("list[object]", value)]


def _example(name: str) -> str:
    if name in NUMBERS:
        return f"write a whole number: {name}=4"
    if name in DECIMALS:
        return f"write a number: {name}=0.8"
    if name in FLAGS:
        return f"write {name}=true or {name}=false"
    if name in JSON:
        return f"write JSON: {name}='{'[{}]' if name == 'tiers' else '{}'}'"
    return f"write names: {name}=a,b, or {name}=* for all"
