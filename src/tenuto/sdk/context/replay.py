"""Durable execution by replay: steps that an earlier attempt recorded return their recorded value."""

import asyncio
from dataclasses import dataclass
from typing import Any

from tenuto.model.errors import Conflict, InvalidInput, TooLarge
from tenuto.sdk.context.attempt_api import AttemptApi
from tenuto.sdk.context.control import Fail


@dataclass(frozen=True)
class Recorded:
    """A recorded step and its age in seconds."""

    name: str
    kind: str
    value: Any
    age: float


class Replay:
    """The steps of a task, numbered in the order in which its function calls them."""

    def __init__(self, api: AttemptApi, attempt: int) -> None:
        self._api = api
        self._steps: dict[int, Recorded] | None = {} if attempt == 1 else None  # a first attempt has no records
        self._loading = asyncio.Lock()
        self._last = 0

    async def next(self, name: str, kind: str) -> tuple[int, Recorded | None]:
        """Return the number of the next step, and its record if an earlier attempt made one."""
        no = self.take()
        return no, await self.find(no, name, kind)

    def take(self) -> int:
        """Return the number of the next step. Called before anything is awaited, so that concurrent steps are numbered
        in call order."""
        self._last += 1
        return self._last

    async def find(self, no: int, name: str, kind: str) -> Recorded | None:
        """Return the record of a step if an earlier attempt made one. Raises Conflict if it was another step."""
        record = (await self._load()).get(no)
        if record and (record.name, record.kind) != (name, kind):
            raise Conflict(
                f"step {no} was {record.kind} {record.name!r} on an earlier attempt and is {kind} {name!r} now",
                "a task must run the same steps and waits in the same order on every attempt",
            )
        return record

    async def _load(self) -> dict[int, Recorded]:
        async with self._loading:
            if self._steps is None:
                rows: list[Any] = await self._api.ask("get_steps")
                self._steps = {
                    row["step_no"]: Recorded(row["name"], row["kind"], row["value"], row["age_seconds"]) for row in rows
                }
            return self._steps

    async def record(self, no: int, name: str, value: Any) -> None:
        """Record the result of a step. If the record is rejected, fail the task: another attempt would be rejected
        too."""
        try:
            await self._api.ask("record_step", step_no=no, name=name, kind="step", value=value)
        except (TooLarge, Conflict, InvalidInput) as error:
            raise Fail(str(error)) from error
