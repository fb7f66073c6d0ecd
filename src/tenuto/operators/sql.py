"""The operator `sql`: publishes the rows of a SELECT over the inputs."""

from tenuto.dag.operator_configs import SqlConfig
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages


def sql(ctx: SyncContext, config: SqlConfig) -> None:
    """Run the SELECT with DuckDB. Its rows are written as they come, so they need not fit in memory."""
    with data_packages():
        from tenuto.sdk.jobs.select import selected
    job = ctx.job
    views = {name: item.data().view() for name, item in job.inputs.items()}
    with selected(
        config.sql, views, job.files.scratch, partition=job.partition, cancelled=lambda: ctx.cancelled
    ) as rows:
        ctx.write(rows)
