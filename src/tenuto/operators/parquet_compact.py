"""The operator `parquet_compact`: writes the rows of an input into a few large files."""

from tenuto.dag.operator_configs import ParquetCompactConfig
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages


def parquet_compact(ctx: SyncContext, config: ParquetCompactConfig) -> None:
    """Copy the rows. Of appended rows with the same unique key, only the latest is copied."""
    with data_packages():
        from tenuto.sdk.jobs.select import selected
    job = ctx.job
    view = job.only_input().data().view()
    with selected("select * from data", {"data": view}, job.files.scratch, cancelled=lambda: ctx.cancelled) as rows:
        job.write(rows, rows_per_file=config.rows_per_file)
