"""Sinks: several jobs append rows to one dataset; effects add them in batches, each row once."""

from typing import Any

import pytest

from tenuto.model.errors import Conflict, InvalidInput
from tests.support.database.builds import advance, status
from tests.support.database.dags import deploy
from tests.support.database.events import route
from tests.support.database.jobs import deployed, publication, trigger
from tests.support.database.loops import value
from tests.support.database.outbox import take
from tests.support.database.sinks import SENSORS, SINK, a_writer, append
from tests.support.database.tables import location_of, read, stage
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call


def flush(db: Db, owner: str = "one", **options: Any) -> list[bool]:
    """Takes what is due and adds it; returns for each effect whether it is done."""
    return [
        row["done"] for row in call(db, "flush_sinks", owner=owner, ids=take(db, owner, kinds=("sink",)), **options)
    ]


def seen(db: Db, worker: Worker) -> list[list[str | None]]:
    """The rows that a task sees that reads the whole dataset now."""
    (task,) = trigger(db, "report", dag="sensors", force=True)
    claim = next(claim for claim in worker.claim(100) if claim.task_id == task["task_id"])
    found: list[list[str | None]] = []
    for location in claim.input["job"]["inputs"][0]["locations"]:
        _, pages = read(worker, claim, location)
        found += [row for page in range(pages) for row in read(worker, claim, location, page=page)[0]]
    return sorted(found, key=str)


def events(db: Db) -> int:
    return value(db, "select count(*) from tenuto.events e join tenuto.datasets d on d.id = e.dataset_id "
                 "where d.name = 'readings'")  # fmt: skip


@pytest.fixture
def worker(db: Db) -> Worker:
    deployed(db, SENSORS)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sensors", name="report")
    return a_worker(db)


def test_rows_of_several_jobs_become_one_commit_with_one_event(db: Db, worker: Worker):
    append(worker, "north", [["1", "n"], ["2", "n"]], [["3", "n"]])
    append(worker, "south", [["2", "s"], ["4", None]])
    assert seen(db, worker) == []

    assert flush(db) == [True, True]
    route(db)

    assert seen(db, worker) == [["1", "n"], ["2", "s"], ["3", "n"], ["4", None]]
    assert events(db) == 1
    assert value(db, "select array_agg(pages) from tenuto.row_sets") == [1]
    append(worker, "north", [["1", "again"]])
    assert flush(db) == [True]
    assert ["1", "again"] in seen(db, worker)
    assert flush(db) == []


def test_a_task_that_appends_nothing_queues_nothing(db: Db, worker: Worker):
    append(worker, "north")

    assert take(db, "one", kinds=("sink",)) == []


def test_a_late_or_repeated_flush_adds_nothing(db: Db, worker: Worker):
    append(worker, "north", [["1", "n"]])
    ids = take(db, "one", kinds=("sink",))

    assert call(db, "flush_sinks", owner="another", ids=ids) == []
    assert [row["done"] for row in call(db, "flush_sinks", owner="one", ids=ids)] == [True]
    assert call(db, "flush_sinks", owner="one", ids=ids) == []
    assert value(db, "select count(*) from tenuto.partition_versions") == 1


def test_large_row_sets_stay_as_they_are_and_many_are_flushed_in_turns(db: Db, worker: Worker):
    large = append(worker, "north", *[[[str(page), "large"]] for page in range(10)])
    for number in range(3):
        append(worker, "south", *[[[str(100 + number * 10 + page), "small"]] for page in range(9)])

    assert flush(db, pages=20) == [True, True, True, False]
    assert value(db, "select attempts from tenuto.outbox where kind = 'sink' and status = 'pending'") == 0
    assert flush(db, pages=20) == [True]

    assert len(seen(db, worker)) == 37
    assert value(db, "select count(*) from tenuto.row_sets where location = %s", location_of(large)) == 1
    route(db)
    assert events(db) == 3


def test_rows_that_are_gone_fail_their_effect_alone(db: Db, worker: Worker):
    lost = append(worker, "north", [["1", "n"]])
    append(worker, "south", [["2", "s"]])
    db.execute("delete from tenuto.row_sets where task_id = %s", [lost.task_id])
    first, second = take(db, "one", kinds=("sink",))

    for ids in ([first, second], [first]):
        with pytest.raises(Conflict, match="rows that a task appended"):
            call(db, "flush_sinks", owner="one", ids=ids)
    assert [row["done"] for row in call(db, "flush_sinks", owner="one", ids=[second])] == [True]
    assert seen(db, worker) == [["2", "s"]]


def test_rows_of_a_purged_version_are_not_added(db: Db, worker: Worker):
    append(worker, "north", [["1", "n"]])
    db.execute("update tenuto.dataset_versions set purged_at = tenuto.now()")

    assert flush(db) == [True]
    assert value(db, "select count(*) from tenuto.partition_versions") == 0


