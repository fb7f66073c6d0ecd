"""DAGs and jobs as the database stores them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from tenuto.model.json import JsonObject


@dataclass(frozen=True)
class DagSummary:
    """A DAG; `version` is the current version, or None before the first cutover."""

    name: str
    version: int | None
    yaml_hash: str | None
    newest_version: int
    newest_status: str
    updated_at: datetime


@dataclass(frozen=True)
class DagVersion:
    """A version of a DAG; `status` is building, ready, failed, current or superseded. A version that had something to
    compute says how many of its `planned` tasks have `completed`, and the first `error`."""

    dag: str
    version: int
    yaml_hash: str
    status: str
    jobs: int
    created_by: str
    created_at: datetime
    completed: int | None
    planned: int | None
    error: str | None


@dataclass(frozen=True)
class DagVersionText:
    """A version of a DAG with its YAML."""

    dag: str
    version: int
    yaml_hash: str
    status: str
    yaml: str
    created_by: str
    created_at: datetime


@dataclass(frozen=True)
class DeployEntry:
    """An entry in the history of a DAG: a deploy, a cutover, a rollback, or a deletion, which leads to no version."""

    id: UUID
    dag: str
    action: str
    from_version: int | None
    to_version: int | None
    plan: JsonObject | None
    created_by: str
    created_at: datetime


@dataclass(frozen=True)
class DeletedDag:
    """A DAG that was deleted, or with a dry run would be: its datasets, and how many versions of both there are."""

    dag: str
    versions: int
    datasets: list[str]
    dataset_versions: int


@dataclass(frozen=True)
class DeployedVersion:
    """The result of a deploy; `created` is False if the document was deployed before."""

    dag: str
    version: int
    yaml_hash: str
    status: str
    created: bool


@dataclass(frozen=True)
class CurrentVersion:
    """The result of a cutover or rollback; `from_version` is the version that was current before."""

    dag: str
    version: int
    yaml_hash: str
    status: str
    from_version: int | None


class DatasetFacts(TypedDict):
    """The DAG of a dataset, the roles that read it, and the number of its partitions: counted up to 100,000, None if
    the dataset has no current version."""

    dag: str
    read_roles: list[str]
    partitions: int | None


@dataclass(frozen=True)
class DeployFacts:
    """The state that a plan is compared with; `datasets` are those that exist, by name."""

    current_version: int | None
    current_yaml: str | None
    deployed_version: int | None
    deployed_status: str | None
    datasets: dict[str, DatasetFacts]
    wider_readers: str = "warn"  # what the org does about datasets with more readers than their sources
    readers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])  # dataset, dag, job: of other DAGs


@dataclass(frozen=True)
class JobSummary:
    """A job of a DAG; its key stays the same in later versions."""

    dag: str
    name: str
    job_key: UUID
    version: int
    activation: str
    runtime: str
    operator: str
    config_hash: str
    paused_at: datetime | None
    pause_reason: str | None
    held_at: datetime | None


@dataclass(frozen=True)
class WholeJob:
    """A job of a DAG with its definition. A held job starts no tasks until a job that it feeds has worked off its
    backlog. `backlog` is set for jobs that bound it in `scaling`."""

    dag: str
    name: str
    job_key: UUID
    version: int
    activation: str
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


@dataclass(frozen=True)
class SourceState:
    """The state of a source job. `status` is active or stopped; for a continuous source it is pending, running,
    draining, dead or stopped. `task_id` is its newest task. `streams`: for each `dataset` that it publishes, how many
    of the newest 1,000 events are not handled yet (`inflight`), the maximum of that number (`max_inflight`), and the
    age of the oldest of these events (`lag_seconds`)."""

    dag: str
    job: str
    kind: str
    status: str
    task_id: UUID | None
    next_at: datetime | None
    last_at: datetime | None
    streams: list[JsonObject] = field(default_factory=list[JsonObject])


@dataclass(frozen=True)
class TriggeredTask:
    """A task of a job, and whether this call created it: for a dedupe key that is taken, it is the existing task.
    `reused`: the partition was computed from the same inputs before, and the task is completed with the same data."""

    task_id: UUID
    partition: str | None
    created: bool
    reused: bool
