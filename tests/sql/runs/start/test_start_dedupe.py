"""Dedupe keys: a second start answers the first, whatever became of it."""

from uuid import uuid4

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.database.starts import rows_written, start_many, start_run
from tests.support.database.tasks import Db, a_worker, call, drain, run_status, start_graph, task

OTHER_TYPE = [{"type": "app.other"}]


def test_a_key_that_is_taken_answers_the_first_run(db: Db) -> None:
    ((first, created),) = start_many(db, inputs=["first"], dedupe_keys=["k"])
    assert created

    assert start_many(db, inputs=["second"], dedupe_keys=["k"]) == [(first, False)]

    assert task(db, first)["input"] == "first"
    assert rows_written(db)["tasks"] == 1


@pytest.mark.parametrize("end", ["completed", "failed", "cancelled"])
def test_a_key_stays_taken_when_its_run_is_final(db: Db, end: str) -> None:
    ((first, _),) = start_many(db, dedupe_keys=["k"])
    worker = a_worker(db)
    if end == "cancelled":
        call(db, "cancel_run", org_id=worker.org_id, run_id=first)
    elif end == "failed":
        worker.fail(worker.claim_one(), final=True)
    else:
        worker.complete(worker.claim_one())
    assert run_status(db, first) == end

    assert start_many(db, dedupe_keys=["k"]) == [(first, False)]


def test_a_key_is_free_again_when_its_run_was_deleted(db: Db) -> None:
    ((first, _),) = start_many(db, dedupe_keys=["k"])
    worker = a_worker(db)
    drain(db, worker)
    call(db, "delete_run", org_id=worker.org_id, run_id=first)

    ((second, created),) = start_many(db, dedupe_keys=["k"])

    assert created
    assert second != first


def test_of_duplicates_inside_one_batch_the_first_is_made(db: Db) -> None:
    started = start_many(db, 60, dedupe_keys=["k"] * 60)

    first = started[0][0]
    assert started == [(first, True), *[(first, False)] * 59]
    assert task(db, first)["input"] == 0
    assert rows_written(db)["tasks"] == 1


def test_a_batch_makes_what_is_new_and_answers_in_its_order(db: Db) -> None:
    ((old, _),) = start_many(db, inputs=["old"], dedupe_keys=["b"])
    details = [{"task": 0, "priority": 5}, {"task": 1, "priority": 6}, {"task": 3, "priority": 7}]

    started = start_many(db, 4, dedupe_keys=["a", "b", None, "c"], details=details)

    assert [created for _, created in started] == [True, False, True, True]
    assert started[1][0] == old
    made = [task(db, run_id) for run_id, created in started if created]
    assert [(row["input"], row["priority"]) for row in made] == [(0, 5), (2, 0), (3, 7)]


def test_tasks_without_a_key_never_meet(db: Db) -> None:
    assert [created for _, created in start_many(db, 2, dedupe_keys=[None, None])] == [True, True]


def test_a_key_is_the_types_own_and_the_orgs_own(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    start_many(db, dedupe_keys=["k"])

    assert start_many(db, kinds=OTHER_TYPE, dedupe_keys=["k"])[0][1]
    assert start_many(db, org_id=other, dedupe_keys=["k"])[0][1]
    assert not start_many(db, kinds=[*OTHER_TYPE, {"type": "app.work"}], task_kinds=[1], dedupe_keys=["k"])[0][1]


def test_a_start_repeated_with_its_own_ids_is_answered_not_refused(db: Db) -> None:
    ids = [uuid4(), uuid4()]
    start_many(db, 2, ids=ids, dedupe_keys=["a", "b"])

    assert start_many(db, 2, ids=ids, dedupe_keys=["a", "b"]) == [(each, False) for each in ids]

    assert rows_written(db)["tasks"] == 2


def test_a_batch_in_which_everything_is_taken_writes_nothing(db: Db) -> None:
    start_many(db, 3, dedupe_keys=["a", "b", "c"])
    before = rows_written(db)

    assert not any(created for _, created in start_many(db, 3, dedupe_keys=["c", "b", "a"]))

    assert rows_written(db) == before


def test_a_graphs_key_is_taken_in_the_name_of_the_graph(db: Db) -> None:
    first, created = start_run(db, 3, run={"name": "nightly", "dedupe_key": "monday"})
    assert created

    assert start_run(db, 3, run={"name": "nightly", "dedupe_key": "monday"}) == (first, False)
    assert start_run(db, 3, run={"name": "weekly", "dedupe_key": "monday"})[1]
    assert start_run(db, 3, run={"name": "nightly", "dedupe_key": "tuesday"})[1]
    assert rows_written(db)["tasks"] == 9


def test_a_run_without_a_name_takes_its_key_in_the_name_of_its_type(db: Db) -> None:
    ((first, _),) = start_many(db, dedupe_keys=["k"])

    assert start_run(db, run={"dedupe_key": "k"}) == (first, False)
    assert start_run(db, kinds=OTHER_TYPE, run={"dedupe_key": "k"})[1]


def test_a_graph_repeated_after_its_end_is_answered_with_the_first(db: Db) -> None:
    run_id, _ = start_graph(db, 3, [(0, 1), (1, 2)], run={"name": "g", "dedupe_key": "k"})
    drain(db, a_worker(db))
    assert run_status(db, run_id) == "completed"

    assert start_run(db, 3, run={"name": "g", "dedupe_key": "k"}) == (run_id, False)


@pytest.mark.parametrize("keys", [["a"], ["a", "b", "c"], ["a", ""], ["a", "x" * 1025]])
def test_keys_that_do_not_fit_the_batch_are_refused(db: Db, keys: list[str]) -> None:
    with pytest.raises(InvalidInput, match="dedupe key"):
        start_many(db, 2, dedupe_keys=keys)

    assert rows_written(db) == {}


@pytest.mark.parametrize("key", ["", "x" * 1025, None])
def test_a_graphs_key_that_is_none_is_refused(db: Db, key: str | None) -> None:
    with pytest.raises(InvalidInput, match="dedupe key"):
        start_run(db, run={"name": "g", "dedupe_key": key})

    assert rows_written(db) == {}


def test_a_key_too_long_for_its_index_is_refused(db: Db) -> None:
    key = "".join(chr(0x10000 + number) for number in range(1024))

    with pytest.raises(InvalidInput, match="4096 bytes, more than 1024"):
        start_many(db, dedupe_keys=[key])

    assert rows_written(db) == {}
