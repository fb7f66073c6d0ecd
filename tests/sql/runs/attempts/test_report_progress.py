"""The user code of running attempts says that it is alive, and how far it is."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.loops import run, settle
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Db,
    Worker,
    a_worker,
    a_worker_with,
    call,
    start,
    start_graph,
    start_one,
    status,
    task,
)


def report(worker: Worker, *claims: Claim, **said: Any) -> dict[UUID, str]:
    rows = call(
        worker.db,
        "report_progress",
        **worker.fence,
        task_ids=[claim.task_id for claim in claims],
        attempts=[claim.attempt for claim in claims],
        **said,
    )
    return {row["task_id"]: row["result"] for row in rows}


def shown(db: Db, task_id: UUID) -> tuple[float | None, str | None]:
    row = task(db, task_id)
    return row["progress"], row["message"]


def test_progress_is_shown_and_an_attempt_that_is_fine_is_not_answered(db: Db) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    one, two = worker.claim(2)

    assert report(worker, one, two, progress=[0.25, 0.5], messages=["reading", None]) == {}

    assert shown(db, one.task_id) == (0.25, "reading")
    assert shown(db, two.task_id) == (0.5, None)


def test_what_is_not_said_stays_as_it_was(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    report(worker, held, progress=[0.25], messages=["reading"])

    report(worker, held)
    assert shown(db, held.task_id) == (0.25, "reading")
    report(worker, held, progress=[0.75])
    assert shown(db, held.task_id) == (0.75, "reading")


def test_progress_breaks_the_silence_that_would_end_the_attempt(db: Db, clock: Clock) -> None:
    start_one(db, kind={"heartbeat_timeout_seconds": 10})
    worker = a_worker(db)
    held = worker.claim_one()
    for _ in range(3):
        clock.advance(seconds=9)
        report(worker, held)
        assert call(db, "expire_deadlines") == 0

    clock.advance(seconds=11)
    worker.beat(held)

    assert call(db, "expire_deadlines") == 1


@pytest.mark.parametrize("end", ["wait", "fail", "lose", "snooze", "interrupt", "block"])
def test_progress_is_shown_until_the_next_attempt_reports_its_own(db: Db, clock: Clock, end: str) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    report(worker, held, progress=[0.5], messages=["half"])

    worker.wait(held, **{"for": "time", "seconds": 5}) if end == "wait" else getattr(worker, end)(held)

    assert shown(db, held.task_id) == (0.5, "half")
    clock.advance(minutes=5)
    next_worker = a_worker_with(db, "other code", "next")
    for loop in ("wake_waiting", "promote_due", "unblock_tasks"):
        call(db, loop)
    again = next_worker.claim_one()
    assert shown(db, held.task_id) == (0.5, "half")
    report(next_worker, again, progress=[0.75])
    assert shown(db, held.task_id) == (0.75, None)
    next_worker.complete(again)
    assert shown(db, held.task_id) == (None, None)


def test_a_run_shows_what_its_tasks_reported(db: Db) -> None:
    run_id, _ = start_graph(db, 4)
    worker = a_worker(db)
    done, waiting, running, _ = worker.claim(4)
    report(worker, waiting, running, progress=[0.5, 0.25], messages=["half", "a quarter"])
    worker.complete(done)
    worker.wait(waiting, **{"for": "signal", "name": "go"})
    settle(db)

    seen = run(db, run_id)

    assert (seen["fraction"], seen["message"]) == ((1 + 0.5 + 0.25) / 4, "half")


@pytest.mark.parametrize("wrong", ["attempt", "task", "session", "token"])
def test_whoever_does_not_hold_the_attempt_is_told_and_changes_nothing(db: Db, wrong: str) -> None:
    start_one(db)
    worker, other = a_worker(db), a_worker(db, "other")
    held = worker.claim_one()
    claim = {"attempt": replace(held, attempt=2), "task": replace(held, task_id=uuid4())}.get(wrong, held)
    if wrong == "token":
        worker.fence["token"] = uuid4()

    answer = report(other if wrong == "session" else worker, claim, progress=[0.9])

    assert answer == {claim.task_id: "stale_lease"}
    assert shown(db, held.task_id) == (None, None)


def test_an_attempt_asked_to_stop_is_told_and_its_progress_is_kept(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=held.run_id)

    assert report(worker, held, progress=[0.9]) == {held.task_id: "cancelled"}

    assert shown(db, held.task_id) == (pytest.approx(0.9), None)


def test_an_attempt_that_ended_is_stale(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    worker.complete(held)

    assert report(worker, held) == {held.task_id: "stale_lease"}
    assert status(db, held.task_id) == "completed"


def test_a_long_message_is_cut(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    report(worker, held, messages=["m" * 5000])

    assert len(shown(db, held.task_id)[1] or "") == 1024


def test_a_batch_that_does_not_fit_together_is_refused(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with pytest.raises(InvalidInput, match="each task needs one of each"):
        call(db, "report_progress", **worker.fence, task_ids=[held.task_id], attempts=[])
