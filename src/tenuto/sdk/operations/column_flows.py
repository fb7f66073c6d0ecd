"""Finds which columns of a dataset flow into which columns of another dataset, as far as a DAG document shows it."""

from typing import cast

from tenuto.dag.definitions import Dag, Job, JobInput
from tenuto.lineage.select import trace_select
from tenuto.model.json import JsonObject
from tenuto.model.lineage import OutputLineage

MAX_SHOWN = 5  # columns in a warning


def describe_flow(dag: Dag, dataset: str, source: str) -> str | None:
    """Return which columns of a source flow into a dataset: `total to sum, region to all columns`. Return "" if no
    column does, and None if that is not known."""
    job, output = dag.datasets()[dataset]
    numbers = [number for number, item in enumerate(job.inputs) if _dataset(item, dag) == source]
    columns = _columns(job, output, dag)
    if columns is None or not numbers:
        return None
    pairs = sorted(
        {
            (str(item["field"] or "a column"), str(item["column"] or "all columns"))
            for item in columns
            if item["input"] in numbers
        }
    )
    more = [f"{len(pairs) - MAX_SHOWN} more"] if len(pairs) > MAX_SHOWN else []
    return ", ".join([*(f"{field} to {column}" for field, column in pairs[:MAX_SHOWN]), *more])


def _columns(job: Job, output: int, dag: Dag) -> list[JsonObject] | None:
    """Return from which input columns the columns of an output are computed: as declared, or as found in the SELECT.
    Return None if that is not certain."""
    declared = job.outputs[output].lineage
    if not isinstance(declared, str):
        return cast("list[JsonObject]", declared["columns"])
    sql = job.config.get("sql")
    if job.operator.partition("@")[0] != "sql" or declared != "auto" or not isinstance(sql, str):
        return None
    found: OutputLineage = trace_select(sql, _schemas(job, dag))
    return cast("list[JsonObject]", found.json()["columns"]) if found.confidence == "exact" else None


def _schemas(job: Job, dag: Dag) -> dict[str, list[str] | None]:
    """Return the columns of a job's inputs, by the names that its SELECT uses."""
    schemas: dict[str, list[str] | None] = {}
    for number, item in enumerate(job.inputs):
        producer = dag.job(item.job).outputs[item.output or 0] if item.job is not None else None
        name = _dataset(item, dag) or (producer.name if producer else None) or item.job or ""
        columns = [str(column["name"]) for column in producer.columns] if producer and producer.columns else None
        schemas[f"{name}_{number}" if name in schemas else name] = columns
    return schemas


def _dataset(item: JobInput, dag: Dag) -> str | None:
    if item.job is None or item.output is None:
        return item.dataset
    return dag.job(item.job).outputs[item.output].dataset
