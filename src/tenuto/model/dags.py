"""DAGs and jobs as the database stores them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from tenuto.model.json import JsonObject
from tenuto.model.statuses import Activation, DagVersionStatus, DeployAction, SourceKind, SourceStatus


@dataclass(frozen=True)
class DagSummary:
    """A DAG. `version` is its current version, or None before the first cutover."""

    name: str
    version: int | None
    yaml_hash: str | None
    newest_version: int
    newest_status: DagVersionStatus
    updated_at: datetime


@dataclass(frozen=True)
class DagVersion:
    """A version of a DAG. `status` is staged, building, ready, failed, current or superseded. If the version is
    building, ready or failed and had data to compute, `completed` is how many of its `planned` tasks have completed,
    and `error` is the first error."""

    dag: str
    version: int
    yaml_hash: str
    status: DagVersionStatus
    jobs: int
    created_by: str
    created_at: datetime
    completed: int | None
    planned: int | None
    error: str | None


@dataclass(frozen=True)
class DagVersionText:
    """A version of a DAG with its YAML. `warnings`: which jobs of the current version no live worker can run, and
    why."""

    dag: str
    version: int
    yaml_hash: str
    status: DagVersionStatus
    yaml: str
    created_by: str
    created_at: datetime
    warnings: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class DeployEntry:
    """An entry in the history of a DAG: a deploy, a cutover, a rollback or a deletion. A deletion has no
    `to_version`."""

    id: UUID
    dag: str
    action: DeployAction
    from_version: int | None
    to_version: int | None
    plan: JsonObject | None
    created_by: str
    created_at: datetime


@dataclass(frozen=True)
class DeletedDag:
    """A DAG that was deleted, or would be deleted (dry run), with its datasets. `versions` and `dataset_versions` are
    the numbers of versions of the DAG and of its datasets."""

    dag: str
    versions: int
    datasets: list[str]
    dataset_versions: int


@dataclass(frozen=True)
class DeployedVersion:
    """The result of a deploy. `created` is False if the same document was deployed before. `warnings` are those of the
    plan."""

    dag: str
    version: int
    yaml_hash: str
    status: DagVersionStatus
    created: bool
    warnings: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class CurrentVersion:
    """The result of a cutover or rollback. `from_version` is the version that was current before. It is None if there
    was none, or if the version was already current."""

    dag: str
    version: int
    yaml_hash: str
    status: DagVersionStatus
    from_version: int | None


class DatasetFacts(TypedDict):
    """The DAG of a dataset, the roles that can read it, and the number of its partitions. Partitions are counted up to
    100,000; the number is None if the dataset has no current version."""

    dag: str
    read_roles: list[str]
    partitions: int | None


@dataclass(frozen=True)
class DeployFacts:
    """The state of the database with which a plan compares a document. `datasets`: the datasets that exist, by name."""

    current_version: int | None
    current_yaml: str | None
    deployed_version: int | None
    deployed_status: DagVersionStatus | None
    datasets: dict[str, DatasetFacts]
    wider_readers: str = "warn"  # the org's setting for datasets that more roles can read than their sources
    # jobs of other DAGs that read a dataset: dataset, dag, job
    readers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])


@dataclass(frozen=True)
class JobSummary:
    """A job of a DAG. `job_key` stays the same in later versions of the DAG."""

    dag: str
    name: str
    job_key: UUID
    version: int
    activation: Activation
    runtime: str
    operator: str
    config_hash: str
    paused_at: datetime | None
    pause_reason: str | None
    held_at: datetime | None


@dataclass(frozen=True)
class WholeJob:
    """A job of a DAG with its definition. A held job (`held_at`) starts no tasks until the backlog of a job that reads
    its output is small enough. `backlog` is set for jobs that limit it in `scaling`. `problem` says why no live worker
    can run the function of the job."""

    dag: str
    name: str
    job_key: UUID
    version: int
    activation: Activation
    runtime: str
    operator: str
    config_hash: str
    metadata_hash: str
    definition: JsonObject
    paused_at: datetime | None
    pause_reason: str | None
    held_at: datetime | None
    hold_reason: str | None
    backlog: JsonObject | None
    problem: str | None = None


@dataclass(frozen=True)
class UnservedFunction:
    """A job of the operator python whose function no live worker can run, and why. `declared`: whether an app declares
    the function; if not, `hint` says what to do."""

    dag: str | None
    job: str
    function: str
    declared: bool
    reason: str
    hint: str | None


@dataclass(frozen=True)
class SourceState:
    """The state of a source job. `status` is active or stopped; for a continuous source it is pending, running,
    draining, dead or stopped. `task_id` is its newest task. `streams` has an entry for each `dataset` that it
    publishes: how many of the newest 1,000 events are not handled yet (`inflight`), how many the source allows
    (`max_inflight`), and the age of the oldest unhandled event (`lag_seconds`)."""

    dag: str
    job: str
    kind: SourceKind
    status: SourceStatus
    task_id: UUID | None
    next_at: datetime | None
    last_at: datetime | None
    streams: list[JsonObject] = field(default_factory=list[JsonObject])


@dataclass(frozen=True)
class TriggeredTask:
    """A task of a job. `created` is False if a task with the same dedupe key existed; this is then the existing task.
    `reused`: the partition was computed from the same inputs before, so the task was completed with that data."""

    task_id: UUID
    partition: str | None
    created: bool
    reused: bool