def test_rows_that_wait_for_a_sink_are_not_collected(db: Db, worker: Worker):
    append(worker, "north", [["1", "n"]])
    db.execute("update tenuto.row_sets set created_at = tenuto.now() - interval '3 days'")

    call(db, "collect_rows")
    assert flush(db) == [True]
    db.execute("update tenuto.row_sets set created_at = tenuto.now() - interval '3 days'")
    call(db, "collect_rows")

    assert seen(db, worker) == [["1", "n"]]


def test_a_sink_runs_no_tasks_and_has_its_own_events(db: Db, worker: Worker):
    with pytest.raises(Conflict, match="job readings of sensors is a sink, which runs no tasks"):
        trigger(db, "readings", dag="sensors")
    with pytest.raises(Conflict, match="is a sink, which runs no tasks"):
        call(db, "start_backfill", org_id=DEFAULT_ORG, dataset="readings")
    trigger(db, "north", dag="sensors")
    claim = worker.claim_one()
    with pytest.raises(InvalidInput, match="appends to a sink"):
        call(db, "emit_event", **worker.fence, task_id=claim.task_id, attempt=claim.attempt, output="readings")
    (answer,) = worker.complete(claim, published=[[publication(claim)]])
    assert answer == "refused"  # its rows were not staged


EAST = {name: field for name, field in a_writer("east").items() if name != "source"} | {
    "activation": "reactive",
    "execution_strategy": "PerUpdate",
    "inputs": [{"from": {"dataset": "raw"}}],
}


def with_reactive_writer(db: Db) -> Worker:
    """Deploys a job that reads a dataset and appends to the sink, and gives it an event."""
    deployed(db, {"name": "sensors", "jobs": [SINK, a_writer("raw", outputs=[{"dataset": "raw"}]), EAST]})
    worker = a_worker(db)
    trigger(db, "raw", dag="sensors")
    source = worker.claim_one()
    worker.complete(source, published=[[publication(source)]])
    route(db)
    return worker


def finish(worker: Worker, note: str) -> None:
    claim = worker.claim_one()
    stage(worker, claim, [["1", note]])
    assert worker.complete(claim, published=[[publication(claim, rows=1)]]) == ["accepted"]


def test_lineage_names_what_the_writers_read(db: Db):
    finish(with_reactive_writer(db), "e")

    found = value(db, "select array_agg(d.name) from tenuto.table_lineage l "
                  "join tenuto.datasets d on d.id = l.input_dataset_id "
                  "join tenuto.dag_version_datasets s on s.dataset_version_id = l.dataset_version_id "
                  "where s.name = 'readings'")  # fmt: skip
    assert found == ["raw"]


def a_new_version(db: Db) -> int:
    """Deploys another definition of the writer; it is built into a new version of the dataset."""
    raw = a_writer("raw", outputs=[{"dataset": "raw"}])
    new = deploy(db, {"name": "sensors", "jobs": [SINK, raw, {**EAST, "config": {"task": "shop.east2"}}]})
    assert new["status"] == "building"
    advance(db)
    return new["version"]


def test_a_build_waits_for_the_rows_of_its_sinks(db: Db):
    worker = with_reactive_writer(db)
    finish(worker, "first")
    assert flush(db) == [True]
    version = a_new_version(db)
    finish(worker, "second")

    advance(db)
    assert status(db, version, "sensors") == "building"
    assert flush(db) == [True]
    advance(db)

    assert status(db, version, "sensors") == "ready"
    commits = value(db, "select array_agg(n) from (select count(*) as n from tenuto.partition_versions "
                    "join tenuto.dag_version_datasets s using (dataset_version_id) where s.name = 'readings' "
                    "group by dataset_version_id) c")  # fmt: skip
    assert commits == [1, 1]  # one of each version: readers of the old one see no row of the build


def test_rows_that_cannot_be_added_fail_the_build(db: Db):
    worker = with_reactive_writer(db)
    finish(worker, "first")
    flush(db)
    version = a_new_version(db)
    finish(worker, "second")
    db.execute("update tenuto.outbox set status = 'dead', last_error = 'no space' "
               "where kind = 'sink' and status = 'pending'")  # fmt: skip

    advance(db)

    assert status(db, version, "sensors") == "failed"
    assert "no space" in value(db, "select error from tenuto.builds where error is not null")


def test_a_dataset_shows_what_waits_to_be_added(db: Db, worker: Worker):
    append(worker, "north", [["1", "n"]])
    append(worker, "south", [["2", "s"]])
    (first, _) = take(db, "one", kinds=("sink",))
    db.execute("update tenuto.outbox set status = 'dead', locked_by = null, locked_until = null, last_error = 'gone' "
               "where id = %s", [first])  # fmt: skip

    (dataset,) = call(db, "get_dataset", org_id=DEFAULT_ORG, name="readings")
    assert (dataset["buffered"]["waiting"], dataset["buffered"]["dead"]) == (1, 1)
    assert dataset["buffered"]["error"] == "gone"
