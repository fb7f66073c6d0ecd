"""What workers and tasks that speak HTTP are answered."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class ExchangeRow:
    """What was claimed and which reports were not accepted, both as JSON text; and from which queues (None: all)."""

    tasks: str
    answers: str
    claimed: int
    session_ended: bool
    queues: list[str] | None


@dataclass(frozen=True)
class Fence:
    """The session's part of an attempt's fence, and whether the attempt should stop."""

    token: UUID
    cancelled: bool


@dataclass(frozen=True)
class HeldTask:
    """A running task as its worker got it."""

    task_id: UUID
    attempt: int
    session_id: int
    run_id: UUID
    type: str
    input: Any
    slots: list[Any] | dict[str, int] | None  # {"$fetch": how many}: too large for the answer, get_inputs has them
    timeout_seconds: float | None
    metadata: Any
    cancelled: bool
    failures: int
