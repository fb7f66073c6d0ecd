"""The operator `sql`: publishes the rows of a SELECT over the inputs."""

from tenuto.dag.operator_configs import SqlConfig
from tenuto.lineage.select import trace_select
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages


def sql(ctx: SyncContext, config: SqlConfig) -> None:
    """Run the SELECT with DuckDB. If the lineage of the output is `auto`, find the column lineage too. Rows are written
    as DuckDB returns them, so they need not fit in memory."""
    with data_packages():
        from tenuto.sdk.jobs.select import selected
    job = ctx.job
    views = {name: item.data().view() for name, item in job.inputs.items()}
    with selected(
        config.sql, views, job.files.scratch, partition=job.partition, cancelled=lambda: ctx.cancelled
    ) as rows:
        names = rows.schema.names
        ctx.write(rows)
    if job.output(0).finds_lineage:
        columns = {name: view.parts[0].schema.names for name, view in views.items()}
        job.set_lineage(trace_select(config.sql, columns, names))
