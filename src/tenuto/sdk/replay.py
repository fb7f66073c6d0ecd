"""Durable by replay: what an attempt did before it waited or died answers from the record the next time."""

from dataclasses import dataclass
from typing import Any

from tenuto.model.errors import Conflict
from tenuto.sdk.port import Port


@dataclass(frozen=True)
class Recorded:
    """One step as it was recorded, and how long ago."""

    name: str
    kind: str
    value: Any
    age: float


class Replay:
    """The steps of a task in the order its function takes them."""

    def __init__(self, port: Port, attempt: int) -> None:
        self._port = port
        self._first = attempt == 1  # nothing can be recorded yet
        self._steps: dict[int, Recorded] | None = None
        self._last = 0

    async def next(self, name: str, kind: str) -> tuple[int, Recorded | None]:
        """The number of the next step, and its record if an earlier attempt took it."""
        if self._steps is None:
            rows: list[Any] = [] if self._first else await self._port.ask("get_steps")
            self._steps = {row["step_no"]: Recorded(row["name"], row["kind"], row["value"], row["age"]) for row in rows}
        self._last += 1
        found = self._steps.get(self._last)
        if found and (found.name, found.kind) != (name, kind):
            raise Conflict(
                f"step {self._last} was {found.kind} {found.name!r} on an earlier attempt and is {kind} {name!r} now",
                "a task that waits or steps must take the same way on every attempt",
            )
        return self._last, found
