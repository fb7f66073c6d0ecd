"""queued -> running, for one task by its id."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync
from tenuto.model.errors import SessionEnded
from tests.support.clock import Clock
from tests.support.database.starts import start_run
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    Worker,
    a_worker,
    call,
    start,
    start_graph,
    start_one,
    status,
    task,
)


def claim_task(worker: Worker, task_id: UUID) -> str:
    worker.claim_no += 1
    (row,) = call_sync(worker.db, "claim_task", **worker.fence, claim_no=worker.claim_no, task_id=task_id)
    return row["result"]


def claimed(worker: Worker, task_id: UUID) -> dict[str, Any]:
    """The whole answer, spread out."""
    worker.claim_no += 1
    row = worker.db.execute(
        "select result, (task).task_id, (task).attempt, (task).input, (task).slots "
        "from tenuto.claim_task(%s, %s, %s, %s)",
        [worker.session_id, worker.token, worker.claim_no, task_id],
    ).fetchone()
    assert row
    return dict(zip(("result", "task_id", "attempt", "input", "slots"), row, strict=True))


def test_the_task_is_claimed_by_its_id_whatever_waits_in_front(db: Db) -> None:
    tasks = start(db, "a", "b", "c")
    worker = a_worker(db)

    answer = claimed(worker, tasks[1])

    assert answer == {"result": "claimed", "task_id": tasks[1], "attempt": 1, "input": "b", "slots": None}
    assert (status(db, tasks[1]), task(db, tasks[1])["worker_id"]) == ("running", "w")
    assert len(worker.claim(5)) == 2


def test_its_slots_are_delivered(db: Db) -> None:
    run_id, _ = start_run(db, details=[{"task": 0, "slots": [{"type": "int", "value": 4}]}])

    assert claimed(a_worker(db), run_id)["slots"] == [4]


def test_a_claimed_task_can_be_completed_under_its_fence(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    claim_task(worker, task_id)

    (row,) = call(db, "complete_tasks", **worker.fence, task_ids=[task_id], attempts=[1])

    assert row["result"] == "accepted"


def test_a_task_that_runs_is_already_running_for_whoever_asks(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    claim_task(worker, task_id)

    assert [claim_task(each, task_id) for each in (worker, a_worker(db, "other"))] == ["already_running"] * 2

    assert task(db, task_id)["attempt"] == 1


@pytest.mark.parametrize("end", ["completed", "failed", "cancelled"])
def test_a_final_task_answers_its_end(db: Db, end: str) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    if end == "cancelled":
        call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)
    elif end == "failed":
        worker.fail(worker.claim_one(), final=True)
    else:
        worker.complete(worker.claim_one())

    assert claim_task(worker, task_id) == end


def test_a_skipped_task_answers_so(db: Db) -> None:
    _, tasks = start_graph(db, 2, [(0, 1, "failed")])
    worker = a_worker(db)
    worker.complete(worker.claim_one())

    assert claim_task(worker, tasks[1]) == "skipped"


def test_what_is_not_due_says_so(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    (delayed,) = start(db, 1, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    _, (first, pending) = start_graph(db, 2, [(0, 1)])
    assert claim_task(worker, first) == "claimed"
    retrying, waiting, paused = start_one(db), start_one(db), start_one(db, kind={"queue": "mail"})
    for task_id in (retrying, waiting):
        assert claim_task(worker, task_id) == "claimed"
    call(db, "fail_tasks", **worker.fence, task_ids=[retrying], attempts=[1], errors=[Jsonb("x")])
    wait = Jsonb({"for": "time", "seconds": 9})
    call(db, "wait_tasks", **worker.fence, task_ids=[waiting], attempts=[1], waits=[wait])
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="mail")

    assert {claim_task(worker, each) for each in (delayed, pending, retrying, waiting, paused)} == {"not_due"}

    clock.advance(minutes=1)
    call(db, "promote_due")
    assert claim_task(worker, delayed) == "claimed"


def test_a_group_at_its_quota_gives_no_more_by_id_either(db: Db) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="small", quota=1)
    first, second = start(db, 1, 2, group="small")
    worker = a_worker(db)

    assert [claim_task(worker, first), claim_task(worker, second)] == ["claimed", "not_due"]


def test_an_unknown_task_and_another_orgs_task_are_not_found(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    theirs = start_one(db, org_id=other)
    worker = a_worker(db)

    assert [claim_task(worker, each) for each in (uuid4(), theirs)] == ["not_found"] * 2

    assert status(db, theirs) == "queued"


def test_a_draining_worker_is_not_allowed_and_an_ended_session_is_refused(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="w")

    assert claim_task(worker, task_id) == "not_allowed"

    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")
    with pytest.raises(SessionEnded):
        claim_task(worker, task_id)
    assert status(db, task_id) == "queued"
