"""The operator `bundle`: runs a task of an uploaded bundle in a sandbox, and publishes the rows that it returns."""

import base64
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from tenuto.dag.operator_configs import BundleConfig
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.context.children import ChildFailed
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.job_calls import OF_JOB, lineage_key
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.option_types import StartOptions
from tenuto.sdk.task_reference import TaskReference


def bundle(ctx: SyncContext, config: BundleConfig) -> None:
    """Start the task of the bundle as a child task, pass it the rows of the inputs, and write the rows that it returns.
    The code of the bundle can reach neither the object store nor the database."""
    job, udf = ctx.job, ctx.job.udf
    options: StartOptions = {
        "metadata": {"bundle": f"sha256:{udf['bundle']}", OF_JOB: f"{job.dag}/{job.name}"},
        "max_attempts": int(str(udf["max_attempts"])),
    }
    if udf["timeout_seconds"] is not None:
        options["timeout"] = float(str(udf["timeout_seconds"]))
    task = TaskReference(str(udf["type"])).with_options(options)
    description: JsonObject = {
        "dag": job.dag,
        "job": job.name,
        "version": job.version,
        "partition": job.partition,
        "arguments": config.arguments,
        "inputs": {name: [_plain(row) for row in item.read().to_pylist()] for name, item in job.inputs.items()},
    }
    child = ctx.start(task, job=description)
    try:
        result: Json = child.result()
    except ChildFailed as failed:
        raise Fail(str(failed)) from failed
    _take_lineage(ctx, ctx.data.get(lineage_key(child.task_id), []), task.name)
    outputs = [output for output in job.outputs if output.location is not None]
    if len(outputs) == 1 and isinstance(result, Sequence) and not isinstance(result, str):
        ctx.write(result, outputs[0].number)
        return
    names = {str(output.name or output.dataset) for output in outputs}
    if not isinstance(result, Mapping) or set(result) != names:
        wanted = "a list of rows" if len(outputs) == 1 else f"an object with the rows of {', '.join(sorted(names))}"
        raise Fail(f"{task.name} returned {type(result).__name__}; a bundle returns {wanted}")
    for output in outputs:
        ctx.write(result[str(output.name or output.dataset)], output.number)


class StatedLineage(BaseModel):
    """The arguments of one call of `ctx.lineage` in the code of a bundle."""

    output: int | str
    columns: dict[str, list[str]]


def _take_lineage(ctx: SyncContext, stated: object, task: str) -> None:
    try:
        found = TypeAdapter(list[StatedLineage]).validate_python(stated)
    except ValidationError as error:
        raise Fail(f"{task} stated lineage that cannot be read: {error.errors()[0]['msg']}") from error
    for one in found:
        ctx.lineage(one.columns, one.output)


def _plain(value: object) -> Json:
    """Return a value as JSON: times and decimal numbers as text, bytes as base64."""
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal():
            return str(value)
        case bytes():
            return base64.b64encode(value).decode()
        case dict():
            return {str(key): _plain(item) for key, item in cast("dict[object, object]", value).items()}
        case list():
            return [_plain(item) for item in cast("list[object]", value)]
        case _:
            return cast(Json, value)
