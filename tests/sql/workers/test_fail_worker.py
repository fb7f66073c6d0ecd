"""any open state -> error: the worker is broken, its session ends."""

import pytest

from tenuto.model.errors import Conflict, SessionEnded
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, history, start_one
from tests.support.database.workers import STATES, a_worker_that_is, session_ends, worker_row


def fail_worker(db: Db, **values: object) -> None:
    call(db, "fail_worker", **{"org_id": DEFAULT_ORG, "worker_id": "w", "error": "CUDA out of memory", **values})


def test_a_failed_worker_can_neither_beat_nor_claim_and_says_why(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)

    fail_worker(db)

    for call_again in (worker.beat, worker.claim):
        with pytest.raises(SessionEnded):
            call_again()
    assert (worker_row(db)["status"], worker_row(db)["error"]) == ("error", "CUDA out of memory")
    assert session_ends(db) == ["failed"]


def test_what_it_held_is_given_back_as_a_loss(db: Db) -> None:
    task_id = start_one(db)
    a_worker(db).claim_one()

    fail_worker(db)
    call(db, "expire_attempts")

    assert history(db, task_id) == [(1, "lost")]


@pytest.mark.parametrize("state", [state for state in STATES if state != "terminated"])
def test_every_open_worker_can_fail_and_the_last_error_stays(db: Db, state: str) -> None:
    a_worker_that_is(db, state)

    fail_worker(db, error="disk full")

    assert (worker_row(db)["status"], worker_row(db)["error"]) == ("error", "disk full")


def test_a_terminated_worker_cannot_fail(db: Db) -> None:
    a_worker_that_is(db, "terminated")

    with pytest.raises(Conflict, match="worker w is not starting, active or draining"):
        fail_worker(db)

    assert worker_row(db)["status"] == "terminated"


def test_a_worker_of_another_org_cannot_be_failed(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    worker = a_worker(db)

    with pytest.raises(Conflict):
        fail_worker(db, org_id=other)

    worker.beat()
