"""The definitions of a checked DAG document. Short forms are written out, defaults are applied, references are
resolved."""

from dataclasses import dataclass, field

from tenuto.model.json import JsonObject
from tenuto.model.statuses import Activation


@dataclass(frozen=True)
class JobInput:
    """An input of a job: an output of a job of this DAG, or a dataset that another DAG publishes (`job` is None)."""

    job: str | None
    output: int | None
    dataset: str | None
    where: JsonObject = field(default_factory=JsonObject)
    map: JsonObject | None = None
    trigger: str | None = "any"  # None: the input is only read


@dataclass(frozen=True)
class JobOutput:
    """An output of a job; published if it has a dataset."""

    name: str | None = None
    dataset: str | None = None
    renamed_from: str | None = None
    append_to: str | None = None  # the dataset of a sink; the output of the sink has the other fields
    description: str | None = None
    storage: JsonObject = field(default_factory=JsonObject)
    partition: JsonObject | None = None
    columns: list[JsonObject] | None = None
    checks: list[JsonObject] = field(default_factory=list[JsonObject])
    retention: JsonObject | None = None
    lineage: str | JsonObject = "auto"  # an object has the form of the lineage in publications


@dataclass(frozen=True)
class Job:
    """A node of a DAG."""

    name: str
    activation: Activation
    runtime: str
    operator: str
    config: JsonObject = field(default_factory=JsonObject)
    update_strategy: str = "replace"
    unique_key: list[str] | None = None
    execution_strategy: str | None = None
    inputs: list[JobInput] = field(default_factory=list[JobInput])
    outputs: list[JobOutput] = field(default_factory=list[JobOutput])
    udf: JsonObject | None = None
    code_version: str | None = None
    source: JsonObject | None = None
    bootstrap: JsonObject | None = None
    idle_timeout: str | None = None
    scaling: JsonObject | None = None
    timeout_seconds: int | None = None
    heartbeat_timeout_seconds: int | None = None
    max_attempts: int = 3
    queue: str | None = None
    labels: list[str] = field(default_factory=list[str])
    secrets: list[str] = field(default_factory=list[str])
    description: str | None = None
    renamed_from: str | None = None
    config_hash: str = ""
    metadata_hash: str = ""


@dataclass(frozen=True)
class Dag:
    """A checked DAG document. `jobs` are in an order in which every job comes after the jobs that it reads from."""

    name: str
    description: str | None
    jobs: list[Job]
    yaml: str
    yaml_hash: str

    def job(self, name: str) -> Job:
        return next(job for job in self.jobs if job.name == name)

    def datasets(self) -> dict[str, tuple[Job, int]]:
        """Returns the published datasets with their producers."""
        return {
            output.dataset: (job, number)
            for job in self.jobs
            for number, output in enumerate(job.outputs)
            if output.dataset is not None
        }

    def functions(self) -> set[str]:
        """Returns the names of the functions that jobs of the operator python run."""
        return {str(job.config["task"]) for job in self.jobs if job.operator.partition("@")[0] == "python"}

    def feeding(self, name: str) -> list[str]:
        """Returns the jobs that share a sink with this job: the sink itself, and the other jobs that append to it. All
        of them are computed again together with this job."""
        return sorted({other for members in sinks(self.jobs).values() if name in members for other in members} - {name})


def sinks(jobs: list[Job]) -> dict[str, list[str]]:
    """Returns for each sink a list of jobs: the sink itself, and the jobs that append to its dataset."""
    owners = {output.dataset: job.name for job in jobs for output in job.outputs if output.dataset is not None}
    members = {job.name: [job.name] for job in jobs if job.operator.partition("@")[0] == "sink"}
    for job in jobs:
        for output in job.outputs:
            if output.append_to is not None:
                members[owners[output.append_to]].append(job.name)
    return members
