"""A worker says goodbye."""

from uuid import uuid4

import pytest

from tenuto.model.errors import SessionEnded
from tests.support.clock import Clock
from tests.support.database.tasks import Db, a_worker, call, history, start_one
from tests.support.database.workers import session_ends, worker_row


def test_a_closed_session_is_over_and_its_worker_terminated(db: Db, clock: Clock) -> None:
    worker = a_worker(db)

    call(db, "close_session", **worker.fence)

    assert (worker_row(db)["status"], worker_row(db)["terminated_at"]) == ("terminated", clock.now)
    assert session_ends(db) == ["closed"]
    with pytest.raises(SessionEnded):
        worker.beat()


def test_what_it_still_held_is_given_back(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()

    call(db, "close_session", **worker.fence)
    call(db, "expire_attempts")

    assert history(db, task_id) == [(1, "lost")]


def test_closing_twice_changes_nothing(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    call(db, "close_session", **worker.fence)
    before = worker_row(db)
    clock.advance(minutes=1)

    call(db, "close_session", **worker.fence)

    assert worker_row(db) == before


def test_a_late_goodbye_of_an_old_life_does_not_touch_the_new_one(db: Db) -> None:
    old = a_worker(db)
    new = a_worker(db)

    call(db, "close_session", **old.fence)

    new.beat()
    assert worker_row(db)["status"] == "active"
    assert session_ends(db) == ["replaced", None]


def test_a_wrong_token_closes_nothing(db: Db) -> None:
    worker = a_worker(db)

    call(db, "close_session", session_id=worker.session_id, token=uuid4())

    worker.beat()
    assert worker_row(db)["status"] == "active"
