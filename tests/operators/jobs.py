"""Runs operators over a folder, without a database: what a worker does with the task of a job."""

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as pads

from tenuto.model.json import JsonObject
from tenuto.operators.app import operator_app
from tenuto.sdk.jobs.job import RunningJob
from tenuto.sdk.task import AnyTask
from tenuto.testing import UnitContext, UnitSyncContext

Rows = list[dict[str, object]]


@dataclass
class Workbench:
    """A folder with datasets, and the jobs that read and write them."""

    folder: Path
    inputs: list[JsonObject] = field(default_factory=list[JsonObject])
    functions: dict[str, AnyTask] = field(default_factory=dict[str, AnyTask])  # of the operator python
    allowed_hosts: list[str] = field(default_factory=list[str])
    source: JsonObject | None = None  # what started the task
    result: object = None  # of the last task

    @property
    def storage(self) -> str:
        return (self.folder / "store").as_uri()

    def add_input(self, name: str, *parts: object, **description: object) -> list[str]:
        """Store a dataset, one location per part; return the locations."""
        writer = self.job(UnitSyncContext(), {}, [an_output(dataset=name)], None)
        for number, part in enumerate(parts):
            writer.write(part, partition=str(number))
        writer.close()
        locations = [str(item["location"]) for item in writer.published]
        found = {"name": name, "dataset": name, "locations": locations}
        self.inputs.append({**found, **description})  # type: ignore[dict-item]
        return locations

    def run(
        self, operator: str, config: JsonObject, *outputs: JsonObject, partition: str | None = None
    ) -> list[JsonObject]:
        """Run an operator as a worker does, and return what it publishes."""
        operators = operator_app(self.storage, self.allowed_hosts, functions=self.functions).tasks
        task = operators[f"tenuto.python.{config['task']}" if operator == "python" else f"tenuto.{operator}"]
        context = UnitContext(task=task)
        ctx = UnitSyncContext(context)
        self.result = task.function(ctx, self.description(operator, config, list(outputs), partition))
        return list(context.unit_attempt.published or [])

    def read(self, publication: JsonObject) -> pa.Table:
        """The rows of a publication."""
        return pads.dataset(self.files(publication), format="parquet").to_table()

    def files(self, publication: JsonObject) -> list[str]:
        folder = self.folder / "store" / "datasets" / str(publication["location"])
        return sorted(map(str, folder.glob("*.parquet")))

    def job(
        self, ctx: UnitSyncContext, config: JsonObject, outputs: list[JsonObject], partition: str | None
    ) -> RunningJob:
        return ctx.open_job(self.description("python", config, outputs, partition), self.storage)

    def description(
        self, operator: str, config: JsonObject, outputs: list[JsonObject], partition: str | None
    ) -> JsonObject:
        return {
            "dag": "orders", "version": 1, "job": "daily", "operator": operator, "config": config,
            "partition": partition, "inputs": self.inputs, "source": self.source,
            "outputs": [{**output, "no": number} for number, output in enumerate(outputs)],
        }  # fmt: skip


def an_output(dataset: str | None = "orders_daily", **fields: object) -> JsonObject:
    """The description of an output, as the task of a job has it."""
    location = f"{dataset}/v1/" if dataset else None
    return {"dataset": dataset, "location": location, "storage": {"kind": "file"}, **fields}  # type: ignore[dict-item]
