"""Request and response bodies about DAGs, jobs and datasets."""

from typing import Annotated

from pydantic import Field

from tenuto.dag.diff import DatasetChange, JobChange
from tenuto.dag.yaml_tree import MAX_YAML_BYTES
from tenuto.model.datasets import PurgedVersion
from tenuto.model.statuses import Activation
from tenuto.server.schemas.base import WHOLE, EffectKey, Name, RequestModel, ResponseModel

VersionNumber = Annotated[int, Field(ge=1, le=2_147_483_647), WHOLE]


class DagDocumentRequest(RequestModel):
    """A DAG document, as YAML."""

    yaml: Annotated[str, Field(min_length=1, max_length=MAX_YAML_BYTES)]


class PlanDagRequest(DagDocumentRequest):
    """A DAG document, as YAML. `functions`: functions that the app of the caller declares. Jobs can run these functions
    and those that workers have declared."""

    functions: Annotated[list[Name], Field(max_length=1000)] | None = None


class DeployDagRequest(PlanDagRequest):
    """A DAG document, as YAML, and `functions` as in a plan. `cutover`: make the version current as soon as it is
    ready."""

    cutover: bool = False


class MoveDagRequest(RequestModel):
    """`version`: the version to make current. `expected`: refuse the request unless this version is current now (0:
    unless no version is current). By default this is not checked."""

    version: VersionNumber | None = None
    expected: Annotated[int, Field(ge=0, le=2_147_483_647), WHOLE] | None = None


class CutoverDagRequest(MoveDagRequest):
    """`version` and `expected`: as in a rollback. `force`: allow a version that is not ready; then `version` is
    required."""

    force: bool = False


class RoleRequest(RequestModel):
    """A role of the org."""

    role: Name


class TriggerJobRequest(RequestModel):
    """Starts one task for each of the `partitions`, or one task without a partition. If a partition was computed from
    the same inputs before, that data is reused. `force`: compute the partitions again, and start the tasks even if the
    job is paused. With a `dedupe_key`, one task is started per partition; later requests with the same key get that
    task."""

    partitions: Annotated[list[Name], Field(min_length=1, max_length=1000)] | None = None
    force: bool = False
    dedupe_key: EffectKey | None = None


class PurgeDatasetRequest(RequestModel):
    """`keep`: how many versions to keep, by default `keep_versions` of the job's output. `dry_run`: change nothing."""

    keep: Annotated[int, Field(ge=0, le=1000), WHOLE] | None = None
    dry_run: bool = False


class PurgeResponse(ResponseModel):
    """The versions of a dataset that were purged, or that would be purged (`dry_run`)."""

    versions: list[PurgedVersion]


class DeletedDatasetResponse(ResponseModel):
    """A dataset that was deleted, or would be deleted (`dry_run`), and how many versions it had."""

    dataset: str
    versions: int


class DiffResponse(ResponseModel):
    """The difference between two versions of a DAG. Jobs that are equal in both versions are only counted
    (`unchanged_jobs`)."""

    dag: str
    old_version: int
    new_version: int
    jobs: list[JobChange]
    datasets: list[DatasetChange]
    unchanged_jobs: int
    warnings: list[str]


class JobRead(ResponseModel):
    """An input of a job: the output of another job of the same DAG, or a dataset of another DAG (then `job` is
    null)."""

    job: str | None
    dataset: str | None
    triggers: bool


class JobNode(ResponseModel):
    """A job in the graph of a DAG document. `datasets`: the datasets that it publishes."""

    name: str
    activation: Activation
    operator: str
    runtime: str
    description: str | None
    reads: list[JobRead]
    datasets: list[str]


class DagGraphResponse(ResponseModel):
    """The jobs of a DAG document. Each job comes after the jobs whose outputs it reads."""

    dag: str
    description: str | None
    jobs: list[JobNode]
