"""Parses durations and rates: "30s", "1h30m", "3d", seconds as a number, a timedelta; "100/m"."""

import math
import re
from datetime import timedelta

from tenuto.model.errors import InvalidInput

Duration = str | int | float | timedelta
MAX_SECONDS = 315_360_000.0  # ten years, the same bound as in SQL

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|[smhdw])\s*")
_NUMBER = re.compile(r"\s*\d+(?:\.\d+)?\s*")
_RATE = re.compile(r"\s*(\d{1,7})\s*/\s*([smhd])\s*")
# does not mention timedelta, because JSON has no such type
_CURE = 'write "500ms", "30s", "5m", "1h30m", "3d" or a number of seconds'


def seconds(value: Duration, what: str = "the duration", *, positive: bool = False) -> float:
    """Returns the duration in seconds. Raises InvalidInput for a value that is not a duration from 0 to ten years or,
    with `positive`, is 0. `what` is the name of the value in the message."""
    number = _read(value)
    if number is None or not math.isfinite(number):
        if isinstance(value, str) and _NUMBER.fullmatch(value):  # from the command line, where every value is a text
            raise InvalidInput(f"{what} is {value!r}, not a duration: it has no unit", f'write "{value.strip()}s"')
        raise InvalidInput(f"{what} is {value!r}, not a duration", _CURE)
    if number < 0 or (positive and number == 0):
        raise InvalidInput(f"{what} is {value!r}; it must be {'more than 0' if positive else '0 or more'}", _CURE)
    if number > MAX_SECONDS:
        raise InvalidInput(f"{what} is {value!r}, more than ten years")
    return number


def rate(text: object, what: str = "the rate") -> tuple[int, float]:
    """Returns the count and the seconds of a rate: `100/m` is (100, 60.0). Raises InvalidInput for any other text."""
    match = _RATE.fullmatch(text) if isinstance(text, str) else None
    if match is None or not 1 <= int(match[1]) <= 1_000_000:
        raise InvalidInput(
            f"{what} is {text!r}, not a rate", 'write "100/m": a number from 1 to 1,000,000 and s, m, h or d'
        )
    return int(match[1]), _UNITS[match[2]]


def _read(value: object) -> float | None:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (
            float(value)
            if abs(value) <= MAX_SECONDS * 1000 or value != value
            else math.copysign(MAX_SECONDS * 2, value)
        )
    if not isinstance(value, str):
        return None
    text = value.strip()
    sign, text = (-1.0, text[1:]) if text.startswith("-") else (1.0, text)
    parts = _PART.findall(text)
    if not parts or _PART.sub("", text):
        return None
    return sign * sum(float(number) * _UNITS[unit] for number, unit in parts)
