"""The words of statuses, kinds and outcomes, as the database stores them and responses show them. Each list has a name,
which is also its name in the OpenAPI document. `tests/contracts/test_statuses.py` compares the lists with the
constraints of the tables."""

from typing import Literal

ProblemCode = Literal[  # of an error response: the names of `model/errors.py`, and those of HTTP itself
    "not_found",
    "session_ended",
    "invalid_input",
    "conflict",
    "stale_lease",
    "cancelled",
    "too_large",
    "unauthorized",
    "forbidden",
    "rate_limited",
    "wrong_isolation",
    "copied_database",
    "bad_request",
    "method_not_allowed",
    "unsupported_media_type",
    "timeout",
    "unavailable",
    "row_rejected",
    "internal",
]
RunStatusName = Literal["pending", "running", "retrying", "completed", "failed", "cancelled"]
TaskStatusName = Literal[
    "pending", "queued", "running", "waiting", "retrying", "completed", "failed", "cancelled", "skipped"
]
AttemptOutcome = Literal[
    "running",
    "completed",
    "failed",
    "cancelled",
    "skipped",
    "retrying",
    "lost",
    "snoozed",
    "waiting",
    "blocked",
    "interrupted",
    "forgotten",
]
EndName = Literal["completed", "failed", "cancelled"]  # how a run or another task ended
WaitReason = Literal["children", "signal", "time", "limit", "code"]
StepKind = Literal["step", "child", "sleep", "signal", "patch"]
InputPartName = Literal["input", "metadata", "slot"]
ReportResultName = Literal["accepted", "already_accepted", "stale_lease", "refused"]
ProgressResultName = Literal["stale_lease", "cancelled"]
RunAction = Literal["cancel", "retry", "delete"]
LimitScope = Literal["key", "queue", "rate"]

WorkerStatusName = Literal["starting", "active", "draining", "error", "terminated"]
WorkerHealth = Literal["healthy", "stuck_task", "stale_heartbeat", "no_heartbeat", "dead"]
ALIVE_HEALTH: tuple[WorkerHealth, ...] = ("healthy", "stuck_task")  # of a worker that runs tasks
DispatcherStatusName = Literal["active", "dead"]
SessionEnd = Literal["closed", "expired", "replaced", "terminated", "failed"]

ChangeKind = Literal["run", "task", "worker"]
ChangeStatus = Literal[
    "pending",
    "completed",
    "failed",
    "cancelled",
    "skipped",
    "retrying",
    "lost",
    "snoozed",
    "waiting",
    "blocked",
    "interrupted",
    "forgotten",
    "active",
    "draining",
    "terminated",
]

DagVersionStatus = Literal["staged", "building", "ready", "current", "superseded", "failed"]
DeployAction = Literal["deploy", "cutover", "rollback", "delete"]
Activation = Literal["source", "reactive"]
SourceKind = Literal["cron", "webhook", "continuous", "always_on", "manual", "buffer"]
SourceStatus = Literal["active", "stopped", "pending", "running", "draining", "dead"]
JobChangeKind = Literal["added", "removed", "data", "metadata", "renamed"]
DatasetChangeKind = Literal["added", "removed", "renamed", "rebuilt", "reused", "moved"]
ReaderEffect = Literal["updated", "removed"]  # of a cutover on a job of another DAG

EffectKind = Literal["route_event", "emit_lineage", "deliver", "enqueue_task", "delete_data", "sink", "raise_alerts"]
EffectStatus = Literal["pending", "processing", "done", "dead"]
CatchUp = Literal["skip", "one", "all"]

ActorKind = Literal["user", "api_key", "worker_key", "task", "operator", "system", "login"]
PrincipalKind = Literal["user", "api_key"]
PlatformRole = Literal["reader", "writer", "admin"]

AlertKind = Literal["job_failures", "dataset_age", "dead_effects", "no_worker", "pool_trouble", "job_alerts"]
AlertStatus = Literal["firing", "acknowledged", "resolved"]
BackfillStatus = Literal["running", "paused", "cancelling", "completed", "failed", "cancelled"]
Reprocess = Literal["none", "failed", "all"]
Downstream = Literal["none", "same", "all"]
InvalidationStatus = Literal["running", "completed", "failed"]
MissingState = Literal["open", "waiting", "paused", "failed", "filtered", "unpublished", "not_started"]
ReactionName = Literal["triggered", "deduped", "filtered", "paused", "stale"]
LineageKind = Literal["direct", "indirect"]
LineageMethodName = Literal["sql", "declared", "reported", "inputs"]
LineageConfidence = Literal["exact", "stated", "table"]
ResultKind = Literal["run", "task", "type", "worker", "dataset", "dag", "queue", "schedule"]  # of a search
