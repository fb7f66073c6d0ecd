"""A dispatcher adds appended rows; an append that fails does not stop the others, and is loud."""

import asyncio

from tenuto.db.connection.pool import open_pool
from tenuto.dispatcher.effects import EffectRunner
from tenuto.dispatcher.sinks import SinkFlusher
from tests.support.database.jobs import deployed
from tests.support.database.loops import value
from tests.support.database.sinks import SENSORS, append
from tests.support.database.tasks import Db, a_worker


def drain(url: str) -> None:
    async def story() -> None:
        async with open_pool(url, role="tenuto_dispatcher") as pool:
            runner = EffectRunner(pool, {"sink": SinkFlusher()}, owner="me")
            await runner.take(100)
            await runner.finish()

    asyncio.run(story())


def test_an_append_that_fails_does_not_stop_the_others(db: Db, database: str):
    deployed(db, SENSORS)
    worker = a_worker(db)
    claims = [append(worker, job, [[str(number), job]]) for number, job in enumerate(["north", "south", "north"])]
    db.execute("delete from tenuto.row_sets where task_id = %s", [claims[1].task_id])

    drain(database)

    assert value(db, "select sum(rows) from tenuto.partition_versions") == 2
    failed = db.execute("select payload ->> 'task_id', status, attempts, last_error from tenuto.outbox "
                        "where kind = 'sink' and status <> 'done'").fetchall()  # fmt: skip
    ((task_id, status, attempts, error),) = failed
    assert (task_id, status, attempts) == (str(claims[1].task_id), "pending", 1)
    assert "are gone" in error
