"""The operator `range_aggregator`: publishes the rows of its input that are in the range of the partition."""

import re

from tenuto.dag.operator_configs import RangeAggregatorConfig
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages

_RANGE = re.compile(r"(-?\d{1,18})-(-?\d{1,18})")


def range_aggregator(ctx: SyncContext, config: RangeAggregatorConfig) -> None:
    """Read and write only the rows of the range. Files that have no such rows according to their statistics are not
    read."""
    with data_packages():
        from tenuto.sdk.jobs.select import quoted, selected
    job = ctx.job
    ends = _RANGE.fullmatch(job.partition or "")
    if ends is None or int(ends[1]) >= int(ends[2]):
        raise Fail(
            f"the partition {job.partition!r} is not a range such as 0-1000; "
            "write execution_strategy: PerPartition and map: {kind: range, size: 1000} for the input"
        )
    column = quoted(config.column)
    views = {"data": job.only_input().data().view()}
    sql = f"select * from data where {column} >= {int(ends[1])} and {column} < {int(ends[2])} order by {column}"
    with selected(sql, views, job.files.scratch, cancelled=lambda: ctx.cancelled) as rows:
        ctx.write(rows)
