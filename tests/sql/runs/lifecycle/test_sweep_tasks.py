"""Tasks that a hand-over has missed continue, and tasks that wait for something are left alone."""

import psycopg
import pytest

from tests.support.database.isolation import LEVELS
from tests.support.database.loops import cancel_run, count
from tests.support.database.stranded import (
    a_held_task_whose_run_was_released,
    a_parent_whose_child_ended,
    a_task_whose_dependency_ended,
    a_task_whose_signal_was_sent,
    a_waiting_parent,
    missed,
)
from tests.support.database.tasks import (
    Db,
    a_worker,
    call,
    drain,
    run_status,
    start_graph,
    start_one,
    status,
    statuses,
    task,
)


def test_a_parent_whose_child_ended_continues(db: Db) -> None:
    parent = a_parent_whose_child_ended(db)
    assert status(db, parent) == "waiting"

    assert call(db, "sweep_tasks") == 1

    assert (status(db, parent), count(db, "awaited_tasks")) == ("queued", 0)
    assert run_status(db, parent) == "running"
    drain(db, a_worker(db))
    assert run_status(db, parent) == "completed"


def test_a_parent_that_missed_one_child_continues_after_the_others(db: Db) -> None:
    worker, parent, (first, second) = a_waiting_parent(db, children=2)
    with missed(db, parent.task_id):
        worker.complete(first)
    assert call(db, "sweep_tasks") == 0
    worker.complete(second)
    assert status(db, parent.task_id) == "waiting"

    assert call(db, "sweep_tasks") == 1

    assert status(db, parent.task_id) == "queued"


def test_a_task_whose_signal_was_sent_continues(db: Db) -> None:
    waiting = a_task_whose_signal_was_sent(db)

    assert call(db, "sweep_tasks") == 1

    assert status(db, waiting) == "queued"


def test_a_task_whose_dependencies_ended_is_queued(db: Db) -> None:
    run_id, after = a_task_whose_dependency_ended(db)
    assert status(db, after) == "pending"

    assert call(db, "sweep_tasks") == 1

    assert status(db, after) == "queued"
    drain(db, a_worker(db))
    assert run_status(db, run_id) == "completed"


@pytest.mark.parametrize(
    ("runs_on", "fails", "ends", "run"),
    [
        ("completed", True, ["cancelled", "cancelled"], "failed"),
        ("failed", False, ["skipped", "skipped"], "completed"),
        ("failed", True, ["completed", "completed"], "failed"),
        ("continue", True, ["completed", "completed"], "completed"),
    ],
)
def test_how_its_dependency_ended_decides(db: Db, runs_on: str, fails: bool, ends: list[str], run: str) -> None:
    run_id, after = a_task_whose_dependency_ended(db, runs_on=runs_on, fails=fails)
    last = db.execute("select child_id from tenuto.task_dependencies where parent_id = %s", [after]).fetchone()

    assert call(db, "sweep_tasks") == 1

    drain(db, a_worker(db))
    assert statuses(db, [after, *(last or ())]) == ends
    assert run_status(db, run_id) == run


def test_a_task_of_a_run_that_is_no_longer_held_is_queued(db: Db) -> None:
    run_id, held = a_held_task_whose_run_was_released(db)

    assert call(db, "sweep_tasks") == 1

    assert status(db, held) == "queued"
    drain(db, a_worker(db))
    assert run_status(db, run_id) == "completed"


def test_a_task_that_starts_later_is_delayed(db: Db) -> None:
    _, (first, after) = start_graph(db, 2, [(0, 1)], details=[{"task": 1, "delay_seconds": 3600}])
    worker = a_worker(db)
    with missed(db, after):
        worker.complete(worker.claim_one())

    assert call(db, "sweep_tasks") == 1

    assert (status(db, first), count(db, "delayed_tasks", "id = %s", after)) == ("completed", 1)


