"""The code of jobs: some that a test can stop while they run, and some whose data is refused."""

from datetime import date
from typing import Any

from tenuto import App, Context, Fail, SyncContext
from tenuto.model.errors import NotFound
from tests.journeys.apps.world import FOLDER, at_gate, at_gate_sync, effect

app = App("jobs")


@app.task
def extract(ctx: SyncContext, partition: str) -> None:
    """Write the orders of a day; the test decides when the task may complete."""
    ctx.write([{"id": number, "day": partition} for number in range(3)])
    effect(f"written {partition}")
    at_gate_sync(partition)


@app.job
async def extract_twice(partition: str) -> list[dict[str, object]]:
    return [{"id": 1, "day": partition}] * 2


@app.job
def extract_others(partition: str) -> list[dict[str, object]]:
    return [{"id": 1, "date": partition}]


@app.job
def bookings(partition: str) -> list[dict[str, object]]:
    """Two rows, of which the first is the same in every partition."""
    return [{"id": 1, "note": partition}, {"id": int(partition), "note": "own"}]


@app.job
def count_bookings(ctx: SyncContext) -> list[dict[str, object]]:
    return [{"id": ctx.job.inputs["sums"].read().num_rows, "note": "rows"}]


@app.job
def numbers() -> list[dict[str, object]]:
    return [{"n": 1, "at": date(2026, 11, 17)}, {"n": 2, "at": None}]


@app.job
async def tally(partition: str) -> list[dict[str, object]]:
    """Return ten times the number of orders of a day; the test decides when."""
    effect(f"tallied {partition}")
    await at_gate(f"tally {partition}")
    return [{"day": partition, "n": 30}]


@app.job
def summed(ctx: SyncContext) -> object:
    """Query the input; a dataset that is none of the inputs cannot be read."""
    result = ctx.query("select count(*) as n, sum(n)::bigint as total from numbers")
    effect(f"read {[(version.dataset, version.dag_version) for version in result.versions]}")
    try:
        ctx.query("select * from summed_rows")
    except NotFound as error:
        effect(str(error))
    return result.dicts()


@app.job
async def summed_async(ctx: Context) -> list[dict[str, object]]:
    result = await ctx.query("select n from numbers order by n desc", max_rows=1)
    return [{"n": row["n"], "truncated": result.truncated} for row in result.dicts()]


@app.task
def query_alone(ctx: SyncContext, dataset: str) -> None:
    """Query as a task that is of no job."""
    try:
        ctx.query(f"select * from {dataset}")
    except NotFound as error:
        raise Fail(str(error)) from error


@app.task(executor="process")
def query_in_process(ctx: SyncContext, dataset: str) -> None:
    """The same in a process of its own, whose call reaches the worker through a pipe."""
    try:
        ctx.query(f"select * from {dataset}")
    except NotFound as error:
        raise Fail(f"in its process: {error}") from error


@app.job
def orders_of(partition: str) -> list[dict[str, object]]:
    return [{"id": number, "day": partition} for number in range(3)]


@app.job
def write_and_fail(ctx: SyncContext, partition: str) -> None:
    """Leave staged files behind."""
    ctx.write(orders_of(partition))
    raise Fail("after its files were staged")


@app.job
def follow(ctx: SyncContext) -> list[dict[str, object]]:
    """Publish the next two numbers."""
    begin = ctx.state.get("cursor", 0)
    ctx.state["cursor"] = begin + 2
    return [{"id": begin}, {"id": begin + 1}]


@app.job
def reading(ctx: SyncContext) -> list[dict[str, object]]:
    """A row for the sink: the same id from every job, and a row of the job's own."""
    return [{"id": 1, "note": ctx.job.name}, {"id": 2 if ctx.job.name == "north" else 3, "note": "own"}]


@app.job
def rated(ctx: SyncContext) -> list[dict[str, object]]:
    """Multiply the number of orders of a day by the rate of now; after the first rate, the test decides when."""
    day, rate = ctx.job.partition or "", int((FOLDER / "rate").read_text())
    event: Any = ctx.job.event or {}
    invalidation = (event.get("data") or {}).get("invalidation") or {}
    effect(f"rated {day} {rate} {invalidation.get('filter')}")
    if rate > 1:
        at_gate_sync(f"rate {rate} {day}")
    return [{"day": day, "n": ctx.job.inputs["raw"].read().num_rows * rate}]


@app.job
def booked(ctx: SyncContext) -> list[dict[str, object]]:
    """Append a booking of a day, one per sum that it ever had."""
    (row,) = ctx.job.inputs["per_day"].read().to_pylist()
    effect(f"booked {ctx.job.partition} {row['n']}")
    return [{"id": int(ctx.job.partition or 0) * 1000 + int(row["n"]), "note": ctx.job.partition}]
