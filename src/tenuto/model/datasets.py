"""Datasets as the registry stores them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import JsonObject


@dataclass(frozen=True)
class Dataset:
    """A dataset. If `job` is None, no current version of a DAG publishes it. If it has no `read_roles`, only admins can
    read it."""

    id: UUID
    name: str
    dag: str
    job: str | None
    output: int | None
    version_id: UUID | None
    storage_location: str | None
    read_roles: list[str]
    updated_at: datetime


@dataclass(frozen=True)
class WholeDataset(Dataset):
    """A dataset with the definition of its current version. `buffered` is about appends to the dataset of a sink: how
    many wait (`waiting`) and since when (`since`), and how many failed permanently (`dead`) and why (`error`). It is
    None if there are no such appends."""

    config_hash: str | None
    schema_hash: str | None
    storage: JsonObject | None
    buffered: JsonObject | None = None


@dataclass(frozen=True)
class DatasetVersion:
    """A version of a dataset. `dag_versions`: the versions of the DAG that contain it."""

    id: UUID
    dataset: str
    config_hash: str
    schema_hash: str | None
    storage: JsonObject
    storage_location: str
    is_current: bool
    dag_versions: list[int]
    created_at: datetime
    purged_at: datetime | None


@dataclass(frozen=True)
class PurgedVersion:
    """A version of a dataset that was purged, or would be purged (dry run). `dag_versions`: the versions of the DAG
    that contain it."""

    id: UUID
    storage_location: str
    dag_versions: list[int]
    created_at: datetime


@dataclass(frozen=True)
class Partition:
    """A committed partition of a dataset version, with the task that published it and the inputs of that task. For data
    without partitions, `partition` is None."""

    partition: str | None
    version_id: UUID
    id: UUID
    task_id: UUID
    attempt: int
    location: str
    rows: int | None
    bytes: int | None
    fingerprint: str
    schema_hash: str | None
    checks: list[JsonObject]
    input_versions: list[JsonObject]
    committed_at: datetime


@dataclass(frozen=True)
class Cursor:
    """How far a job has read the current version of a dataset. `cursor`: the newest commit that the job has read or
    skipped. `behind`: how many events of the dataset came after that commit, counted up to 1,000. `task_id` is None if
    the job skipped the commit."""

    dag: str
    job: str
    job_key: UUID
    version_id: UUID
    cursor: UUID
    behind: int
    task_id: UUID | None
    updated_at: datetime


@dataclass(frozen=True)
class VersionFolder:
    """The folder of a version of a dataset, inside the folder of all datasets."""

    org_id: UUID
    version_id: UUID
    storage_location: str
