"""running -> waiting: for children, a signal or a time."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Db,
    Worker,
    a_worker,
    call,
    drain,
    history,
    run_status,
    start_one,
    status,
    task,
)


@pytest.fixture
def parent(db: Db, worker: Worker) -> Claim:
    start_one(db, kind={"type": "app.parent", "max_attempts": 1})
    return worker.claim_one()


def await_children(worker: Worker, parent: Claim, children: list[Any], **more: float) -> str:
    return worker.wait(parent, **{"for": "children", "tasks": [str(child) for child in children], **more})


def claim_of(worker: Worker, task_id: object) -> Claim:
    claims = worker.claim(10)
    worker.interrupt(*[claim for claim in claims if claim.task_id != task_id])
    (claim,) = [claim for claim in claims if claim.task_id == task_id]
    return claim


def test_a_waiting_parent_is_woken_by_its_last_child(db: Db, worker: Worker, parent: Claim) -> None:
    children = worker.start_children(parent, 1, 2, 3)

    assert await_children(worker, parent, children) == "accepted"

    assert (status(db, parent.task_id), task(db, parent.task_id)["waits_for"]) == ("waiting", "children")
    claims = worker.claim(10)
    assert sorted(claim.task_id for claim in claims) == sorted(children)
    worker.complete(*claims[:2])
    assert status(db, parent.task_id) == "waiting"
    worker.complete(claims[2])
    woken = worker.claim_one()
    assert (woken.task_id, woken.attempt) == (parent.task_id, 2)
    worker.complete(woken)
    assert run_status(db, parent.run_id) == "completed"


def test_waiting_charges_nothing_and_ends_the_attempt(db: Db, worker: Worker, parent: Claim, clock: Clock) -> None:
    worker.wait(parent, **{"for": "time", "seconds": 5})

    row = task(db, parent.task_id)
    assert (row["failures"], row["losses"], row["worker_id"]) == (0, 0, None)
    assert history(db, parent.task_id) == [(1, "waiting")]
    assert worker.beat(parent)["lost"] == [parent.task_id]
    assert worker.complete(parent) == ["stale_lease"]
    assert run_status(db, parent.run_id) == "running"


def test_a_waiting_task_is_not_lost_with_its_worker(db: Db, worker: Worker, parent: Claim, clock: Clock) -> None:
    worker.wait(parent, **{"for": "signal", "name": "go"})
    clock.advance(minutes=5)
    call(db, "expire_sessions")

    assert call(db, "expire_attempts") == 0

    assert status(db, parent.task_id) == "waiting"


def test_a_parent_may_wait_for_some_of_its_children(db: Db, worker: Worker, parent: Claim) -> None:
    awaited, other = worker.start_children(parent, 1, 2)
    await_children(worker, parent, [awaited])

    worker.complete(claim_of(worker, other))
    assert status(db, parent.task_id) == "waiting"
    worker.complete(claim_of(worker, awaited))

    assert status(db, parent.task_id) == "queued"


@pytest.mark.parametrize("end", ["failed", "cancelled"])
def test_a_child_that_fails_or_is_cancelled_wakes_its_parent_too(
    db: Db, worker: Worker, parent: Claim, end: str
) -> None:
    (child,) = worker.start_children(parent, 1)
    await_children(worker, parent, [child])

    if end == "failed":
        worker.fail(worker.claim_one(), final=True)
    else:
        call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=child)

    assert (status(db, child), status(db, parent.task_id)) == (end, "queued")


def test_children_that_ended_already_do_not_keep_it_waiting(db: Db, worker: Worker, parent: Claim) -> None:
    done, open_child = worker.start_children(parent, 1, 2)
    worker.complete(claim_of(worker, done))

    await_children(worker, parent, [done, open_child, done])
    assert status(db, parent.task_id) == "waiting"
    worker.complete(worker.claim_one())

    assert status(db, parent.task_id) == "queued"


def test_a_parent_whose_children_have_all_ended_is_queued_at_once(db: Db, worker: Worker, parent: Claim) -> None:
    children = worker.start_children(parent, 1, 2)
    worker.complete(*worker.claim(5))

    assert await_children(worker, parent, children) == "accepted"

    assert status(db, parent.task_id) == "queued"
    assert history(db, parent.task_id) == [(1, "waiting")]


def test_strangers_among_the_children_are_not_waited_for(db: Db, worker: Worker, parent: Claim) -> None:
    stranger = start_one(db)

    await_children(worker, parent, [stranger, uuid4()])

    assert status(db, parent.task_id) == "queued"


def test_a_wait_for_children_can_time_out_and_later_ends_do_no_harm(
    db: Db, worker: Worker, parent: Claim, clock: Clock
) -> None:
    children = worker.start_children(parent, 1)
    await_children(worker, parent, children, timeout_seconds=30)
    clock.advance(seconds=29)
    assert call(db, "wake_waiting") == 0

    clock.advance(seconds=1)
    assert call(db, "wake_waiting") == 1
    assert status(db, parent.task_id) == "queued"
    worker.beat()

    assert drain(db, worker) == 2
    assert run_status(db, parent.run_id) == "completed"


def test_a_signal_wakes_the_task_that_waits_for_it(db: Db, worker: Worker, parent: Claim) -> None:
    worker.wait(parent, **{"for": "signal", "name": "go"})
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=parent.run_id, name="stop")
    assert (status(db, parent.task_id), task(db, parent.task_id)["waits_for"]) == ("waiting", "signal")

    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=parent.run_id, name="go")

    assert status(db, parent.task_id) == "queued"


def test_a_signal_that_is_there_already_is_not_missed(db: Db, worker: Worker, parent: Claim) -> None:
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=parent.run_id, name="go")

    worker.wait(parent, **{"for": "signal", "name": "go"})

    assert status(db, parent.task_id) == "queued"


def test_a_wait_for_a_signal_can_time_out(db: Db, worker: Worker, parent: Claim, clock: Clock) -> None:
    worker.wait(parent, **{"for": "signal", "name": "go", "timeout_seconds": 10})
    clock.advance(seconds=10)

    assert call(db, "wake_waiting") == 1

    assert status(db, parent.task_id) == "queued"


def test_a_time_that_has_come_wakes_the_task(db: Db, worker: Worker, parent: Claim, clock: Clock) -> None:
    worker.wait(parent, **{"for": "time", "seconds": 3600})
    assert (task(db, parent.task_id)["wake_at"] - clock.now).total_seconds() == 3600
    clock.advance(seconds=3599)
    assert call(db, "wake_waiting") == 0

    clock.advance(seconds=1)

    assert call(db, "wake_waiting") == 1
    assert a_worker(db).claim_one().attempt == 2


def test_a_task_asked_to_stop_is_cancelled_instead_of_waiting(db: Db, worker: Worker, parent: Claim) -> None:
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=parent.run_id)

    assert worker.wait(parent, **{"for": "signal", "name": "go"}) == "accepted"

    assert status(db, parent.task_id) == "cancelled"


def test_late_and_duplicate_waits_are_answered_and_change_nothing(db: Db, worker: Worker, parent: Claim) -> None:
    wait = {"for": "signal", "name": "go"}
    worker.wait(parent, **wait)

    assert worker.wait(parent, **wait) == "already_accepted"
    assert worker.wait(replace(parent, attempt=2), **wait) == "stale_lease"
    assert a_worker(db, "other").wait(parent, **wait) == "stale_lease"

    assert status(db, parent.task_id) == "waiting"


@pytest.mark.parametrize(
    "wait",
    [
        {},
        {"for": None},
        {"for": "godot"},
        {"for": "signal"},
        {"for": "signal", "name": ""},
        {"for": "signal", "name": "n" * 257},
        {"for": "signal", "nmae": "go"},
        {"for": "time"},
        {"for": "time", "seconds": "NaN"},
        {"for": "time", "seconds": "Infinity"},
        {"for": "time", "seconds": 1e12},
        {"for": "time", "seconds": "soon"},
        {"for": "children", "tasks": "all"},
        {"for": "children", "tasks": [1]},
        {"for": "children", "tasks": [], "timeout_seconds": "NaN"},
    ],
    ids=str,
)
def test_a_wait_that_nothing_could_end_is_refused_and_the_task_stays_running(
    db: Db, worker: Worker, parent: Claim, wait: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        worker.wait(parent, **wait)

    assert status(db, parent.task_id) == "running"
