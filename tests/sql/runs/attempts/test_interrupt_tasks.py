"""running -> queued: the worker stops before the task is done."""

from dataclasses import replace
from uuid import uuid4

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.database.limits import a_key, start_limited
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    a_worker,
    call,
    history,
    run_status,
    start,
    start_one,
    status,
    task,
)


def test_an_interrupted_task_can_be_claimed_at_once_by_another(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)

    assert worker.interrupt(worker.claim_one()) == ["accepted"]

    assert status(db, task_id) == "queued"
    claim = a_worker(db, "other").claim_one()
    assert (claim.task_id, claim.attempt) == (task_id, 2)


def test_a_rolling_restart_costs_a_task_nothing(db: Db) -> None:
    task_id = start_one(db, kind={"max_attempts": 1, "max_losses": 1})
    for number in range(5):
        worker = a_worker(db, f"w{number}")
        worker.interrupt(worker.claim_one())
        call(db, "close_session", **worker.fence)
        call(db, "expire_attempts")

    assert (task(db, task_id)["failures"], task(db, task_id)["losses"]) == (0, 0)
    assert history(db, task_id) == [(attempt, "interrupted") for attempt in range(1, 6)]
    assert run_status(db, task_id) == "running"


def test_a_draining_worker_can_give_back_what_it_holds(db: Db) -> None:
    start(db, 1, 2, 3)
    worker = a_worker(db)
    held = worker.claim(3)
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="w")

    assert worker.interrupt(*held) == ["accepted"] * 3

    assert len(a_worker(db, "other").claim(5)) == 3


def test_a_task_asked_to_stop_is_cancelled_instead(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)

    assert worker.interrupt(held) == ["accepted"]

    assert status(db, task_id) == "cancelled"


def test_late_and_duplicate_reports_are_answered_and_change_nothing(db: Db) -> None:
    task_id = start_one(db)
    worker, other = a_worker(db), a_worker(db, "other")
    held = worker.claim_one()
    worker.interrupt(held)
    other.claim_one()

    assert worker.interrupt(held, replace(held, task_id=uuid4())) == ["already_accepted", "stale_lease"]
    assert worker.complete(replace(held, attempt=2)) == ["stale_lease"]

    assert (status(db, task_id), task(db, task_id)["worker_id"]) == ("running", "other")


def test_a_batch_that_does_not_fit_together_is_refused(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()

    with pytest.raises(InvalidInput, match="each task needs one of each"):
        call(db, "interrupt_tasks", **worker.fence, task_ids=[task_id], attempts=[1, 1])

    assert status(db, task_id) == "running"


def test_what_is_given_back_keeps_its_place_in_its_lane(db: Db) -> None:
    start(db, *range(10))
    worker, other = a_worker(db), a_worker(db, "other")
    held = worker.claim(6)
    call(db, "move_floors")  # the floor has passed what is held

    worker.interrupt(*held[4:], held[1])  # in whatever order
    worker.beat(*[held[0], *held[2:4]], settled=worker.claim_no)

    assert [other.claim_one().input for _ in range(7)] == [1, 4, 5, 6, 7, 8, 9]


def test_what_a_worker_forgot_keeps_its_place_too(db: Db) -> None:
    start(db, *range(4))
    worker = a_worker(db)
    worker.claim(2)
    call(db, "move_floors")

    worker.beat(settled=worker.claim_no)

    other = a_worker(db, "other")
    assert [other.claim_one().input for _ in range(4)] == [0, 1, 2, 3]


def test_a_limited_task_that_is_given_back_keeps_its_slot_before_those_in_line(db: Db) -> None:
    first, _ = start_limited(db, 2, a_key("db", 1))
    worker = a_worker(db)
    held = worker.claim_one()

    worker.interrupt(held)

    again = a_worker(db, "other").claim(2)
    assert [claim.task_id for claim in again] == [first]
    assert a_worker(db, "third").claim(2) == []


def test_giving_back_wakes_the_workers_of_its_queues_and_no_others(db: Db) -> None:
    start_one(db, kind={"queue": "mail"})
    worker = a_worker(db)
    held = worker.claim_one()
    db.execute("listen tenuto_ready")

    worker.interrupt(held)

    assert [note.payload for note in db.notifies(timeout=60, stop_after=1)] == ["mail"]


def test_an_attempt_from_before_places_were_kept_goes_to_the_end(db: Db) -> None:
    start(db, 1, 2, 3)
    worker = a_worker(db)
    held = worker.claim(2)
    db.execute("update tenuto.running_tasks set seq = null")

    worker.interrupt(*held)

    other = a_worker(db, "other")
    assert [other.claim_one().input for _ in range(3)] == [3, 1, 2]
