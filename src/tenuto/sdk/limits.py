"""Limits: how many tasks run at a time or start per period, per task or per value of a parameter."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tenuto.model.durations import rate
from tenuto.model.errors import InvalidInput

MAX_KEY_CHARS = 200


@dataclass(frozen=True)
class Limit:
    """At most `n` tasks at a time over all workers: `Limit(3)` for the task, `Limit(2, key="customer_id")` for each
    value of that parameter. Limits with the same `name` are shared between tasks."""

    n: int
    key: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.n, int) or isinstance(self.n, bool) or not 1 <= self.n <= 1_000_000:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"Limit(n={self.n!r}): n is not a whole number from 1 to 1,000,000")


@dataclass(frozen=True)
class Rate:
    """At most this many starts per period: `Rate("100/m")`, `Rate("5/s", key="customer_id")`."""

    per: str
    key: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        rate(self.per, "the rate")


def entry(limit: Limit | Rate, task: str, arguments: Mapping[str, object]) -> dict[str, Any]:
    """Return the limit of one task in the form that SQL functions accept. `arguments`: the arguments of the task as
    JSON values."""
    name = limit.name or task
    key = name if limit.key is None else f"{name}:{limit.key}={_text(arguments.get(limit.key))}"
    if isinstance(limit, Limit):
        return {"scope": "key", "key": key, "size": limit.n}
    size, per = rate(limit.per)
    return {"scope": "rate", "key": key, "size": size, "seconds": per}


def _text(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"))
    if len(text) <= MAX_KEY_CHARS:
        return text
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
