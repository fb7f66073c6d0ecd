"""What the code of a job's task wrote travels with its completion: from the attempt to the commit."""

from collections.abc import Callable
from typing import Any

from tenuto import App, Context, SyncContext
from tests.support.database.jobs import deployed, partitions, publication
from tests.support.database.tasks import Claim, Db

app = App("tenuto")


def publish(attempt: Any, job: Any, **changes: Any) -> None:
    claim = Claim(attempt.task_id, attempt.no, attempt.run_id, {"job": job}, None, 0)
    attempt.published = [publication(claim, job["partition"], **changes)]


@app.task(name="python.shop.extract")
async def extract(ctx: Context, job: Any) -> str:
    publish(ctx._attempt, job)
    return "x" * 300_000  # is stored as a data object


@app.task
def sql(ctx: SyncContext, job: Any) -> None:
    publish(ctx._context._attempt, job, rows=-1 if job["partition"] == "bad" else 1)


def test_async_and_plain_functions_publish(journey: Callable[..., Any], db: Db):
    deployed(db)

    async def steps(tn: Any) -> None:
        (extract,) = await tn.jobs.trigger("sales", "extract", ["mon"])
        good, bad = await tn.jobs.trigger("sales", "daily", ["mon", "bad"], dedupe_key="night")
        again = await tn.jobs.trigger("sales", "daily", ["bad"], dedupe_key="night")
        await tn.work()
        (row,) = await tn.datasets.partitions("raw")

        assert (row.partition, row.task_id, row.rows) == ("mon", extract.task_id, 3)
        assert partitions(db, "per_day") == {"mon": good.task_id}
        assert (again[0].task_id, again[0].created) == (bad.task_id, False)
        assert (await tn.tasks.get(bad.task_id)).error["type"] == "PublicationRefused"
        assert (await tn.tasks.get(good.task_id)).partitions == ["mon"]

    journey(app, steps)
