"""Parses values from the command line: JSON, or plain text if they are not JSON."""

import json
import re

from tenuto.cli.exit_codes import UsageError
from tenuto.model.json import Json, JsonObject

_NAMED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


def read_value(text: str) -> Json:
    """Parses `7`, `true`, `[1, 2]`, `{"a": 1}` and `"7"` as JSON; any other text is returned as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_json(text: str | None, option: str) -> Json:
    """Parses the JSON value of an option. Returns None if the option was not passed."""
    try:
        return None if text is None else json.loads(text)
    except ValueError as problem:
        raise UsageError(f"{option} {text!r:.60} is not JSON: {problem}") from problem


def read_object(text: str | None, option: str) -> JsonObject | None:
    """Parses the value of an option as a JSON object with keys. Returns None if the option was not passed."""
    value = read_json(text, option)
    if text is None:
        return None
    if not isinstance(value, dict) or not value:
        raise UsageError(f'{option} {text!r:.60} is not a JSON object with keys; write \'{{"team": "bi"}}\'')
    return dict(value)


def read_arguments(texts: list[str]) -> tuple[list[Json], JsonObject]:
    """Parses positional values first, then `name=value`, as in a Python call."""
    positional: list[Json] = []
    named: JsonObject = {}
    for text in texts:
        match = _NAMED.fullmatch(text)
        if match is None and named:
            raise UsageError(
                f"argument {text!r} is positional but follows a named one; write positional arguments first"
            )
        if match is None:
            positional.append(read_value(text))
        elif match[1] in named:
            raise UsageError(f"argument {match[1]!r} is given twice; keep one")
        else:
            named[match[1]] = read_value(match[2])
    return positional, named
