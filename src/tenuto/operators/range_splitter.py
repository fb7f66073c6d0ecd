"""The operator `range_splitter`: publishes the rows of an input as one partition per range of a column."""

from typing import TYPE_CHECKING

from tenuto.dag.operator_configs import RangeSplitterConfig
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.packages import data_packages

if TYPE_CHECKING:
    from tenuto.sdk.jobs.select import View

MAX_RANGES = 10_000


def range_splitter(ctx: SyncContext, config: RangeSplitterConfig) -> None:
    """Find the ranges that have rows, then write the ranges one after the other."""
    with data_packages():
        from tenuto.sdk.jobs.select import quoted, selected
    job = ctx.job
    views, scratch = {"data": job.only_input().data().view()}, job.files.scratch
    column = quoted(config.column)
    starts = _starts(ctx, views, f"({column} - (({column} % {config.size}) + {config.size}) % {config.size})::bigint")
    for done, start in enumerate(starts):
        end = start + config.size
        sql = f"select * from data where {column} >= {start} and {column} < {end}"
        with selected(sql, views, scratch, cancelled=lambda: ctx.cancelled) as rows:
            ctx.write(rows, partition=f"{start}-{end}")
        ctx.progress((done + 1) / len(starts))


def _starts(ctx: SyncContext, views: "dict[str, View]", start: str) -> list[int]:
    from tenuto.sdk.jobs.select import selected

    sql = f"select distinct {start} as start from data order by start nulls first limit {MAX_RANGES + 1}"
    with selected(sql, views, ctx.job.files.scratch, cancelled=lambda: ctx.cancelled) as rows:
        found = [row["start"] for row in rows.table().to_pylist()]
    if None in found:
        raise Fail("rows have no value in the column by which they are split")
    if len(found) > MAX_RANGES:
        raise Fail(f"the rows are in more than {MAX_RANGES:,} ranges; write a larger size")
    return [int(str(value)) for value in found]
