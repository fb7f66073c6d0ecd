"""The calls of `ctx` that only a task of a job can make: its inputs and outputs."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tenuto.model.json import Json, JsonObject
from tenuto.model.queries import DEFAULT_ROWS, QueryResult
from tenuto.sdk.context.attempt_api import AttemptCaller, ContextApi
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.current_attempt import RunningAttempt
from tenuto.sdk.context.durable_calls import DurableCalls
from tenuto.sdk.context.run_data import RunData

if TYPE_CHECKING:
    from tenuto.sdk.jobs.job import RunningJob

MAX_LOCATIONS = 100_000  # that one input can have
OF_JOB = "job"  # key in the metadata of a task that runs the bundle of a job: the name of the job


def lineage_key(task_id: str) -> str:
    """Return the key of the run data in which the code of a bundle states lineage."""
    return f"tenuto.lineage.{task_id}"


class JobCalls(DurableCalls):
    """Reads and writes the data of a job."""

    data: RunData
    metadata: dict[str, Any]

    def __init__(self, attempt: RunningAttempt, api: ContextApi) -> None:
        super().__init__(api)
        self._attempt = attempt
        self._job: RunningJob | None = None
        self._stated: list[Json] = []  # the lineage, in the code of a bundle

    @property
    def job(self) -> "RunningJob":
        """The job of a DAG that the task runs, with its inputs and outputs. Raises Fail for any other task."""
        if self._job is None:
            raise Fail(f"{self._attempt.task.name} was not started as a job of a DAG, so it has no inputs and outputs")
        return self._job

    async def open_job(self, description: JsonObject, storage: str) -> "RunningJob":
        """Make the job available as `ctx.job`. Called by operators; `storage` is the object store of datasets."""
        from tenuto.sdk.jobs.job import RunningJob

        calls = AttemptCaller(self.api, asyncio.get_running_loop())
        self._job = RunningJob(description, storage, self._attempt, calls)
        for item in self._job.inputs.values():
            after: str | None = None
            number = item.number
            while item.is_partial and (page := await self.api.call("list_input_locations", input=number, after=after)):
                item.locations += [found["location"] for found in page]
                after = page[-1]["id"]
                if len(item.locations) > MAX_LOCATIONS:
                    raise Fail(f"the input {item.name} has more than {MAX_LOCATIONS:,} partitions; read one at a time")
        return self._job

    async def write(self, data: object, output: int | str = 0, *, partition: str | None = None) -> int:
        """Write data to an output of the job and return the number of rows. The data is published when the task
        completes. `data` is a pyarrow Table, a list of dicts, a data frame, or the path of a Parquet file. Raises
        SchemaDrift if the data does not have the columns that the DAG declares, and CheckFailed if a check refuses
        it."""
        return await asyncio.to_thread(self.job.write, data, output, partition)

    def lineage(self, columns: Mapping[str, str | Sequence[str]], output: int | str = 0) -> None:
        """State which columns of inputs an output is computed from: `{"total": ["orders.amount", "rates.rate"]}`."""
        if self._job is not None or OF_JOB not in self.metadata:
            self.job.state_lineage(columns, output)
            return
        stated = {name: [listed] if isinstance(listed, str) else list(listed) for name, listed in columns.items()}
        self._stated.append({"output": output, "columns": stated})
        self.data[lineage_key(self._attempt.task_id)] = self._stated  # the job reads it when this task has completed

    async def query(self, sql: str, *, max_rows: int = DEFAULT_ROWS) -> QueryResult:
        """Run one SELECT over the inputs of the job and return its rows: `(await ctx.query("select count(*) as n from
        orders")).dicts()`. The tables have the names of the inputs, and their data as of the creation of the task. The
        SELECT runs in a process that can read nothing else. The code of a bundle queries the inputs of the job that
        runs it."""
        return QueryResult.from_json(await self.api.call("query_inputs", sql=sql, max_rows=max_rows))
