"""Request bodies of workers."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from tenuto.model.json import Json, JsonObject
from tenuto.model.lineage import MAX_SOURCES
from tenuto.server.schemas.base import MAX_EXACT_INTEGER, WHOLE, Label, Moment, Name, RequestModel

Id = Annotated[UUID, Field(strict=False)]
# The ids of a batch are passed to Postgres as text: parsing them into UUID objects would take time and has no use.
IdText = Annotated[
    str, Field(pattern="^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", json_schema_extra={"format": "uuid"})
]
Attempt = Annotated[int, Field(ge=0, le=2_147_483_647), WHOLE]
Count = Annotated[int, Field(ge=0, le=2_147_483_647), WHOLE]
ClaimNo = Annotated[int, Field(ge=0, le=MAX_EXACT_INTEGER), WHOLE]
SessionId = Annotated[int, Field(ge=1, le=MAX_EXACT_INTEGER), WHOLE]
Retry = Annotated[float, Field(ge=-1, le=315_360_000)]
Names = Annotated[list[Name], Field(max_length=2500)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
MAX_BATCH = 1000  # maximum number of tasks or reports in one request


class OpenSessionRequest(RequestModel):
    """The description of a worker. If `queues` is omitted, it claims from all queues of its worker key."""

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
    metadata: JsonObject | None = None


class SessionRequest(RequestModel):
    """The session of the worker, and the token that authenticates it."""

    session_id: SessionId
    token: Id


class AttemptReference(RequestModel):
    task_id: IdText
    attempt: Attempt


class CheckResult(RequestModel):
    """The result of a check. The data is refused if a check of severity `error` did not pass."""

    name: Name | None = None
    severity: Literal["error", "warn"] = "error"
    passed: bool
    message: Annotated[str, Field(max_length=8192)] | None = None


class LineageSource(RequestModel):
    """A column of an input (`field`) from which a column of the output (`column`) is computed. Without `column`: all
    columns of the output. Without `field`: the column of the input is unknown. `indirect`: the column of the input
    decides only which values are used, as in a filter."""

    column: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    input: Annotated[int, Field(ge=0, le=99), WHOLE]
    field: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    kind: Literal["direct", "indirect"] = "direct"
    subtype: Annotated[str, Field(max_length=32)] | None = None


class Lineage(RequestModel):
    """The column lineage of an output. `method`: it was read from the SELECT (`sql`) or reported by the code."""

    method: Literal["sql", "reported"] = "reported"
    confidence: Literal["exact", "stated", "table"] = "stated"
    columns: Annotated[list[LineageSource], Field(max_length=MAX_SOURCES)]


class PublishedAlert(RequestModel):
    """An alert about the data of a publication. Several alerts with the same key are one alert."""

    key: Annotated[str, Field(min_length=1, max_length=300)]
    summary: Annotated[str, Field(min_length=1, max_length=1000)]
    severity: Literal["info", "warning", "critical"]
    row: JsonObject


class Publication(RequestModel):
    """Data that an attempt of a job's task wrote. `output`: the number of the output. `location`: the folder, to which
    only this attempt may write. `fingerprint`: a SHA-256 hash of the content. `lineage`: describes the whole output, so
    only one of its publications needs it. `alerts`: all alerts that the job finds in this partition now."""

    output: Annotated[int, Field(ge=0, le=99), WHOLE]
    partition: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    location: Annotated[str, Field(min_length=1, max_length=2048)]
    rows: Annotated[int, Field(ge=0, le=MAX_EXACT_INTEGER), WHOLE] | None = None
    bytes: Annotated[int, Field(ge=0, le=MAX_EXACT_INTEGER), WHOLE] | None = None
    fingerprint: Hash
    schema_hash: Hash | None = None
    checks: Annotated[list[CheckResult], Field(max_length=100)] | None = None
    lineage: Lineage | None = None
    alerts: Annotated[list[PublishedAlert], Field(max_length=100)] | None = None


Publications = Annotated[list[Publication], Field(max_length=1000)]


class CompletedReport(AttemptReference):
    """`published`: the data that a job's task wrote. It is committed in the transaction that completes the task. If it
    is not valid, the task fails and the result is `refused`."""

    output: Json = None
    published: Publications | None = None


def publications(published: list[Publication]) -> list[JsonObject]:
    """Return the publications of one attempt in the format of the SQL functions."""
    return [entry.model_dump(mode="json") for entry in published]


def published_of(reports: list[CompletedReport]) -> list[list[JsonObject] | None] | None:
    """Returns the publications of each report. Returns None if no report has any, as in almost every request."""
    if all(report.published is None for report in reports):
        return None
    return [None if report.published is None else publications(report.published) for report in reports]


class ClaimRequest(SessionRequest):
    """Completions to report, and a claim of up to `limit` tasks. If there is no task, the claim waits up to `wait`
    seconds for the first one."""

    claim_no: Annotated[int, Field(ge=1, le=MAX_EXACT_INTEGER), WHOLE]
    limit: Annotated[int, Field(ge=0, le=MAX_BATCH), WHOLE]
    types: Names | None = None
    resource_group: Name | None = None
    wait: Annotated[float, Field(ge=0, le=20)] = 0
    tokens: bool = False
    reports: Annotated[list[CompletedReport], Field(max_length=MAX_BATCH)] = Field(
        default_factory=list[CompletedReport]
    )


class HeartbeatLine(RequestModel):
    """A line of the worker's own log, and how many seconds ago it was written."""

    message: Annotated[str, Field(max_length=65_536)]
    level: Annotated[str, Field(min_length=1, max_length=32)] = "info"
    age_seconds: Annotated[float, Field(ge=0, le=172_800)] = 0


