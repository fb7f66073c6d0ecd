"""-> pending: one run of a graph of tasks."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound, TooLarge
from tests.support.database.starts import rows_written, start_run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, run_status, start_graph, statuses, task

EDGES: list[tuple[Any, str]] = [
    ({"from": 0, "to": 1}, "edges"),
    ("0-1", "edges"),
    (None, "edges"),
    ([[0, 1]], "edge|object"),
    ([1], "edge|object"),
    ([{"from": 0}], "edge from task 0"),
    ([{"to": 1}], "edge"),
    ([{"from": 0, "to": None}], "edge from task 0"),
    ([{"from": 1, "to": 0}], "edge from task 1 to task 0"),
    ([{"from": 1, "to": 1}], "edge from task 1 to task 1"),
    ([{"from": 0, "to": 3}], "to task 3"),
    ([{"from": -1, "to": 1}], "from task -1"),
    ([{"from": 0, "to": 1, "on": "success"}], "success"),
    ([{"from": 0, "to": 1, "om": "failed"}], "om"),
    ([{"from": 0, "to": 1}, {"from": 0, "to": 1, "on": "failed"}], "two edges"),
    ([{"from": 0, "to": 1}, {"from": 0, "to": 1}], "two edges"),
    ([{"from": "a", "to": 1}], "a"),
    ([{"from": 0.5, "to": 1}], "0.5"),
    ([{"from": 2**31, "to": 1}], str(2**31)),
]

RUNS: list[tuple[Any, str]] = [
    ([], "run"),
    (None, "run"),
    ("nightly", "run"),
    ({"naem": "x"}, "naem"),
    ({"name": ""}, "name"),
    ({"name": "n" * 257}, "name"),
    ({"id": "one"}, "one"),
    ({"id": 7}, "7"),
    ({"max_attempts": 0}, "max_attempts of the run is 0"),
    ({"max_attempts": -1}, "max_attempts of the run is -1"),
    ({"max_attempts": 101}, "max_attempts of the run is 101"),
    ({"max_attempts": 1.5}, "1.5"),
    ({"max_attempts": "NaN"}, "NaN"),
    ({"outputs": {}}, "array|object"),
    ({"outputs": [1]}, "output"),
    ({"outputs": [{}]}, "output"),
    ({"outputs": [{"task": 3}]}, "output"),
    ({"outputs": [{"task": -1}]}, "output"),
    ({"outputs": [{"task": 0, "position": 1}]}, "position"),
    ({"outputs": [{"task": 0, "output": -1}]}, "position_is_not_negative"),
]


def test_a_graph_starts_with_what_depends_on_nothing(db: Db) -> None:
    run_id, tasks = start_graph(db, 4, [(0, 2), (1, 2), (2, 3)])

    assert statuses(db, tasks) == ["queued", "queued", "pending", "pending"]
    assert [task(db, each)["remaining_dependencies"] for each in tasks] == [None, None, 2, 1]
    assert [task(db, each)["run_id"] for each in tasks] == [run_id] * 4
    assert run_status(db, run_id) == "pending"


def test_a_run_shows_what_was_said_about_it(db: Db) -> None:
    run_id = uuid4()
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="batch")
    said = {
        "id": str(run_id),
        "name": "nightly",
        "group": "batch",
        "max_attempts": 2,
        "input": [1],
        "metadata": {"a": 1},
    }

    assert start_run(db, 3, run=said) == (run_id, True)

    row = db.execute(
        "select name, resource_group, max_attempts, input, metadata, total_tasks, single_task from tenuto.run_status"
    ).fetchall()
    assert row == [("nightly", "batch", 2, [1], {"a": 1}, 3, False)]


def test_a_run_of_one_shares_its_id_with_its_task(db: Db) -> None:
    run_id, _ = start_run(db, run={"name": "single", "metadata": {"a": 1}}, inputs=["x"])

    assert task(db, run_id)["input"] == "x"
    drain(db, a_worker(db))
    assert run_status(db, run_id, settle=False) == "completed"


def test_a_run_of_one_under_another_id_or_with_attempts_is_counted(db: Db) -> None:
    for run in ({"id": str(uuid4())}, {"max_attempts": 3}):
        run_id, _ = start_run(db, run=run)
        drain(db, a_worker(db))

        assert run_status(db, run_id) == "completed"


def test_more_than_a_hundred_thousand_tasks_make_no_run(db: Db) -> None:
    with pytest.raises(InvalidInput, match="100001"):
        start_run(db, 100_001)
    assert rows_written(db) == {}


def test_ten_thousand_tasks_make_one_run(db: Db) -> None:  # test_start_many.py starts as many as a batch may have
    run_id, _ = start_run(db, 10_000)

    row = db.execute("select total_tasks from tenuto.run_status where id = %s", [run_id]).fetchone()
    assert row == (10_000,)


def test_ids_made_by_the_client_are_kept_in_their_places(db: Db) -> None:
    ids = [uuid4() for _ in range(3)]

    start_graph(db, 3, [(0, 1), (1, 2)], ids=ids)

    assert [task(db, each)["input"] for each in ids] == [0, 1, 2]
    assert statuses(db, ids) == ["queued", "pending", "pending"]


def test_an_id_that_is_there_already_is_a_conflict_and_nothing_is_written(db: Db) -> None:
    ids = [uuid4() for _ in range(3)]
    start_run(db, 3, ids=ids)
    before = rows_written(db)

    for values in ({"ids": ids}, {"ids": [uuid4(), uuid4(), ids[0]]}):
        with pytest.raises(Conflict):
            start_run(db, 3, edges=[{"from": 0, "to": 2}], **values)

    assert rows_written(db) == before


def test_a_run_goes_with_the_transaction_that_is_rolled_back(db: Db, database: str) -> None:
    with psycopg.connect(database) as caller:
        start_run(caller, 3, run={"name": "g", "dedupe_key": "k"}, edges=[{"from": 0, "to": 1}])
        caller.rollback()

    assert rows_written(db) == {}


@pytest.mark.parametrize(("edges", "named"), EDGES, ids=[str(edges)[:60] for edges, _ in EDGES])
def test_edges_that_cannot_be_are_named_and_nothing_is_written(db: Db, edges: Any, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        start_run(db, 3, edges=edges)

    assert rows_written(db) == {}


@pytest.mark.parametrize(("run", "named"), RUNS, ids=[str(run)[:60] for run, _ in RUNS])
def test_a_run_that_cannot_be_is_named_and_nothing_is_written(db: Db, run: Any, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        start_run(db, 3, run=run)

    assert rows_written(db) == {}


def test_a_group_or_an_org_that_is_not_there_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound, match="nobody"):
        start_run(db, run={"group": "nobody"})
    with pytest.raises(NotFound):
        start_run(db, org_id=uuid4())

    assert rows_written(db) == {}


@pytest.mark.parametrize("field", ["input", "metadata"])
def test_what_is_larger_than_a_megabyte_is_too_large(db: Db, field: str) -> None:
    with pytest.raises(TooLarge, match=field):
        start_run(db, run={field: "x" * 1_048_600})

    assert rows_written(db) == {}
