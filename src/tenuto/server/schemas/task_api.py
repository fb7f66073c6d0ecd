"""What a running attempt is answered about itself."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.server.schemas.runs import Answer


class InputPart(Answer):
    """`input`, `metadata`, or `slot` with its number."""

    part: str
    slot_no: int | None
    value: Any


class Inputs(Answer):
    items: list[InputPart]


class Step(Answer):
    """What an attempt of the task recorded, and how many seconds ago."""

    step_no: int
    name: str
    kind: str
    value: Any
    age: float


class Steps(Answer):
    items: list[Step]


class Value(Answer):
    value: Any


class Signal(Answer):
    """The message, if there was one."""

    found: bool
    value: Any


class Children(Answer):
    task_ids: list[UUID]


class Ended(Answer):
    """How a task ended."""

    task_id: UUID
    status: str
    output: Any
    error: Any


class Ends(Answer):
    items: list[Ended]


class OwnDatum(Answer):
    id: UUID
    key: str
    value: Any
    tags: list[str]


class OwnData(Answer):
    items: list[OwnDatum]


class State(Answer):
    key: str
    value: Any
    version: int
    updated_at: datetime


class States(Answer):
    items: list[State]


class Version(Answer):
    version: int


class Alive(Answer):
    """Whether the attempt should stop."""

    cancelled: bool


class Accepted(Answer):
    """`accepted`, or `already_accepted` when this end was reported before."""

    answer: str