class HeartbeatRequest(SessionRequest):
    """`held`: the attempts that the worker holds. `settled_claim_no`: the worker waits for no response to this claim or
    an earlier one. If an attempt of these claims is not in `held`, the worker does not have it, and its task goes back
    to its queue. Without this number, no task goes back. `metrics` are merged into the worker's metadata. `logs` are
    appended to its log."""

    settled_claim_no: ClaimNo | None = None
    held: Annotated[list[AttemptReference], Field(max_length=100_000)]
    metrics: JsonObject | None = None
    logs: Annotated[list[HeartbeatLine], Field(max_length=500)] | None = None


class FailedReport(AttemptReference):
    """`retry_in_seconds`: when the task is tried again. -1: never. Omitted: after the backoff."""

    error: Json
    retry_in_seconds: Retry | None = None


class LostReport(AttemptReference):
    error: Json


class SnoozedReport(AttemptReference):
    seconds: Annotated[float, Field(ge=0, le=315_360_000)]


class WaitingReport(AttemptReference):
    wait: JsonObject


class Mismatch(RequestModel):
    """A step of the code that differs from the recorded one: its number, the recorded step (`expected`) and the step
    that the code called (`found`)."""

    step_no: Count
    expected: str
    found: str


class BlockedReport(AttemptReference):
    """`code_version`: the version of the code that ran, if it may differ from the version with which the worker
    registered."""

    mismatch: Mismatch
    code_version: Annotated[str, Field(min_length=1, max_length=64)] | None = None


class ProgressReport(AttemptReference):
    progress: Annotated[float, Field(allow_inf_nan=False)] | None = None
    message: Annotated[str, Field(max_length=8192)] | None = None


class LogLineFields(RequestModel):
    """One line of an attempt's log."""

    line_no: Annotated[int, Field(ge=1, le=10_000), WHOLE]
    message: Annotated[str, Field(max_length=65_536)]
    level: Annotated[str, Field(max_length=32)] | None = None
    logged_at: Moment | None = None
    fields: Json = None


class WorkerLogLine(LogLineFields):
    task_id: IdText
    attempt: Attempt


class ReportRequest(SessionRequest):
    """Outcomes, progress and log lines of attempts, in one transaction. The timeouts of the attempts in `begun` count
    from now."""

    completed: Annotated[list[CompletedReport], Field(max_length=MAX_BATCH)] = Field(
        default_factory=list[CompletedReport]
    )
    failed: Annotated[list[FailedReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list[FailedReport])
    lost: Annotated[list[LostReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list[LostReport])
    snoozed: Annotated[list[SnoozedReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list[SnoozedReport])
    waiting: Annotated[list[WaitingReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list[WaitingReport])
    blocked: Annotated[list[BlockedReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list[BlockedReport])
    interrupted: Annotated[list[AttemptReference], Field(max_length=MAX_BATCH)] = Field(
        default_factory=list[AttemptReference]
    )
    begun: Annotated[list[AttemptReference], Field(max_length=MAX_BATCH)] = Field(
        default_factory=list[AttemptReference]
    )
    progress: Annotated[list[ProgressReport], Field(max_length=MAX_BATCH)] = Field(default_factory=list[ProgressReport])
    logs: Annotated[list[WorkerLogLine], Field(max_length=10_000)] = Field(default_factory=list[WorkerLogLine])


class NudgeRequest(RequestModel):
    run_ids: Annotated[list[Id], Field(max_length=1000)]


class TypeDeclaration(RequestModel):
    """Options for starts that pass only the type. `kind` has the format of the SQL function start_many, without the
    type. A limit with a `parameter` applies to each value of that parameter: the value is appended to the `key` of the
    limit. `position` is the index of the parameter among the positional arguments."""

    kind: JsonObject | None = None
    limits: Annotated[list[JsonObject], Field(max_length=1000)] | None = None


class DeclareTypesRequest(SessionRequest):
    """The worker's types with their options. `schemas`: an object that maps a type to the JSON Schema of its
    arguments, which are properties with their names; at most 16 kB per type. The keyword `x-positional` of a schema
    lists the parameters that can be passed by position. A schema that cannot be checked in bounded time is refused; its
    type is declared without it."""

    types: Annotated[dict[Name, TypeDeclaration], Field(max_length=1000)]
    schemas: Annotated[dict[Name, Json], Field(max_length=1000)] | None = None


class TokenRequest(SessionRequest):
    attempt: Attempt


class ScheduleDeclaration(RequestModel):
    """A schedule. `kind` is like one of `p_kinds` of the SQL function start_many."""

    name: Name
    kind: JsonObject
    cron: Annotated[str, Field(min_length=1, max_length=256)]
    input: Json = None
    timezone: Annotated[str, Field(min_length=1, max_length=64)] = "UTC"
    catch_up: Annotated[str, Field(min_length=1, max_length=16)] | None = None
    jitter_seconds: Annotated[float, Field(ge=0, le=86_400)] | None = None
    details: JsonObject | None = None


class PutSchedulesRequest(RequestModel):
    """The schedules of an app. A schedule of one of its `types` that is not in `schedules` is deleted."""

    types: Names
    schedules: Annotated[list[ScheduleDeclaration], Field(max_length=1000)]
