"""Jobs that real workers run: what is committed is whole, whatever dies, and what is refused changes nothing."""

from pathlib import Path
from typing import Any

import pyarrow.dataset as pads

from tests.support.database.attempts import end_lease, outcomes, wait_for
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import deployed, partitions, trigger
from tests.support.database.loops import value
from tests.support.database.tables import LEDGER
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

DAY = {"partition": {"kind": "key", "column": "day"}}
COLUMNS = [{"name": "id", "type": "BIGINT", "not_null": True}, {"name": "day", "type": "VARCHAR"}]


def a_source(name: str, function: str, dataset: str) -> dict[str, Any]:
    """A job that runs a function of tests/journeys/apps/jobs.py."""
    return {
        "name": name,
        "activation": "source",
        "operator": "python",
        "source": {"kind": "manual"},
        "config": {"task": f"jobs.{function}"},
        "outputs": [{"dataset": dataset, **DAY, "columns": COLUMNS, "checks": [{"kind": "unique", "columns": ["id"]}]}],
    }


DAG = {
    "name": "sales",
    "jobs": [
        a_source("extract", "extract", "raw"),
        a_source("twice", "extract_twice", "doubled"),
        a_source("others", "extract_others", "drifted"),
        {
            "name": "daily",
            "activation": "reactive",
            "operator": "sql",
            "execution_strategy": "PerPartition",
            "inputs": [{"from": {"dataset": "raw"}}],
            "config": {"sql": "select day, count(*) as n, $partition as key from raw group by day"},
            "outputs": [{"dataset": "per_day", **DAY}],
        },
    ],
}


def paused(db: Db, dag: str, *jobs: str) -> None:
    """Pauses jobs, so that no event starts them and the tasks of a test are those that it starts."""
    for job in jobs:
        call(db, "pause_job", org_id=DEFAULT_ORG, dag=dag, name=job)


def rows(db: Db, folder: Path, dataset: str, partition: str) -> list[dict[str, object]]:
    """What a reader of a partition sees: the files of its committed location."""
    location = value(
        db,
        "select p.location from tenuto.current_partitions c "
        "join tenuto.partition_versions p on p.id = c.partition_version_id "
        "join tenuto.dataset_versions v on v.id = c.dataset_version_id "
        "join tenuto.datasets d on d.current_version_id = v.id where d.name = %s and c.partition_key = %s",
        dataset,
        partition,
    )
    (store,) = folder.rglob("datasets")
    return pads.dataset(str(store / location), format="parquet").to_table().to_pylist()


def test_a_worker_that_is_killed_between_write_and_commit_leaves_nothing_to_see(db: Db, fleet: Fleet) -> None:
    deployed(db, DAG)
    paused(db, "sales", "daily")
    doomed = fleet.start("jobs")
    first, second = trigger(db, "extract", "1", "2")
    fleet.open_gate("2")
    wait_until(lambda: "written 1" in fleet.effects() and "2" in partitions(db, "raw"))

    doomed.kill()
    markers = list(fleet.folder.rglob("_done"))
    seen = partitions(db, "raw")
    end_lease(db, doomed.name)
    fleet.open_gate("1")
    fleet.start("jobs")
    wait_for(db, completed=2)

    assert len(markers) == 2  # what the first attempt wrote is there
    assert seen == {"2": second["task_id"]}
    assert partitions(db, "raw") == {"1": first["task_id"], "2": second["task_id"]}
    assert outcomes(db, first["task_id"]) == ["lost", "completed"]
    assert rows(db, fleet.folder, "raw", "1") == [{"id": number, "day": "1"} for number in range(3)]

    trigger(db, "daily", "1", "2", force=True)
    wait_for(db, completed=4)

    assert rows(db, fleet.folder, "per_day", "2") == [{"day": "2", "n": 3, "key": "2"}]
    assert db.execute("select distinct column_name, input_column, kind from tenuto.column_lineage").fetchall() == [
        ("", "day", "indirect"), ("day", "day", "direct")
    ]  # fmt: skip
    assert_invariants(db)