def test_a_task_of_a_cancelled_run_is_cancelled(db: Db) -> None:
    run_id, after = a_task_whose_dependency_ended(db)
    with missed(db, after):
        cancel_run(db, run_id)
    db.execute("delete from tenuto.cancel_requests")

    assert call(db, "sweep_tasks") == 0
    call(db, "sweep_cancelled")

    assert (status(db, after), run_status(db, run_id)) == ("cancelled", "cancelled")


def test_a_limited_task_waits_for_its_limit(db: Db) -> None:
    limits = [{"scope": "key", "key": "one", "size": 1}]
    _, (first, after) = start_graph(db, 2, [(0, 1)], details=[{"task": 1, "limits": limits}])
    worker = a_worker(db)
    with missed(db, after):
        worker.complete(worker.claim_one())

    assert call(db, "sweep_tasks") == 1

    assert (status(db, first), worker.claim_one().task_id) == ("completed", after)


def test_tasks_that_wait_for_something_are_left_alone(db: Db) -> None:
    a_waiting_parent(db, children=2)
    worker = a_worker(db, "other")
    start_graph(db, 3, [(0, 2), (1, 2)])
    worker.complete(*worker.claim(1))
    start_graph(db, 2, [(0, 1)], run={"hold": True})
    start_graph(db, 2, kinds=[{"type": "app.work"}, {"type": "app.after", "handler": "completed"}], task_kinds=[0, 1])
    start_one(db)
    worker.wait(worker.claim(5)[-1], **{"for": "signal", "name": "go"})
    before = {table: count(db, table) for table in ("pending_tasks", "waiting_tasks", "awaited_tasks")}

    assert call(db, "sweep_tasks") == 0

    assert {table: count(db, table) for table in before} == before


def test_tasks_of_a_retry_that_is_not_copied_yet_are_left_alone(db: Db) -> None:
    run_id, _ = start_graph(db, 1001)
    worker = a_worker(db)
    worker.fail(*worker.claim(1), final=True)
    drain(db, worker, limit=500)
    assert run_status(db, run_id) == "failed"
    call(db, "retry_run", org_id=_org(db), run_id=run_id, reuse=False)
    call(db, "advance_requests")
    call(db, "advance_requests")
    assert count(db, "pending_tasks") > 0

    assert call(db, "sweep_tasks", limit=5000) == 0


def test_each_call_continues_behind_the_last_and_begins_again_at_the_end(db: Db) -> None:
    parents = [a_parent_whose_child_ended(db) for _ in range(2)]
    a_waiting_parent(db)
    parents += [a_parent_whose_child_ended(db) for _ in range(1)]

    moved = [call(db, "sweep_tasks", limit=1) for _ in range(5)]

    assert (moved, statuses(db, parents)) == ([1, 1, 0, 1, 0], ["queued"] * 3)
    drain(db, a_worker(db))
    again = a_parent_whose_child_ended(db)
    assert sum(call(db, "sweep_tasks", limit=1) for _ in range(3)) == 1
    assert status(db, again) == "queued"


def test_a_task_that_another_transaction_has_locked_is_left_for_later(db: Db, database: str) -> None:
    _, locked = a_task_whose_dependency_ended(db)
    _, free = a_task_whose_dependency_ended(db)
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.pending_tasks where id = %s for update", [locked])
        assert call(db, "sweep_tasks") == 1
        assert statuses(db, [locked, free]) == ["pending", "queued"]

    assert call(db, "sweep_tasks") == 1
    assert task(db, locked)["status"] == "queued"


@pytest.mark.parametrize("level", LEVELS)
def test_a_sweep_refuses_other_levels(db: Db, level: str) -> None:
    db.execute(f"begin isolation level {level}".encode())
    with pytest.raises(psycopg.Error, match="not possible in a transaction that is"):
        db.execute("select tenuto.sweep_tasks()")
    db.execute("rollback")


def _org(db: Db) -> object:
    row = db.execute("select id from tenuto.orgs where slug = 'default'").fetchone()
    return row and row[0]
