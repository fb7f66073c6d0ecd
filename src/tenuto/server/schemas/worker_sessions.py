"""Response bodies for workers and tasks."""

from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.model.tasks import ProgressResult, ReportResult
from tenuto.server.schemas.base import ResponseModel


class OpenSessionResponse(ResponseModel):
    """A session. `token` authenticates its requests. `queues` is null if the session claims from all queues."""

    session_id: int
    token: UUID
    lease_seconds: float
    queues: list[str] | None
    org: str


class ClaimedTask(ResponseModel):
    """An attempt that the worker now holds. The code of the attempt authenticates itself with `token`."""

    task_id: UUID
    attempt: int
    run_id: UUID
    type: str
    input: Json
    slots: list[Json] | dict[str, int] | None  # {"$fetch": n}: n slots are too large: get them from /v1/task/inputs
    timeout_seconds: float | None
    metadata: Json
    idempotency_key: UUID  # the same in all attempts of the task, and in retries of its run
    token: str | None = None


class ClaimResponse(ResponseModel):
    """New attempts, rejected reports, whether the session has ended, and whether to send a heartbeat now."""

    tasks: list[ClaimedTask]
    rejected_reports: list[ReportResult]
    session_ended: bool
    heartbeat_now: bool


class DeclaredTypesResponse(ResponseModel):
    """`schema_problems`: for each type whose schema was refused, the reason. Inputs of these types are checked only by
    the worker."""

    schema_problems: dict[str, str]


class HeartbeatResponse(ResponseModel):
    """`lost`: the tasks of attempts that the worker listed but no longer holds. `cancelled`: the tasks of attempts that
    should stop. `draining`: the worker should finish its attempts and exit."""

    lost: list[UUID]
    cancelled: list[UUID]
    draining: bool


class ReportsResponse(ResponseModel):
    results: list[ReportResult]
    rejected_progress: list[ProgressResult]


class HeldTaskResponse(ResponseModel):
    """A running task as its worker received it."""

    task_id: UUID
    attempt: int
    run_id: UUID
    type: str
    input: Json
    slots: list[Json] | dict[str, int] | None  # {"$fetch": n}: n slots are too large: get them from /v1/task/inputs
    timeout_seconds: float | None
    metadata: Json
    idempotency_key: UUID
    cancelled: bool
    failures: int


class TokenResponse(ResponseModel):
    token: str
    expires_at: datetime


class KeySetResponse(ResponseModel):
    """Public signing keys in the format of RFC 7517."""

    keys: list[JsonObject]
