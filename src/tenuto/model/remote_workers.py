"""Return values of the SQL functions for workers and tasks over HTTP."""

from dataclasses import dataclass
from uuid import UUID

from tenuto.model.json import Json


@dataclass(frozen=True)
class ExchangeRow:
    """The claimed tasks and the rejected reports, both as JSON text, and the queues that the key may claim from (None:
    all)."""

    tasks: str
    rejected_reports: str
    claimed: int
    session_ended: bool
    queues: list[str] | None


@dataclass(frozen=True)
class Fence:
    """The session token that fences an attempt, and whether the attempt should stop."""

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
    # {"$fetch": n}: n slots, too large for this response; get_inputs returns them
    slots: list[Json] | dict[str, int] | None
    timeout_seconds: float | None
    metadata: Json
    idempotency_key: UUID
    cancelled: bool
    failures: int
