"""What workers and tasks are answered."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.model.tasks import ProgressAnswer, ReportResult
from tenuto.server.schemas.base import ResponseModel


class OpenSessionResponse(ResponseModel):
    """One life of a worker; the token proves that it is yours. `queues` is null for all."""

    session_id: int
    token: UUID
    lease_seconds: float
    queues: list[str] | None


class ClaimedTask(ResponseModel):
    """One attempt that is now the worker's; `token` lets its code ask for itself."""

    task_id: UUID
    attempt: int
    run_id: UUID
    type: str
    input: Any
    slots: list[Any] | dict[str, int] | None  # {"$fetch": n}: n slots too large for this answer, in /v1/task/inputs
    timeout_seconds: float | None
    metadata: Any
    token: str | None = None


class ClaimResponse(ResponseModel):
    """New attempts, rejected reports, whether the session has ended, and whether to send a heartbeat now."""

    tasks: list[ClaimedTask]
    rejected_reports: list[ReportResult]
    session_ended: bool
    heartbeat_now: bool


class HeartbeatResponse(ResponseModel):
    """Listed attempts that are lost, those that should stop, and whether to finish and leave."""

    lost: list[UUID]
    cancelled: list[UUID]
    draining: bool


class ReportsResponse(ResponseModel):
    results: list[ReportResult]
    rejected_progress: list[ProgressAnswer]


class HeldTaskResponse(ResponseModel):
    """A running task as its worker got it."""

    task_id: UUID
    attempt: int
    run_id: UUID
    type: str
    input: Any
    slots: list[Any] | dict[str, int] | None  # {"$fetch": n}: n slots too large for this answer, in /v1/task/inputs
    timeout_seconds: float | None
    metadata: Any
    cancelled: bool
    failures: int


class TokenResponse(ResponseModel):
    token: str
    expires_at: datetime


class KeySetResponse(ResponseModel):
    """Public signing keys, as RFC 7517 writes them."""

    keys: list[dict[str, Any]]
