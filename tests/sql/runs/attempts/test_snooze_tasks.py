"""running -> queued, later."""

from dataclasses import replace
from uuid import uuid4

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
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


def test_a_snoozed_task_is_not_claimed_before_its_time(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)

    assert worker.snooze(worker.claim_one(), seconds=30) == ["accepted"]

    assert (status(db, task_id), worker.claim()) == ("queued", [])
    clock.advance(seconds=29)
    assert call(db, "promote_due") == 0
    clock.advance(seconds=1)
    assert call(db, "promote_due") == 1
    assert worker.claim_one().attempt == 2


def test_any_number_of_snoozes_charges_nothing(db: Db) -> None:
    task_id = start_one(db, kind={"max_attempts": 1, "max_losses": 1})
    worker = a_worker(db)
    for _ in range(5):
        worker.snooze(worker.claim_one(), seconds=0)
        call(db, "promote_due")

    assert (task(db, task_id)["failures"], task(db, task_id)["losses"]) == (0, 0)
    assert history(db, task_id) == [(attempt, "snoozed") for attempt in range(1, 6)]


def test_a_run_that_was_claimed_once_stays_running_while_its_task_sleeps(db: Db) -> None:
    run_id = start_one(db)
    worker = a_worker(db)

    worker.snooze(worker.claim_one())

    assert run_status(db, run_id) == "running"


def test_a_negative_time_is_now(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)

    worker.snooze(worker.claim_one(), seconds=-5)

    assert call(db, "promote_due") == 1


def test_each_of_a_batch_sleeps_its_own_time(db: Db, clock: Clock) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    one, two = worker.claim(2)

    call(db, "snooze_tasks", **worker.fence, task_ids=[one.task_id, two.task_id], attempts=[1, 1], seconds=[5.0, 50.0])

    clock.advance(seconds=5)
    call(db, "promote_due")
    assert [claim.task_id for claim in worker.claim(5)] == [one.task_id]


def test_a_task_asked_to_stop_is_cancelled_instead(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)

    assert worker.snooze(held) == ["accepted"]

    assert status(db, task_id) == "cancelled"


def test_late_and_duplicate_reports_are_answered_and_change_nothing(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    worker.snooze(held, seconds=0)
    call(db, "promote_due")
    worker.claim_one()

    assert worker.snooze(held, replace(held, task_id=uuid4())) == ["already_accepted", "stale_lease"]

    assert (status(db, task_id), task(db, task_id)["attempt"]) == ("running", 1)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 1e12])
def test_a_time_that_never_comes_is_refused(db: Db, seconds: float) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with pytest.raises(InvalidInput, match="seconds"):
        worker.snooze(held, seconds=seconds)

    assert status(db, task_id) == "running"
