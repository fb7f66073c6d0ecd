"""Durable by replay: what an attempt did before it waited or died answers from the record the next time."""

import asyncio
from dataclasses import dataclass
from typing import Any

from tenuto.model.errors import Conflict, InvalidInput, TooLarge
from tenuto.sdk.context.attempt_api import AttemptApi
from tenuto.sdk.context.control import Fail


@dataclass(frozen=True)
class Recorded:
    """One step as it was recorded, and how long ago."""

    name: str
    kind: str
    value: Any
    age: float


class Replay:
    """The steps of a task in the order its function takes them."""

    def __init__(self, port: AttemptApi, attempt: int) -> None:
        self._port = port
        self._steps: dict[int, Recorded] | None = {} if attempt == 1 else None  # nothing can be recorded yet
        self._loading = asyncio.Lock()
        self._last = 0

    async def next(self, name: str, kind: str) -> tuple[int, Recorded | None]:
        """The number of the next step, and its record if an earlier attempt took it."""
        no = self.take()
        return no, await self.find(no, name, kind)

    def take(self) -> int:
        """The number of the next step. Before anything is awaited: steps taken at once are numbered as called."""
        self._last += 1
        return self._last

    async def find(self, no: int, name: str, kind: str) -> Recorded | None:
        """The record of a step, if an earlier attempt took it."""
        found = (await self._load()).get(no)
        if found and (found.name, found.kind) != (name, kind):
            raise Conflict(
                f"step {no} was {found.kind} {found.name!r} on an earlier attempt and is {kind} {name!r} now",
                "a task that waits or steps must take the same way on every attempt",
            )
        return found

    async def _load(self) -> dict[int, Recorded]:
        async with self._loading:
            if self._steps is None:
                rows: list[Any] = await self._port.ask("get_steps")
                self._steps = {
                    row["step_no"]: Recorded(row["name"], row["kind"], row["value"], row["age"]) for row in rows
                }
            return self._steps

    async def record(self, no: int, name: str, value: Any) -> None:
        """Record what a step gave. What is refused now is refused again: another attempt would only repeat the step."""
        try:
            await self._port.ask("record_step", step_no=no, name=name, kind="step", value=value)
        except (TooLarge, Conflict, InvalidInput) as error:
            raise Fail(str(error)) from error
