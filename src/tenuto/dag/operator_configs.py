"""The `config` of each built-in operator. Checks, operators and the reference page use these classes."""

from typing import Annotated, Literal

from pydantic import Field

from tenuto.dag.output_fields import Fields
from tenuto.dag.value_types import FUNCTION, HEADER, ROWS, URL, ColumnName, Name
from tenuto.model.json import Json
from tenuto.model.task_types import MAX_FUNCTION_NAME

MAX_SQL_CHARS = 65_536


class PythonConfig(Fields):
    """Runs a function that an app of the worker declares with `@app.job` or `@app.task`, and publishes the rows that it
    returns or passes to `ctx.write`."""

    task: str = Field(
        pattern=FUNCTION, max_length=MAX_FUNCTION_NAME, description="The name of the function, such as shop.extract."
    )
    arguments: dict[str, Json] = Field(
        default={}, max_length=100, description="Values of its parameters. `partition` and inputs are passed by name."
    )


class SqlConfig(Fields):
    """Runs a SELECT with DuckDB and publishes its rows. Each input is a view with the name of the input. The SELECT
    reads nothing else: neither files nor the network."""

    sql: str = Field(
        min_length=1, max_length=MAX_SQL_CHARS, description="One SELECT. `$partition` is the key of the partition."
    )


class AlertEvaluateConfig(Fields):
    """Runs a SELECT as `sql` does, and publishes its rows. Each row is an alert of the rules of kind `job_alerts`. A
    row that was found before belongs to the same alert. An alert whose row is no longer found is resolved."""

    sql: str = Field(
        min_length=1, max_length=MAX_SQL_CHARS, description="One SELECT. `$partition` is the key of the partition."
    )
    key: list[ColumnName] = Field(
        min_length=1, max_length=20, description="The columns that say which alert a row is, such as [customer]."
    )
    message: str = Field(
        min_length=1, max_length=1000, description="The summary of an alert, with values of the row as {column}."
    )
    severity: Literal["info", "warning", "critical"] = Field(default="warning", description="How bad it is.")


class ParquetCompactConfig(Fields):
    """Writes the rows of its only input as few large files, in the same order."""

    rows_per_file: int = Field(default=1_000_000, ge=1, le=2**31, description="Maximum number of rows of a file.")


class RangeSplitterConfig(Fields):
    """Publishes the rows of its only input as one partition per range of a whole-number column. The key of a partition
    is its range: 0-1000 has the values from 0 to 999."""

    column: ColumnName = Field(description="The column, which must have a value in every row.")
    size: int = Field(ge=1, le=2**53 - 1, description="Length of a range.")


class IntegrityCheckConfig(Fields):
    """Compares the stored files of its inputs with what was committed: every file must exist and be unchanged. With an
    output, it publishes the columns `input`, `location`, `file` and `problem`. Without an output, it fails if there is
    a problem."""


class RangeAggregatorConfig(Fields):
    """Publishes the rows of its inputs whose value in the column is in the range of the task's partition: 0-1000 has
    the values from 0 to 999. With `map: {kind: range, size: 1000}`, updates of the input become tasks of these
    ranges."""

    column: ColumnName = Field(description="The whole-number column.")


class TriggerCronConfig(Fields):
    """Publishes one row per time of its cron source, with the columns `fire_time` and `partition`, so that other jobs
    can start at these times."""


class HttpPollConfig(Fields):
    """Fetches a URL with GET and publishes the rows of the response. Only hosts with public addresses are contacted,
    unless workers have `TENUTO_ALLOWED_HOSTS`."""

    url: str = Field(
        pattern=URL, max_length=2000, description="Such as https://example.com/orders?day={partition}, where "
        "{partition} becomes the encoded key of the partition."
    )  # fmt: skip
    format: Literal["json", "jsonl", "csv"] = Field(
        default="json", description="A JSON document, one JSON object per line, or CSV with a header line."
    )
    rows: str | None = Field(
        default=None,
        pattern=ROWS,
        description="For json: where the list of rows is, such as data.items. Default: the document itself.",
    )
    headers: dict[Annotated[str, Field(pattern=HEADER)], Annotated[str, Field(max_length=1000)]] = Field(
        default={}, max_length=20, description="Headers of the request; not sent to hosts that the URL redirects to."
    )
    bearer_secret: Name | None = Field(
        default=None, description="The secret that is sent as a bearer token, one of `secrets` of the job."
    )
    timeout_seconds: int = Field(default=60, ge=1, le=3600, description="How long the whole request may take.")
    max_bytes: int = Field(default=100 * 2**20, ge=1, le=2**33, description="Maximum number of bytes of the response.")


class BundleConfig(Fields):
    """Runs a task of an uploaded bundle in a sandbox, with one argument: `job`, an object with `partition`, `arguments`
    and the rows of each of the `inputs`. Publishes the rows that the task returns; for several outputs, the task
    returns an object with the rows of each. Rows are JSON, up to 1 MB: times and decimal numbers are texts."""

    arguments: dict[str, Json] = Field(default={}, max_length=100, description="Values for the code.")


class WebhookConfig(Fields):
    """Publishes what the webhook of its source received: a JSON object is one row, and a list of objects is one row per
    object."""


class SinkConfig(Fields):
    """Collects the rows that other jobs of the DAG append to its dataset (`outputs: [{append_to: NAME}]`). It runs no
    tasks: dispatchers add the rows of completed tasks in batches, one row per `unique_key`."""
