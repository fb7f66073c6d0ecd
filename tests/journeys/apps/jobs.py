"""The code of jobs: some that a test can stop while they run, and some whose data is refused."""

from datetime import date

from tenuto import App, SyncContext
from tests.journeys.apps.world import at_gate, at_gate_sync, effect

app = App("jobs")


@app.task
def extract(ctx: SyncContext, partition: str) -> None:
    """Write the orders of a day; the test decides when the task may complete."""
    ctx.write([{"id": number, "day": partition} for number in range(3)])
    effect(f"written {partition}")
    at_gate_sync(partition)


async def extract_twice(partition: str) -> list[dict[str, object]]:
    return [{"id": 1, "day": partition}] * 2


def extract_others(partition: str) -> list[dict[str, object]]:
    return [{"id": 1, "date": partition}]


def bookings(partition: str) -> list[dict[str, object]]:
    """Two rows, of which the first is the same in every partition."""
    return [{"id": 1, "note": partition}, {"id": int(partition), "note": "own"}]


def count_bookings(ctx: SyncContext) -> list[dict[str, object]]:
    return [{"id": ctx.job.inputs["sums"].read().num_rows, "note": "rows"}]


def numbers() -> list[dict[str, object]]:
    return [{"n": 1, "at": date(2026, 11, 17)}, {"n": 2, "at": None}]


async def tally(partition: str) -> list[dict[str, object]]:
    """Return ten times the number of orders of a day; the test decides when."""
    effect(f"tallied {partition}")
    await at_gate(f"tally {partition}")
    return [{"day": partition, "n": 30}]
