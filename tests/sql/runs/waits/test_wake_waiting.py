"""waiting -> queued: tasks whose time has come, or whose wait timed out."""

import psycopg
import pytest

from tests.support.clock import Clock
from tests.support.database.loops import cancel_task, count
from tests.support.database.tasks import a_worker, call, history, start, start_one, status, statuses


def test_a_sleeping_task_wakes_when_its_time_has_come(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db, lease="1 day")
    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 60})

    clock.advance(seconds=59)
    assert call(db, "wake_waiting") == 0
    assert status(db, task_id) == "waiting"
    clock.advance(seconds=1)
    assert call(db, "wake_waiting") == 1

    worker.complete(worker.claim_one())
    assert history(db, task_id) == [(1, "waiting"), (2, "completed")]


def test_waiting_costs_nothing_of_the_budget(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db, lease="1 day")
    for _ in range(5):
        worker.wait(worker.claim_one(), **{"for": "time", "seconds": 1})
        clock.advance(seconds=1)
        call(db, "wake_waiting")

    assert worker.complete(worker.claim_one()) == ["accepted"]
    assert status(db, task_id) == "completed"


def test_a_wait_for_a_signal_times_out(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db, lease="1 day")
    worker.wait(worker.claim_one(), **{"for": "signal", "name": "go", "timeout_seconds": 30})

    clock.advance(seconds=30)
    assert call(db, "wake_waiting") == 1

    assert status(db, task_id) == "queued"


def test_a_wait_for_children_that_times_out_leaves_no_note(db: psycopg.Connection, clock: Clock) -> None:
    parent = start_one(db)
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    children = worker.start_children(held, 1, 2)
    worker.wait(held, **{"for": "children", "tasks": [str(c) for c in children], "timeout_seconds": 30})
    assert count(db, "awaited_tasks") == 2

    clock.advance(seconds=30)
    assert call(db, "wake_waiting") == 1

    assert count(db, "awaited_tasks") == 0
    claims = worker.claim(3)
    assert {claim.task_id for claim in claims} == {parent, *children}
    assert worker.complete(*claims) == ["accepted"] * 3


def test_a_parent_that_timed_out_can_wait_for_the_same_children_again(db: psycopg.Connection, clock: Clock) -> None:
    parent = start_one(db)
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    (child,) = worker.start_children(held, 1)
    wait = {"for": "children", "tasks": [str(child)], "timeout_seconds": 30}
    worker.wait(held, **wait)
    running_child = worker.claim_one()
    clock.advance(seconds=30)
    call(db, "wake_waiting")
    worker.wait(worker.claim_one(), **wait)

    worker.complete(running_child)

    assert status(db, parent) == "queued"
    assert count(db, "awaited_tasks") == 0


@pytest.mark.parametrize("wait", [{"for": "signal", "name": "go"}, {"for": "children", "tasks": []}])
def test_a_wait_without_a_timeout_is_never_woken_by_time(
    db: psycopg.Connection, clock: Clock, wait: dict[str, object]
) -> None:
    start_one(db)
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    if wait["for"] == "children":
        wait = {**wait, "tasks": [str(child) for child in worker.start_children(held, 1)]}
    worker.wait(held, **wait)
    clock.advance(days=1000)

    assert call(db, "wake_waiting") == 0


def test_those_waiting_longest_wake_first_and_no_more_than_asked_for(db: psycopg.Connection, clock: Clock) -> None:
    tasks = start(db, 1, 2, 3)
    worker = a_worker(db, lease="1 day")
    for seconds, held in zip((30, 10, 20), worker.claim(3), strict=True):
        worker.wait(held, **{"for": "time", "seconds": seconds})
    clock.advance(minutes=1)

    assert call(db, "wake_waiting", limit=2) == 2

    assert statuses(db, tasks) == ["waiting", "queued", "queued"]
    assert [claim.task_id for claim in worker.claim(3)] == [tasks[1], tasks[2]]


def test_a_cancelled_sleeper_does_not_wake(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db, lease="1 day")
    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 1})
    cancel_task(db, task_id)
    clock.advance(minutes=1)

    assert call(db, "wake_waiting") == 0
    assert status(db, task_id) == "cancelled"
