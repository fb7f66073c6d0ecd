"""Writes the data of an output to the staging prefix of an attempt, or to a table in Postgres, and returns what the
completion publishes."""

import tempfile
from pathlib import Path

import pyarrow.dataset as pads

from tenuto.dag.definitions import JobOutput
from tenuto.dag.hashes import schema_hash
from tenuto.model.jobs import staging_prefix
from tenuto.model.json import JsonObject
from tenuto.sdk.context.attempt_api import AttemptCaller
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.current_attempt import RunningAttempt
from tenuto.sdk.jobs.checks import Checks, refuse_failed
from tenuto.sdk.jobs.columns import Columns
from tenuto.sdk.jobs.job import JobFiles, RunningJobOutput
from tenuto.sdk.jobs.parquet_files import MAX_FILE_ROWS, ParquetFile, fingerprint, stage, write_files
from tenuto.sdk.jobs.rows import rows_of
from tenuto.sdk.jobs.table_rows import TableRows


def stage_output(
    output: RunningJobOutput,
    data: object,
    partition: str | None,
    files: JobFiles,
    attempt: RunningAttempt,
    calls: AttemptCaller,
    *,
    rows_per_file: int | None = None,
) -> JsonObject:
    """Write and check the data, and return its publication. If a check of severity error fails, raises CheckFailed and
    stages nothing."""
    if output.location is None:
        raise Fail(f"{output} is not published, so nothing can be written to it; give it a dataset in the DAG")
    columns = Columns(str(output), output.columns) if output.columns else None
    rows = rows_of(data, columns)
    prefix = staging_prefix(output.location, partition, attempt.task_id, attempt.no)
    with tempfile.TemporaryDirectory(dir=files.scratch) as folder:
        written = write_files(rows, Path(folder), rows_per_file=rows_per_file or MAX_FILE_ROWS)
        results = _check(output, written, files, attempt)
        refuse_failed(str(output), results)
        if output.is_table:
            TableRows(calls, str(output), output.columns or []).upload(output.number, prefix, written)
        else:
            stage(files.store, prefix, written)
    return {
        "output": output.number,
        "partition": partition,
        "location": prefix,
        "rows": sum(file.rows for file in written),
        "bytes": sum(file.bytes for file in written),
        "fingerprint": fingerprint(written),
        "schema_hash": schema_hash(JobOutput(columns=output.columns)),
        "checks": results,
    }


def _check(
    output: RunningJobOutput, written: list[ParquetFile], files: JobFiles, attempt: RunningAttempt
) -> list[JsonObject]:
    if not output.checks:
        return []
    data = pads.dataset([str(file.path) for file in written], format="parquet")
    return Checks(data, files.scratch, lambda: attempt.cancelled).run(output.checks)