def test_data_that_is_refused_fails_the_task_for_good_and_publishes_nothing(db: Db, fleet: Fleet) -> None:
    deployed(db, DAG)
    fleet.start("jobs")

    (doubled,), (drifted,) = trigger(db, "twice", "1"), trigger(db, "others", "1")
    tasks = [doubled["task_id"], drifted["task_id"]]
    wait_until(lambda: [outcomes(db, task) for task in tasks] == [["failed"], ["failed"]])

    errors = [
        value(db, "select error ->> 'message' from tenuto.task_attempts where task_id = %s", task) for task in tasks
    ]
    assert errors == [
        "checks refused the data of output 0 (doubled):\n  unique: 1 values of id occur more than once",
        "the data does not match the columns of output 0 (drifted):\n"
        "  - day VARCHAR is declared, but not in the data\n  + date is not declared",
    ]
    assert (partitions(db, "doubled"), partitions(db, "drifted")) == ({}, {})
    assert list(fleet.folder.rglob("_done")) == []


def test_datasets_in_postgres_are_written_read_and_deduplicated_by_their_key(db: Db, fleet: Fleet) -> None:
    last = {
        **a_source("count", "count_bookings", "counts"),
        "activation": "reactive",
        "execution_strategy": "PerPartition",
        "inputs": [{"from": {"dataset": "sums"}}],
        "outputs": LEDGER["jobs"][1]["outputs"],
    }
    del last["source"]
    last["outputs"] = [{**last["outputs"][0], "dataset": "counts"}]
    deployed(db, {**LEDGER, "jobs": [*LEDGER["jobs"], last]})
    paused(db, "ledger", "sum", "count")
    fleet.start("jobs")
    for partition in ("2", "3"):
        (task,) = trigger(db, "collect", partition, dag="ledger")
        wait_until(lambda task=task: outcomes(db, task["task_id"]) == ["completed"])
    trigger(db, "sum", dag="ledger", force=True)
    wait_until(lambda: None in partitions(db, "sums"))
    trigger(db, "count", dag="ledger", force=True)
    wait_until(lambda: None in partitions(db, "counts"))

    def table_of(dataset: str) -> list[tuple[int, str]]:
        name = value(db, "select tenuto._data_table(current_version_id) from tenuto.datasets where name = %s", dataset)
        return db.execute(f"select id, note from tenuto_data.{name} order by 1, 2".encode()).fetchall()

    assert table_of("bookings") == [(1, "2"), (1, "3"), (2, "own"), (3, "own")]
    assert table_of("sums") == [(1, "3"), (2, "own"), (3, "own")]  # the later row of a key counts
    assert table_of("counts") == [(3, "rows")]
    assert list(fleet.folder.rglob("*.parquet")) == []
    assert_invariants(db)


def test_what_a_job_finds_in_data_is_an_alert_until_it_is_gone(db: Db, fleet: Fleet) -> None:
    watch = {
        **DAG["jobs"][3],
        "operator": "alert_evaluate",
        "config": {"sql": "select id, day from raw where id > 0", "key": ["id"], "message": "{id} is late on {day}"},
    }
    deployed(db, {"name": "sales", "jobs": [DAG["jobs"][0], watch]})
    call(db, "put_alert_rule", org_id=DEFAULT_ORG, name="late", kind="job_alerts", target="sales/daily")
    paused(db, "sales", "daily")
    fleet.start("jobs")
    fleet.open_gate("1")
    trigger(db, "extract", "1")
    wait_for(db, completed=1)

    for completed in (2, 3):
        trigger(db, "daily", "1", force=True)
        wait_for(db, completed=completed)

    def alerts() -> list[tuple[str, int]]:
        return sorted((row["summary"], row["evaluations"]) for row in call(db, "list_alerts", org_id=DEFAULT_ORG))

    wait_until(lambda: sum(evaluations for _, evaluations in alerts()) >= 4)  # the worker is a dispatcher too
    assert alerts() == [("1 is late on 1", 2), ("2 is late on 1", 2)]
    assert rows(db, fleet.folder, "per_day", "1") == [{"id": 1, "day": "1"}, {"id": 2, "day": "1"}]
