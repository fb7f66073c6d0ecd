"""Dispatchers and workers that are killed while Postgres executes a statement of theirs: events, builds, cutovers,
sinks and commits are done once, by them or by the next process."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tenuto.storage import open_store
from tests.journeys.test_jobs import DAG, paused
from tests.races.test_deploys import STATE, TORN
from tests.support.database.attempts import end_lease, outcomes
from tests.support.database.backfills import backfill, get, go_on
from tests.support.database.builds import advance, compute, status, with_data
from tests.support.database.dags import deploy
from tests.support.database.events import a_reader, commit, readers
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import by_day, deployed, partitions, sales, trigger
from tests.support.database.loops import count, value
from tests.support.database.outbox import end_leases_of_effects
from tests.support.database.sinks import SENSORS, append
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call
from tests.support.faults.interrupted import Afterwards, interrupted
from tests.support.processes.command_line import Running, running
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

BOTH = pytest.mark.parametrize("after", ["finishes", "rolls back"])


def survives(
    db: Db, database: str, table: str, after: Afterwards, done: Callable[[], bool], **environment: str
) -> None:
    """Kills a dispatcher that writes to the table, and lets another one finish."""
    environment = {"TENUTO_DATABASE_URL": database, **environment}

    with ExitStack() as stack:

        def dispatcher() -> Running:
            return stack.enter_context(running("dispatcher", ready="running", **environment))

        with interrupted(database, table, after) as kill:
            kill.append(dispatcher().process.kill)
        end_leases_of_effects(db)
        dispatcher()
        wait_until(done)


@BOTH
def test_an_event_is_routed_once(db: Db, database: str, after: Afterwards) -> None:
    deployed(db, readers(a_reader("daily"), a_reader("weekly")))
    commit(a_worker(db), "mon", "tue")

    survives(db, database, "tenuto.event_reactions", after, lambda: count(db, "event_reactions") == 4)

    tasks = db.execute(
        "select j.name, t.partition_key, count(*) from tenuto.job_tasks t join tenuto.jobs j on j.job_key = t.job_key "
        "where j.name <> 'extract' group by 1, 2 order by 1, 2"
    )
    assert tasks.fetchall() == [(job, key, 1) for job in ("daily", "weekly") for key in ("mon", "tue")]
    assert_invariants(db)


@BOTH
def test_a_build_starts_each_of_its_tasks_once(db: Db, database: str, after: Afterwards) -> None:
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue")
    before = count(db, "job_tasks")
    assert deploy(db, sales("select 2"))["status"] == "building"

    survives(db, database, "tenuto.job_tasks", after, lambda: count(db, "job_tasks") == before + 2)

    assert compute(worker) == ["mon", "tue"]
    advance(db)
    assert (status(db, 2), count(db, "job_tasks")) == ("ready", before + 2)
    assert_invariants(db)


@BOTH
def test_a_cutover_of_a_dispatcher_moves_everything_or_nothing(db: Db, database: str, after: Afterwards) -> None:
    worker = a_worker(db)
    with_data(db, worker, "mon")
    deploy(db, sales("select 2"), auto=True)
    call(db, "advance_builds")
    assert compute(worker) == ["mon"]
    seen: list[Any] = []

    def done() -> bool:
        seen.append((db.execute(TORN).fetchall(), db.execute(STATE).fetchall()))
        return status(db, 2) == "current"

    survives(db, database, "tenuto.datasets", after, done)

    assert all(torn == [] and by_status == by_pointer for torn, [(by_status, by_pointer)] in seen)
    assert partitions(db, "per_day").keys() == {"mon"}
    assert value(db, "select count(*) from tenuto.deploy_history where action = 'cutover'") == 2
    assert_invariants(db)


@BOTH
def test_rows_of_a_sink_are_added_once(db: Db, database: str, after: Afterwards) -> None:
    deployed(db, SENSORS)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sensors", name="report")
    worker: Worker = a_worker(db)
    append(worker, "north", [["1", "n"], ["2", "n"]])
    append(worker, "south", [["2", "s"]])
    name = value(db, "select tenuto._data_table(current_version_id) from tenuto.datasets where name = 'readings'")
    unflushed = "select count(*) from tenuto.outbox where kind = 'sink' and status <> 'done'"

    survives(db, database, f"tenuto_data.{name}", after, lambda: value(db, unflushed) == 0)

    rows = db.execute(f"select id, note from tenuto_data.{name} order by id".encode()).fetchall()
    assert rows == [(1, "n"), (2, "s")]
    assert count(db, "outbox", "kind = 'route_event'") == 1
    assert_invariants(db)


@BOTH
def test_a_backfill_starts_each_of_its_tasks_once(db: Db, database: str, after: Afterwards) -> None:
    deployed(db, by_day(sales()))
    id = backfill(db, "raw")

    survives(db, database, "tenuto.job_tasks", after, lambda: count(db, "job_tasks") == 3)

    worker = a_worker(db)
    assert compute(worker) == ["2026-11-01", "2026-11-02", "2026-11-03"]
    go_on(db)
    assert (get(db, id)["started"], get(db, id)["completed"]) == (3, 3)
    assert_invariants(db)


@BOTH
def test_a_purge_deletes_everything_of_its_version_and_nothing_else(
    db: Db, database: str, after: Afterwards, tmp_path: Path
) -> None:
    store = open_store(tmp_path.as_uri())
    with_data(db, a_worker(db), "mon", document=sales("select 1"))
    deployed(db, sales("select 2"), expected=1)
    new, old = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name="per_day")
    for version in (old, new):
        store.put(f"datasets/{version['storage_location']}mon/x-1/part-0.parquet", b"data")
    call(db, "purge_dataset", org_id=DEFAULT_ORG, name="per_day", keep=1)
    db.execute("update tenuto.outbox set available_at = tenuto.now()")
    left = "select count(*) from tenuto.outbox where kind = 'delete_data' and status <> 'done'"

    survives(
        db, database, "tenuto.partition_versions", after, lambda: value(db, left) == 0, TENUTO_STORAGE=tmp_path.as_uri()
    )

    assert [item.key.split("/")[2] for item in store.list("datasets/")] == [str(new["id"])]
    assert count(db, "partition_versions", "dataset_version_id = %s", old["id"]) == 0
    assert partitions(db, "raw").keys() == {"mon"}
    assert_invariants(db)


@BOTH
def test_a_task_commits_once_if_its_worker_is_killed_inside_the_commit(db: Db, fleet: Fleet, after: Afterwards) -> None:
    deployed(db, DAG)
    paused(db, "sales", "daily")
    doomed = fleet.start("jobs")
    name = doomed.name
    (task,) = trigger(db, "extract", "1")
    # The loops of the worker write to this table too.
    with interrupted(fleet.database, "tenuto.partition_versions", after, function="complete") as kill:
        kill.append(doomed.kill)
        fleet.open_gate("1")
    seen = partitions(db, "raw")
    end_lease(db, name)
    fleet.start("jobs")
    wait_until(lambda: outcomes(db, task["task_id"])[-1:] == ["completed"])

    assert seen == ({"1": task["task_id"]} if after == "finishes" else {})
    assert partitions(db, "raw") == {"1": task["task_id"]}
    assert outcomes(db, task["task_id"]) == (["completed"] if after == "finishes" else ["lost", "completed"])
    assert count(db, "partition_versions") == count(db, "outbox", "kind = 'route_event'") == 1
    assert_invariants(db)
