"""The operator `trigger_cron`: publishes one row per time of its cron source."""

from datetime import UTC, datetime

from tenuto.dag.operator_configs import TriggerCronConfig
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages


def trigger_cron(ctx: SyncContext, config: TriggerCronConfig) -> None:  # noqa: ARG001 - it has no options
    """Write the time of the schedule to every published output. A task that a user triggered writes the current
    time."""
    with data_packages():
        import pyarrow as pa
    job = ctx.job
    written = job.source.get("fire_time")
    fire_time = datetime.fromisoformat(str(written)) if written else datetime.now(UTC)
    row = pa.table(
        {
            "fire_time": pa.array([fire_time], pa.timestamp("us", tz="UTC")),
            "partition": pa.array([job.partition], pa.string()),
        }
    )
    for output in job.outputs:
        if output.location is not None:
            ctx.write(row, output.number)
