"""Request bodies of workers."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from tenuto.server.schemas.base import MAX_EXACT_INTEGER, WHOLE, Label, Moment, Name, RequestModel

Id = Annotated[UUID, Field(strict=False)]
# Ids of a batch stay text on their way to Postgres: making objects of them costs more than they are worth.
IdText = Annotated[
    str, Field(pattern="^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", json_schema_extra={"format": "uuid"})
]
Attempt = Annotated[int, Field(ge=0, le=2_147_483_647), WHOLE]
Count = Annotated[int, Field(ge=0, le=2_147_483_647), WHOLE]
ClaimNo = Annotated[int, Field(ge=0, le=MAX_EXACT_INTEGER), WHOLE]
SessionId = Annotated[int, Field(ge=1, le=MAX_EXACT_INTEGER), WHOLE]
Retry = Annotated[float, Field(ge=-1, le=315_360_000)]
Names = Annotated[list[Name], Field(max_length=1000)]
MAX_BATCH = 1000  # what a lane of ours carries at once


class OpenSessionRequest(RequestModel):
    """The description of a worker. Omitted `queues` are all that its key can claim from."""

    name: Name
    queues: Annotated[list[Name], Field(min_length=1, max_length=1000)] | None = None
    types: Names | None = None
    labels: Annotated[list[Label], Field(max_length=64)] | None = None
    languages: Annotated[list[Name], Field(min_length=1, max_length=64)] | None = None
    address: Name | None = None
    instance_type: Name | None = None
    resource_group: Name | None = None
    pool: Name | None = None
    lease_seconds: Annotated[float, Field(ge=1, le=86_400)] = 60
    metadata: dict[str, Any] | None = None


class SessionRequest(RequestModel):
    """The session of the worker, and the token that authenticates it."""

    session_id: SessionId
    token: Id


class AttemptReference(RequestModel):
    task_id: IdText
    attempt: Attempt


class CompletedReport(AttemptReference):
    output: Any = None


class ClaimRequest(SessionRequest):
    """Completions to report, and a claim of up to `limit` tasks that waits up to `wait` seconds for the first."""

    claim_no: Annotated[int, Field(ge=1, le=MAX_EXACT_INTEGER), WHOLE]
    limit: Annotated[int, Field(ge=0, le=MAX_BATCH), WHOLE]
    types: Names | None = None
    resource_group: Name | None = None
    wait: Annotated[float, Field(ge=0, le=20)] = 0
    tokens: bool = False
    reports: Annotated[list[CompletedReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list)


class HeartbeatRequest(SessionRequest):
    """The attempts that the worker holds. Every claim up to `settled_claim_no` got its response or was given up: their
    attempts that are not listed are returned to the queue. Without it, no attempt is returned."""

    settled_claim_no: ClaimNo | None = None
    held: Annotated[list[AttemptReference], Field(max_length=100_000)]
    metrics: dict[str, Any] | None = None


class FailedReport(AttemptReference):
    """`retry_in_seconds`: when to try again; -1 never, omitted after the backoff."""

    error: Any
    retry_in_seconds: Retry | None = None


class LostReport(AttemptReference):
    error: Any


class SnoozedReport(AttemptReference):
    seconds: Annotated[float, Field(ge=0, le=315_360_000)]


class WaitingReport(AttemptReference):
    wait: dict[str, Any]


class ProgressReport(AttemptReference):
    progress: Annotated[float, Field(allow_inf_nan=False)] | None = None
    message: Annotated[str, Field(max_length=8192)] | None = None


class LogLineFields(RequestModel):
    """One line of an attempt's log."""

    line_no: Annotated[int, Field(ge=1, le=10_000), WHOLE]
    message: Annotated[str, Field(max_length=65_536)]
    level: Annotated[str, Field(max_length=32)] | None = None
    logged_at: Moment | None = None
    fields: Any = None


class WorkerLogLine(LogLineFields):
    task_id: IdText
    attempt: Attempt


class ReportRequest(SessionRequest):
    """Outcomes, progress and log lines of attempts, in one transaction. Timeouts of `begun` attempts count from now."""

    completed: Annotated[list[CompletedReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list)
    failed: Annotated[list[FailedReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list)
    lost: Annotated[list[LostReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list)
    snoozed: Annotated[list[SnoozedReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list)
    waiting: Annotated[list[WaitingReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list)
    interrupted: Annotated[list[AttemptReference], Field(max_length=MAX_BATCH)] = Field(default_factory=list)
    begun: Annotated[list[AttemptReference], Field(max_length=MAX_BATCH)] = Field(default_factory=list)
    progress: Annotated[list[ProgressReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list)
    logs: Annotated[list[WorkerLogLine], Field(max_length=10_000)] = Field(default_factory=list)


class NudgeRequest(RequestModel):
    run_ids: Annotated[list[Id], Field(max_length=1000)]


class TypeDeclaration(RequestModel):
    """Options for starts that name only the type: `kind` in the format of start_many, without type. A limit with a
    `parameter` applies to each value of it: its `key` ends before the value, `position` is its index among the
    positional arguments."""

    kind: dict[str, Any] | None = None
    limits: Annotated[list[dict[str, Any]], Field(max_length=1000)] | None = None


class DeclareTypesRequest(SessionRequest):
    """The worker's types with their options."""

    types: Annotated[dict[Name, TypeDeclaration], Field(max_length=1000)]


class TokenRequest(SessionRequest):
    attempt: Attempt


class ScheduleDeclaration(RequestModel):
    """A schedule; `kind` has the format of start_many."""

    name: Name
    kind: dict[str, Any]
    cron: Annotated[str, Field(min_length=1, max_length=256)]
    input: Any = None
    timezone: Annotated[str, Field(min_length=1, max_length=64)] = "UTC"
    catch_up: Annotated[str, Field(min_length=1, max_length=16)] | None = None
    jitter_seconds: Annotated[float, Field(ge=0, le=86_400)] | None = None
    details: dict[str, Any] | None = None


class PutSchedulesRequest(RequestModel):
    """The schedules of an app. A schedule of one of its `types` that is not listed is deleted."""

    types: Names
    schedules: Annotated[list[ScheduleDeclaration], Field(max_length=1000)]
