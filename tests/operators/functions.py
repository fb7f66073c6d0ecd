"""Functions that jobs of the tests run."""

from datetime import date

import pyarrow as pa

from tenuto import App, Context, SyncContext

app = App("shop")


@app.job
def two_days(partition: str, days: int = 2) -> list[dict[str, object]]:
    return [{"day": partition, "no": no} for no in range(days)]


@app.job
def total(orders: pa.Table) -> list[dict[str, object]]:
    return [{"total": sum(row["n"] for row in orders.to_pylist())}]


@app.task
async def count(ctx: Context, factor: float) -> None:
    table = ctx.job.inputs["orders"].read()
    await ctx.write([{"n": table.num_rows * factor}])


@app.task
def split(ctx: SyncContext) -> None:
    for row in ctx.job.inputs["orders"].read().to_pylist():
        ctx.write([row], partition=str(row["n"]))


@app.job
def twice(ctx: SyncContext) -> None:
    ctx.write([{"n": 1}])
    ctx.write([{"n": 2}])


@app.job
def writes_and_returns(ctx: SyncContext) -> list[dict[str, object]]:
    ctx.write([{"n": 1}])
    return [{"n": 2}]


@app.job
def nothing() -> None:
    """Publish nothing."""


@app.job
def no_rows() -> list[dict[str, object]]:
    return []


@app.job
def returns_text() -> str:
    return "done"


@app.job
def needs_more(orders: pa.Table, threshold: int) -> list[dict[str, object]]:
    return [{"n": row["n"]} for row in orders.to_pylist() if row["n"] > threshold]


@app.job
def converts(day: date) -> None:
    """Get an argument that is converted by its type hint."""
