"""-> queued: every task becomes a run of its own."""

from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound, TooLarge
from tests.support.clock import Clock
from tests.support.database.starts import rows_written, start_many
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, run_status, status, statuses, task


def test_each_task_is_a_run_with_its_id_in_the_order_given(db: Db) -> None:
    started = start_many(db, 3, inputs=["a", {"b": 1}, None])

    runs = [run_id for run_id, _ in started]
    assert [created for _, created in started] == [True] * 3
    assert [task(db, run_id)["input"] for run_id in runs] == ["a", {"b": 1}, None]
    assert [task(db, run_id)["run_id"] for run_id in runs] == runs == sorted(runs)
    assert [run_status(db, run_id) for run_id in runs] == ["pending"] * 3


def test_a_hundred_thousand_tasks_are_started_in_one_call(db: Db) -> None:
    assert len(start_many(db, 100_000)) == 100_000

    assert db.execute("select count(*) from tenuto.ready_tasks").fetchone() == (100_000,)
    assert len(a_worker(db).claim(500)) == 500


def test_one_more_is_refused_and_nothing_is_written(db: Db) -> None:
    with pytest.raises(InvalidInput, match="100001"):
        start_many(db, 100_001)

    assert rows_written(db) == {}


def test_what_a_kind_says_is_what_its_tasks_have(db: Db) -> None:
    kind = {
        "type": "shop.send",
        "queue": "mail",
        "language": "cpp",
        "labels": ["gpu", "eu", "gpu"],
        "priority": 7,
        "max_attempts": 5,
        "max_losses": 9,
        "timeout_seconds": 30,
    }
    ((run_id, _),) = start_many(db, kinds=[kind])

    row = task(db, run_id)
    assert (row["type"], row["queue"], row["language"], row["labels"]) == ("shop.send", "mail", "cpp", ["eu", "gpu"])
    assert (row["priority"], row["max_attempts"], row["max_losses"], row["timeout_seconds"]) == (7, 5, 9, 30)


def test_a_kind_that_says_little_has_the_documented_defaults(db: Db) -> None:
    ((run_id, _),) = start_many(db)

    row = task(db, run_id)
    assert (row["queue"], row["language"], row["labels"], row["priority"]) == ("default", "python", [], 0)
    assert (row["max_attempts"], row["max_losses"], row["timeout_seconds"]) == (3, None, None)
    assert (row["attempt"], row["optional"]) == (0, False)


def test_tasks_of_several_kinds_are_started_together(db: Db) -> None:
    kinds = [{"type": "a"}, {"type": "b", "queue": "q"}]

    started = start_many(db, 3, kinds=kinds, task_kinds=[1, 0, 1])

    assert [task(db, run_id)["type"] for run_id, _ in started] == ["b", "a", "b"]


def test_details_belong_to_the_task_they_name(db: Db, clock: Clock) -> None:
    details = [
        {"task": 2, "priority": 9, "metadata": {"team": "bi"}, "queue_job_id": "ext-1", "name": "third"},
        {"task": 0, "delay_seconds": 60},
    ]

    first, second, third = (run_id for run_id, _ in start_many(db, 3, details=details))

    row = task(db, third)
    assert (row["priority"], row["metadata"], row["external_id"], row["name"]) == (9, {"team": "bi"}, "ext-1", "third")
    assert task(db, first)["available_at"] == clock.now + timedelta(seconds=60)
    assert (task(db, second)["priority"], task(db, second)["metadata"], task(db, second)["available_at"]) == (
        0,
        None,
        None,
    )
    assert len(a_worker(db).claim(5)) == 2


def test_a_task_for_a_time_that_has_passed_is_ready_at_once(db: Db, clock: Clock) -> None:
    past = (clock.now - timedelta(hours=1)).isoformat()

    start_many(db, details=[{"task": 0, "available_at": past}])

    assert len(a_worker(db).claim()) == 1


def test_tasks_start_in_the_group_that_is_named(db: Db) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="batch")

    ((run_id, _),) = start_many(db, group="batch")

    row = db.execute("select resource_group from tenuto.run_status where id = %s", [run_id]).fetchone()
    assert row == ("batch",)


def test_a_group_or_an_org_that_is_not_there_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound, match="nobody"):
        start_many(db, group="nobody")
    with pytest.raises(NotFound):
        start_many(db, org_id=uuid4())

    assert rows_written(db) == {}


def test_the_clients_own_ids_are_kept(db: Db) -> None:
    ids = [uuid4() for _ in range(3)]

    assert start_many(db, 3, ids=ids) == [(each, True) for each in ids]
    assert statuses(db, ids) == ["queued"] * 3


def test_an_id_that_is_there_already_is_a_conflict_and_nothing_of_the_batch_is_written(db: Db) -> None:
    old, new = uuid4(), uuid4()
    start_many(db, ids=[old])
    before = rows_written(db)

    for ids in ([new, old], [new, new]):
        with pytest.raises(Conflict):
            start_many(db, 2, ids=ids)

    assert (rows_written(db), status(db, new)) == (before, "gone")


def test_a_start_goes_with_the_transaction_that_is_rolled_back(db: Db, database: str) -> None:
    with psycopg.connect(database) as caller:
        start_many(caller, 2)
        caller.rollback()

    assert rows_written(db) == {}
    assert a_worker(db).claim() == []


def test_a_start_is_nobody_elses_before_its_commit(db: Db, database: str) -> None:
    worker = a_worker(db)
    with psycopg.connect(database) as caller:
        start_many(caller)
        assert worker.claim() == []

    assert len(worker.claim()) == 1


def test_an_input_of_a_megabyte_fits_and_a_larger_one_is_named(db: Db) -> None:
    start_many(db, inputs=["x" * 1_048_000])
    before = rows_written(db)

    with pytest.raises(TooLarge, match="task 1"):
        start_many(db, inputs=[0, "x" * 1_048_600])

    assert rows_written(db) == before
