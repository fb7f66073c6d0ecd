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
