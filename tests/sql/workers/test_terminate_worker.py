"""any -> terminated."""

import pytest

from tenuto.model.errors import NotFound, SessionEnded
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, history, start_one
from tests.support.database.workers import STATES, a_worker_that_is, session_ends, worker_row


def terminate_worker(db: Db, **values: object) -> None:
    call(db, "terminate_worker", **{"org_id": DEFAULT_ORG, "worker_id": "w", **values})


@pytest.mark.parametrize("state", STATES)
def test_a_worker_in_any_state_can_be_terminated(db: Db, clock: Clock, state: str) -> None:
    a_worker_that_is(db, state)

    terminate_worker(db)

    assert (worker_row(db)["status"], worker_row(db)["terminated_at"]) == ("terminated", clock.now)


def test_a_terminated_worker_can_neither_beat_nor_claim(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)

    terminate_worker(db)

    for call_again in (worker.beat, worker.claim):
        with pytest.raises(SessionEnded):
            call_again()
    assert session_ends(db) == ["terminated"]


def test_what_it_held_can_be_completed_until_the_reaper_comes(db: Db) -> None:
    kept, lost = start_one(db), start_one(db)
    worker = a_worker(db)
    held = {claim.task_id: claim for claim in worker.claim(2)}

    terminate_worker(db)

    assert worker.complete(held[kept]) == ["accepted"]
    call(db, "expire_attempts")
    assert worker.complete(held[lost]) == ["stale_lease"]
    assert history(db, lost) == [(1, "lost")]


def test_terminating_twice_keeps_the_first_time_and_reason(db: Db, clock: Clock) -> None:
    a_worker(db)
    terminate_worker(db)
    first = clock.now
    clock.advance(minutes=1)

    terminate_worker(db)

    assert worker_row(db)["terminated_at"] == first
    assert session_ends(db) == ["terminated"]


def test_a_worker_that_is_not_there_or_of_another_org_is_not_found(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    worker = a_worker(db)

    for wrong in ({"worker_id": "nobody"}, {"org_id": other}):
        with pytest.raises(NotFound):
            terminate_worker(db, **wrong)

    worker.beat()
