"""find_fence and get_held_task: what a capability token and a worker key reach, and only while the attempt is held."""

from typing import Any

import pytest

from tenuto.model.errors import NotFound, StaleLease
from tests.support.database.loops import an_org
from tests.support.database.remote_workers import a_remote_worker
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call, start, start_one
from tests.support.database.users import a_key_id, a_worker_key


def fence(db: Db, worker: Worker, task_id: object, attempt: int = 1, **more: object) -> dict:
    (row,) = call(
        db,
        "find_fence",
        **{"org_id": worker.org_id, "task_id": task_id, "attempt": attempt, "session_id": worker.session_id, **more},
    )
    return row


def test_a_held_attempt_leads_to_its_sessions_token(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()

    assert fence(db, worker, task_id) == {"token": worker.token, "cancelled": False}
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)
    assert fence(db, worker, task_id)["cancelled"] is True


def test_an_attempt_that_was_taken_back_or_ended_is_stale(db: Db) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    lost, done = worker.claim(2)
    worker.complete(done)
    worker.beat(settled=worker.claim_no)

    for claim in (lost, done):
        with pytest.raises(StaleLease, match="no longer held"):
            fence(db, worker, claim.task_id)


def test_who_repeats_an_end_still_finds_the_session(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    done = worker.claim_one()
    worker.complete(done)

    assert fence(db, worker, done.task_id, held=False) == {"token": worker.token, "cancelled": False}


def test_another_attempt_session_or_org_is_stale(db: Db) -> None:
    task_id = start_one(db)
    worker, other = a_worker(db), a_worker(db, "other")
    worker.claim_one()

    wrongs: tuple[dict[str, Any], ...] = (
        {"attempt": 2},
        {"session_id": other.session_id},
        {"org_id": an_org(db, "acme")},
        {"session_id": 10**9},
    )
    for wrong in wrongs:
        with pytest.raises(StaleLease):
            fence(db, worker, task_id, **wrong)


def test_a_held_task_is_shown_to_the_key_that_holds_it_and_to_no_other(db: Db) -> None:
    (task_id,) = start(db, {"x": 1})
    worker = a_remote_worker(db)
    worker.exchange()

    (row,) = call(db, "get_held_task", org_id=DEFAULT_ORG, task_id=task_id, worker_key_id=worker.key)
    assert row["failures"] == 0
    assert (row["attempt"], row["session_id"], row["input"], row["type"]) == (
        1,
        worker.session_id,
        {"x": 1},
        "app.work",
    )

    for wrong in ({"worker_key_id": a_worker_key(db, a_key_id())}, {"org_id": an_org(db, "acme")}):
        with pytest.raises(NotFound):
            call(db, "get_held_task", **{"org_id": DEFAULT_ORG, "task_id": task_id, **wrong})


def test_a_task_that_nobody_holds_is_not_shown(db: Db) -> None:
    with pytest.raises(NotFound):
        call(db, "get_held_task", org_id=DEFAULT_ORG, task_id=start_one(db))
