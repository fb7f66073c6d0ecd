"""The data of purged versions: deleted by a dispatcher, but not while a task uses it."""

import asyncio
from pathlib import Path
from typing import Any

from tenuto.db.connection.pool import open_pool
from tenuto.dispatcher.effects import EffectRunner
from tenuto.dispatcher.purges import Purger
from tenuto.storage import open_store
from tests.support.database.jobs import deployed, publish, sales, trigger
from tests.support.database.tables import LEDGER, stage, tables
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

DAY = "2026-11-17"


def drain(url: str, store: Any) -> None:
    async def story() -> None:
        async with open_pool(url, role="tenuto_dispatcher") as pool:
            runner = EffectRunner(pool, {"delete_data": Purger(store)}, owner="me")
            await runner.take(10)
            await runner.finish()

    asyncio.run(story())


def effect(db: Db) -> tuple[str, str | None]:
    """Its status and error, as soon as it is due."""
    (row,) = db.execute("select status, last_error from tenuto.outbox where kind = 'delete_data'").fetchall()
    db.execute("update tenuto.outbox set available_at = tenuto.now() where status = 'pending'")
    return row


def test_files_and_rows_of_a_purged_version_are_deleted_when_no_task_uses_it(db: Db, database: str, tmp_path: Path):
    store = open_store(f"file://{tmp_path}")
    deployed(db, sales("select 0"))
    worker = a_worker(db)
    trigger(db, "extract", DAY)
    publish(worker, worker.claim_one(), DAY)
    trigger(db, "daily", DAY)
    publish(worker, worker.claim_one(), DAY)
    (old,) = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name="per_day")
    deployed(db, sales("select 1"), expected=1)
    (new, _) = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name="per_day")
    for version in (old, new):
        store.put(f"datasets/{version['storage_location']}{DAY}/x-1/part-0.parquet", b"data")
    call(db, "purge_dataset", org_id=DEFAULT_ORG, name="per_day", keep=1)
    # As if a task that reads it had been started in a transaction that the purge did not see.
    (late,) = trigger(db, "daily", DAY)
    pin = f'[{{"version_id": "{old["id"]}"}}]'
    db.execute("update tenuto.job_tasks set input_versions = %s where task_id = %s", [pin, late["task_id"]])

    effect(db)
    drain(database, store)
    assert "a task still uses version" in str(effect(db)[1])
    publish(worker, worker.claim_one(), DAY)
    drain(database, store)

    assert effect(db)[0] == "done"
    assert [item.key.split("/")[2] for item in store.list("datasets/")] == [str(new["id"])]
    rows = db.execute("select distinct dataset_version_id from tenuto.partition_versions").fetchall()
    assert (old["id"],) not in rows
    drain(database, store)  # nothing is left to do


def test_the_table_of_a_purged_version_is_dropped(db: Db, database: str, tmp_path: Path):
    deployed(db, LEDGER)
    worker = a_worker(db)
    trigger(db, "collect", dag="ledger")
    claim = worker.claim_one()
    stage(worker, claim, [["1", "a"]])
    publish(worker, claim)
    collect, sums = LEDGER["jobs"]
    deployed(db, {**LEDGER, "jobs": [{**collect, "config": {"task": "shop.other"}}, sums]}, expected=1)
    call(db, "purge_dataset", org_id=DEFAULT_ORG, name="bookings", keep=1)
    old = claim.input["job"]["outputs"][0]["version_id"].replace("-", "")
    assert f"v_{old}" in tables(db)

    effect(db)
    drain(database, open_store(f"file://{tmp_path}"))

    assert (effect(db)[0], f"v_{old}" in tables(db), len(tables(db))) == ("done", False, 3)
    assert db.execute("select count(*) from tenuto.row_sets").fetchone() == (0,)
