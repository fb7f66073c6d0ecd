"""Return values of the SQL functions for workers and tasks that connect by HTTP."""

from dataclasses import dataclass
from uuid import UUID

from tenuto.model.json import Json


@dataclass(frozen=True)
class ExchangeRow:
    """The claimed tasks and the rejected reports, both as JSON text. `queues`: the queues from which the session may
    claim (None: all)."""

    tasks: str
    rejected_reports: str
    claimed: int
    session_ended: bool
    queues: list[str] | None


@dataclass(frozen=True)
class FoundFence:
    """The session token, which is part of the attempt's fence, and whether the attempt should stop (`cancelled`)."""

    token: UUID
    cancelled: bool


@dataclass(frozen=True)
class HeldTask:
    """A running task, as its worker received it."""

    task_id: UUID
    attempt: int
    session_id: int
    run_id: UUID
    type: str
    input: Json
    # {"$fetch": n}: n slots are too large for this response; get_inputs returns them
    slots: list[Json] | dict[str, int] | None
    timeout_seconds: float | None
    metadata: Json
    idempotency_key: UUID
    cancelled: bool
    failures: int
