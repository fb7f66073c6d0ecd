"""The fields of DAG documents, version 1. Checks, the JSON Schema and the reference page are derived from these
classes."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from tenuto.dag.output_fields import Fields, OutputFields
from tenuto.dag.value_types import (
    BUNDLE,
    CODE_VERSION,
    OPERATOR,
    TASK,
    WEBHOOK_PATH,
    ColumnName,
    DatasetName,
    Filter,
    IdleTimeout,
    Labels,
    MaxAge,
    Name,
    OutputName,
    Period,
    Queue,
    Schedule,
    Seconds,
    Summary,
    Timezone,
)
from tenuto.model.json import Json

MAX_JOBS = 1000
MAX_OUTPUTS = 100

Activation = Literal["source", "reactive"]
JobRuntimeName = Literal["worker", "dispatcher", "sandbox"]
Strategy = Literal["PerUpdate", "PerPartition"]
Update = Literal["append", "replace"]


class CronSource(Fields):
    """Starts at the times of a cron expression."""

    kind: Literal["cron"]
    schedule: Schedule = Field(description='Such as "0 3 * * *", @daily, @every 10m or rate(1 day).')
    timezone: Timezone = "UTC"
    catchup: bool = Field(
        default=False,
        description="true: a task starts for every missed time. false: only for the last missed time.",
    )
    partition: Literal["current", "previous"] = Field(
        default="current",
        description="For outputs with partitions by time, in UTC. current: a task computes the period in which it "
        "starts. previous: it computes the period before, which is complete.",
    )


class WebhookSource(Fields):
    """Starts when a signed HTTP request arrives."""

    kind: Literal["webhook"]
    webhook_path: str = Field(pattern=WEBHOOK_PATH, description="Path of the endpoint.")


class ContinuousSource(Fields):
    """Runs all the time and is started again when it ends."""

    kind: Literal["continuous", "always_on"]
    max_inflight: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Maximum number of emitted events of a dataset that are not handled yet.",
    )


class ManualSource(Fields):
    """Starts when a user triggers it."""

    kind: Literal["manual"]


class BufferSource(Fields):
    """Starts nothing: rows arrive from the jobs that append to the dataset of this sink."""

    kind: Literal["buffer"]


class Bootstrap(Fields):
    """Settings for the first cutover to a version."""

    reset_outputs: bool = Field(
        description="Whether each version of the document begins with empty outputs. A rollback restores the old data."
    )


class FromJob(Fields):
    """An output of another job of this DAG."""

    job: Name
    output: OutputName = Field(default=0, description="Position or name of the output.")


class FromDataset(Fields):
    """A published dataset, of this DAG or of another DAG."""

    dataset: DatasetName


class IdentityMap(Fields):
    """Maps each partition of the input to the partition with the same key."""

    kind: Literal["identity"]


class RangeMap(Fields):
    """Splits or joins the ranges of the input into ranges of this size."""

    kind: Literal["range"]
    size: int = Field(ge=1, le=2**53 - 1)


class TimeMap(Fields):
    """Joins the periods of the input into hours, days, weeks or months."""

    kind: Literal["time"]
    every: Period


class Scaling(Fields):
    """How many tasks of a job run, and how many may wait before the jobs that feed it are held (backpressure)."""

    max_concurrency: int | None = Field(
        default=None, ge=1, le=100_000, description="How many tasks may run at the same time."
    )
    max_queue_depth: int | None = Field(
        default=None, ge=1, le=100_000, description="For reactive jobs: how many tasks may wait."
    )
    max_queue_age: MaxAge | None = Field(default=None, description="For reactive jobs: how long a task may wait.")


class Udf(Fields):
    """A task of an uploaded bundle."""

    bundle: str = Field(pattern=BUNDLE, description="Hash of the bundle.")
    task: str = Field(pattern=TASK, description="Name of the task in the bundle's manifest.")


def _reference_kind(value: object) -> str:
    """Selects by the keys which variant of a reference validates it, so that a wrong reference gets one error message
    instead of one per variant."""
    return "dataset" if isinstance(value, FromDataset) or (isinstance(value, dict) and "dataset" in value) else "job"


def _outputs_kind(value: object) -> str:
    return "count" if isinstance(value, int) else "list"


Source = Annotated[
    CronSource | WebhookSource | ContinuousSource | ManualSource | BufferSource, Field(discriminator="kind")
]
Map = Annotated[IdentityMap | RangeMap | TimeMap, Field(discriminator="kind")]
Reference = Annotated[
    Annotated[FromJob, Tag("job")] | Annotated[FromDataset, Tag("dataset")], Discriminator(_reference_kind)
]
Outputs = Annotated[
    Annotated[Annotated[int, Field(ge=0, le=MAX_OUTPUTS)], Tag("count")]
    | Annotated[Annotated[list[OutputFields], Field(max_length=MAX_OUTPUTS)], Tag("list")],
    Discriminator(_outputs_kind),
]


class InputFields(Fields):
    """One input of a reactive job."""

    reference: Reference = Field(alias="from", description="The output or dataset that is read.")
    where: dict[ColumnName, Filter] = Field(default={}, max_length=20, description="Values that rows must have.")
    map: Map | None = Field(default=None, description="How partitions of the input become partitions of the output.")
    trigger: Literal["any", "all_same_partition", False] = Field(
        default="any",
        description="any: every event starts a task. all_same_partition: a task waits for the same partition of all "
        "inputs. false: the input is read, but starts no task.",
    )


class Defaults(Fields):
    """Values for jobs that do not set them."""

    runtime: JobRuntimeName | None = None
    execution_strategy: Strategy | None = Field(default=None, description="For reactive jobs.")
    update_strategy: Update | None = None
    idle_timeout: IdleTimeout | None = Field(default=None, description="For reactive jobs.")
    scaling: Scaling | None = None
    timeout_seconds: Seconds | None = None
    heartbeat_timeout_seconds: Seconds | None = None
    max_attempts: int | None = Field(default=None, ge=1, le=100)
    queue: Queue | None = None
    labels: Labels | None = None


class JobFields(Fields):
    """A node of the DAG."""

    name: Name = Field(description="Unique in the DAG.")
    renamed_from: Name | None = Field(default=None, description="Old name of the job, which keeps its identity.")
    description: Summary | None = None
    activation: Activation = Field(
        description="source: started by a time, a request or a user. reactive: started by changes of its inputs."
    )
    runtime: JobRuntimeName | None = Field(
        default=None,
        description="Where it runs. Default: worker, and sandbox for a bundle; only bundles run in sandboxes. "
        "dispatcher: trigger_cron, webhook, sink and range_aggregator run in a dispatcher, without a worker.",
    )
    operator: str = Field(
        pattern=OPERATOR,
        description="Operator that it runs. sql@2 also runs sql; another number computes the data again.",
    )
    config: dict[str, Json] = Field(default={}, description="Options of the operator.")
    udf: Udf | None = Field(default=None, description="For the operator bundle.")
    source: Source | None = Field(default=None, description="For source jobs: when it starts.")
    bootstrap: Bootstrap | None = Field(default=None, description="For source jobs.")
    inputs: list[InputFields] | None = Field(
        default=None, min_length=1, max_length=100, description="For reactive jobs."
    )
    execution_strategy: Strategy | None = Field(
        default=None, description="For reactive jobs: one task per event, or one per partition of a dataset version."
    )
    idle_timeout: IdleTimeout | None = Field(default=None, description="For reactive jobs: how long workers stay idle.")
    update_strategy: Update | None = Field(default=None, description="How outputs change. Default: replace.")
    unique_key: list[ColumnName] | None = Field(
        default=None, min_length=1, max_length=32, description="For append: the columns that identify a row."
    )
    scaling: Scaling | None = None
    timeout_seconds: Seconds | None = Field(default=None, description="How long an attempt may run.")
    heartbeat_timeout_seconds: Seconds | None = Field(
        default=None, description="How long an attempt may run without a heartbeat or progress."
    )
    max_attempts: int | None = Field(
        default=None, ge=1, le=100, description="Attempts, including the first. Default: 3."
    )
    queue: Queue | None = Field(
        default=None,
        description="Where its tasks wait. Workers that serve this queue, or all queues, claim them. Default: default.",
    )
    labels: Labels | None = Field(
        default=None, description="Labels that a worker must have to claim its tasks, such as gpu."
    )
    code_version: str | None = Field(
        default=None,
        pattern=CODE_VERSION,
        description="Version of the code that it runs, such as a Python function. A new value computes its data again.",
    )
    secrets: list[Name] = Field(default=[], max_length=32, description="Names of secrets, for trusted code only.")
    outputs: Outputs = Field(description="A list of outputs, or their number.")


class PublishFields(Fields):
    """Publishes an output: another way to write the `dataset` of an output."""

    reference: FromJob = Field(alias="from")


class DocumentFields(Fields):
    """A DAG: jobs, and the datasets that they publish."""

    version: Literal[1] = Field(default=1, description="Version of this format.")
    name: Name = Field(description="Unique in the org.")
    description: Summary | None = None
    defaults: Defaults | None = None
    jobs: list[JobFields] = Field(min_length=1, max_length=MAX_JOBS)
    publish: dict[DatasetName, PublishFields] = Field(default={}, max_length=MAX_JOBS)
