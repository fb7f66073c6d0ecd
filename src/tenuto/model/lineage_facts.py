"""The data from which OpenLineage events are built: the effect in the outbox, and facts about its subject."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from tenuto.model.json import Json


class AttemptSubject(TypedDict):
    """An attempt of a job, which OpenLineage calls a run."""

    task_id: str
    attempt: int
    dag: str
    job: str


class JobSubject(TypedDict):
    """A job of a version of a DAG."""

    job_id: str
    dag: str
    job: str


class DatasetSubject(TypedDict):
    """A dataset."""

    dataset_id: str


class QueuedEvent(TypedDict):
    """An event to deliver. `type` is the type of a run event (such as START), `JOB`, or the change of a dataset's life
    cycle."""

    type: str
    at: str


class DatasetStateChange(QueuedEvent):
    """An event about a dataset. Its type is the change of the dataset's life cycle."""

    name: str
    old_name: str
    version_id: str | None


class SourceColumn(TypedDict):
    """A column (`field` of `dataset`) from which a column of the output is computed. If `column` is None, this applies
    to all columns of the output. If `field` is None, the source column is unknown."""

    column: str | None
    dataset: str
    field: str | None
    kind: str
    subtype: str | None


class VersionFacts(TypedDict, total=False):
    """A version of a dataset, and the data that an attempt has written."""

    version_id: str | None
    location: str | None
    storage: Mapping[str, Json] | None
    columns: Sequence[Mapping[str, Json]] | None
    partition: Json
    rows: int | None
    bytes: int | None
    folders: int
    partitions: Sequence[str]
    results: Sequence[Mapping[str, Json]] | None
    sources: Sequence[SourceColumn] | None


class DatasetDetails(VersionFacts):
    """A dataset that is read or written."""

    dataset: str


class SubjectFacts(VersionFacts, total=False):
    """Facts about the subject of an event, as far as they are known."""

    run_id: str
    version: int
    operator: str
    config: Mapping[str, Json] | None
    source: Mapping[str, Json] | None
    source_kind: str | None
    description: str | None
    deployed_by: str | None
    outcome: str | None
    error: Json
    reused: str | None
    dedupe_key: str | None
    bundle: str | None
    code_version: str | None
    upstream: AttemptSubject | None
    inputs: Sequence[DatasetDetails] | None
    outputs: Sequence[DatasetDetails] | None


@dataclass(frozen=True)
class LineageFacts:
    """The namespace of an org, and facts about the subject of an event. They are None if the subject was deleted by
    retention."""

    namespace: str
    facts: SubjectFacts | None
