"""The job that a task runs: `ctx.job`."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tenuto.model.errors import InvalidInput
from tenuto.model.jobs import is_table
from tenuto.model.json import JsonObject
from tenuto.model.lineage import OutputLineage, stated_lineage
from tenuto.sdk.context.attempt_api import AttemptCaller
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.current_attempt import RunningAttempt
from tenuto.sdk.jobs.packages import data_packages
from tenuto.sdk.suggestions import nearest
from tenuto.storage import open_store
from tenuto.storage.base import Store

if TYPE_CHECKING:
    import pyarrow as pa

    from tenuto.sdk.jobs.input_data import InputData
    from tenuto.sdk.task import AnyTask

GLOB = "**/*.parquet"


class JobFiles:
    """The object store of a job, and a temporary folder on this machine that is deleted when the attempt ends."""

    def __init__(self, storage: str) -> None:
        self._storage = storage
        self._on_close = ExitStack()

    @cached_property
    def store(self) -> Store:
        return open_store(self._storage)

    @cached_property
    def scratch(self) -> Path:
        from tenuto.storage.scratch import scratch_folder

        return self._on_close.enter_context(scratch_folder())

    def close(self) -> None:
        """Delete the temporary folder."""
        self._on_close.close()


class RunningJobInput:
    """An input of a job, as it was when the task was created: later commits do not change it."""

    def __init__(self, description: JsonObject, files: JobFiles, calls: AttemptCaller) -> None:
        self._description, self._files, self._calls = description, files, calls
        self.number = int(str(description["no"]))
        """The position in the list of inputs, from 0."""
        self.name = str(description["name"])
        """The name of the input in SQL: the name of its dataset, or else of the output or job that produces it."""
        self.dataset = cast("str | None", description.get("dataset"))
        """The name of the dataset, None for an output that is not published."""
        self.partition = cast("str | None", description.get("partition"))
        """The key of the partition, None for the whole dataset."""
        self.fingerprint = cast("str | None", description.get("fingerprint"))
        """A hash of the data: equal data has the same hash."""
        locations = cast("Sequence[str] | None", description["locations"])
        self.locations = list(locations or ())
        """The prefixes of the committed data in the object store. For data in Postgres, they identify the row sets."""
        self.is_table = is_table(description)
        """Whether the data is in Postgres, and not in the object store."""
        self.is_partial = locations is None  # too many locations for the input of a task: `open_job` requests them

    @cached_property
    def paths(self) -> list[Path]:
        """The Parquet files on this machine. Files in a bucket and rows in Postgres are downloaded first."""
        with data_packages():
            from tenuto.sdk.jobs.parquet_files import local_files
            from tenuto.sdk.jobs.table_rows import TableRows

        if self.is_table:
            columns = cast("list[JsonObject]", self._description["columns"])
            table = TableRows(self._calls, self.name, columns)
            return table.download(self.number, self.locations, self._files.scratch)
        storage = cast(JsonObject, self._description.get("storage") or {})
        folder = self._files.scratch / self.name
        return local_files(self._files.store, self.locations, folder, str(storage.get("glob") or GLOB))

    def read(self) -> "pa.Table":
        """Return all rows of the input as a pyarrow Table."""
        return self.data().read(self._files.scratch)

    def data(self) -> "InputData":
        """Return an object with which the rows of the input can be scanned. Downloads missing files, but reads no rows
        yet."""
        with data_packages():
            from tenuto.sdk.jobs.input_data import InputData

        return InputData(self.name, self.paths, self._description)


class RunningJobOutput:
    """An output of a job."""

    def __init__(self, description: JsonObject) -> None:
        self.number = int(str(description["no"]))
        """The position in the list of outputs, from 0."""
        self.name = cast("str | None", description.get("name"))
        """The name for references inside of the DAG."""
        self.dataset = cast("str | None", description.get("dataset"))
        """The name of the dataset, None for an output that is not published."""
        self.columns = cast("list[JsonObject] | None", description.get("columns"))
        """The declared columns, None if there are none."""
        self.checks = cast("list[JsonObject]", description.get("checks") or [])
        """The checks that data must pass."""
        self.location = cast("str | None", description.get("location"))
        """The prefix of the dataset version in the object store."""
        self.storage = cast(JsonObject, description.get("storage") or {})
        """Where and how the data is stored."""
        self.is_table = is_table(description)
        """Whether the data is stored in Postgres, and not in the object store."""
        self.finds_lineage = description.get("lineage", "auto") == "auto"
        """Whether an operator finds the column lineage itself."""

    def __str__(self) -> str:
        label = self.dataset or self.name
        return f"output {self.number}" + (f" ({label})" if label else "")


class RunningJob:
    """The job of a DAG that a task runs."""

    def __init__(self, description: JsonObject, storage: str, attempt: RunningAttempt, calls: AttemptCaller) -> None:
        self._attempt, self._calls = attempt, calls
        self.files = JobFiles(storage)
        """The object store, and a folder for temporary files."""
        self.dag = str(description["dag"])
        """The name of the DAG."""
        self.version = int(str(description["version"]))
        """The number of the DAG version that the task belongs to."""
        self.name = str(description["job"])
        """The name of the job."""
        self.operator = str(description["operator"])
        """The operator of the job."""
        self.partition = cast("str | None", description.get("partition"))
        """The key of the partition that the task computes, None without partitions."""
        self.event = cast("JsonObject | None", description.get("event"))
        """The event that started the task: its `id`, `dataset`, `partition` and `data`; None if no event started it."""
        self.config = cast(JsonObject, description.get("config") or {})
        """The options of the operator."""
        self.inputs: Mapping[str, RunningJobInput] = _inputs(description, self.files, calls)
        """The inputs by name."""
        self.outputs = [RunningJobOutput(item) for item in cast("list[JsonObject]", description.get("outputs") or [])]
        """The outputs by position."""
        self.source = cast(JsonObject, description.get("source") or {})
        """How the task of a source was started: its `kind`, and the `fire_time` of cron or the `body` of a webhook."""
        self.udf = cast(JsonObject, description.get("udf") or {})
        """The task of a bundle that the job runs."""
        self.allowed_hosts: Sequence[str] = ()
        """The hosts with private addresses that the job may contact."""
        self.function: AnyTask | None = None  # of the operator python: the declared function that the task runs
        self.published: list[JsonObject] = []
        """The data that this attempt has written."""
        attempt.published = (
            self.published
        )  # set even if it stays empty, because then the completion records what the task has read
        self._lineage: dict[int, OutputLineage] = {}

    def only_input(self) -> RunningJobInput:
        """Return the only input of the job. Raises Fail if the job does not have exactly one input."""
        if len(self.inputs) != 1:
            raise Fail(
                f"the operator {self.operator} needs exactly one input; {self.dag}/{self.name} has {len(self.inputs)}"
            )
        return next(iter(self.inputs.values()))

    def output(self, output: int | str) -> RunningJobOutput:
        """Return an output by its position, its name or its dataset. Raises Fail if there is none."""
        for known in self.outputs:
            if output in (known.number, known.name, known.dataset):
                return known
        listed = ", ".join(map(str, self.outputs)) or "no outputs"
        raise Fail(f"the job {self.dag}/{self.name} has no output {output!r}; it has {listed}")

    def write(
        self, data: object, output: int | str = 0, partition: str | None = None, *, rows_per_file: int | None = None
    ) -> int:
        """Write data to the staging prefix of the attempt and check it. The completion of the task publishes it. Return
        the number of rows."""
        with data_packages():
            from tenuto.sdk.jobs.publication import stage_output

        target, key = self.output(output), self.partition if partition is None else partition
        if any((item["output"], item["partition"]) == (target.number, key) for item in self.published):
            part = f" for the partition {key}" if key is not None else ""
            raise Fail(f"{target} is written a second time{part}; call ctx.write once, with all rows")
        publication = stage_output(
            target, data, key, self.files, self._attempt, self._calls, rows_per_file=rows_per_file
        )
        self.published.append(publication)
        self._attempt.published = self.published
        self._attach_lineage(target.number)
        return int(str(publication["rows"]))

    def state_lineage(self, columns: Mapping[str, str | Sequence[str]], output: int | str = 0) -> None:
        """Record from which columns of the inputs the columns of an output are computed: `{"total": "orders.amount"}`,
        where `orders` is the name of an input. The name of an input without a column means that the column is not
        known."""
        numbers = {name: item.number for name, item in self.inputs.items()}
        try:
            self.set_lineage(stated_lineage(columns, numbers, "reported"), output)
        except InvalidInput as error:
            raise Fail(str(error)) from error

    def set_lineage(self, lineage: OutputLineage, output: int | str = 0) -> None:
        """Record the column lineage of an output. It is stored with the data, when the task completes."""
        number = self.output(output).number
        self._lineage[number] = lineage
        self._attach_lineage(number)

    def set_alerts(self, alerts: list[JsonObject]) -> None:
        """Attach alerts about the data to the publication that was written last. They are recorded when the task
        completes."""
        self.published[-1]["alerts"] = alerts

    def _attach_lineage(self, output: int) -> None:
        """Add the lineage to the first publication of the output: it is the same for all partitions."""
        first = next((item for item in self.published if item["output"] == output), None)
        if first is not None and output in self._lineage:
            first["lineage"] = self._lineage[output].json()

    def published_briefly(self) -> list[JsonObject]:
        """Return a summary of what this attempt has written, for the result of the task."""
        return [{key: item[key] for key in ("output", "partition", "rows", "bytes")} for item in self.published]

    def close(self) -> None:
        """Delete the temporary files of the attempt."""
        self.files.close()


def _inputs(description: JsonObject, files: JobFiles, calls: AttemptCaller) -> "_ByName":
    """Return the inputs by name. If two inputs have the same name, the position of the second is appended to its
    name."""
    found = _ByName()
    for number, item in enumerate(cast("list[JsonObject]", description.get("inputs") or [])):
        name = str(item["name"])
        unique = f"{name}_{number}" if name in found else name
        found[unique] = RunningJobInput({**item, "name": unique, "no": number}, files, calls)
    return found


class _ByName(dict[str, RunningJobInput]):
    """The inputs of a job; the error of a wrong name lists them."""

    def __missing__(self, name: str) -> RunningJobInput:
        near = nearest(name, self)
        hint = f"did you mean {near}?" if near else f"it has {', '.join(self) or 'none'}"
        raise KeyError(f"the job has no input {name!r}; {hint}")
