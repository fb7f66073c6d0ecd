"""Tasks whose claim raises an error are postponed."""

from typing import Any

import psycopg
import pytest

from tenuto.model.errors import SessionEnded
from tests.support.clock import Clock
from tests.support.database.invariants import assert_invariants
from tests.support.database.limits import a_key, start_limited, used
from tests.support.database.loops import promote
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call, start, start_one, status
from tests.support.faults.failing_rows import cure, poison


def postpone(worker: Worker, limit: int = 10) -> list[dict[str, Any]]:
    return call(worker.db, "postpone_unclaimable", **worker.fence, routes=worker.routes(), limit=limit)


def test_the_task_that_raises_is_postponed_and_the_others_keep_their_places(db: Db) -> None:
    tasks = start(db, "a", "b", "c", "d")
    poison(db, "running_tasks", tasks[1], on="insert", column="id")
    worker = a_worker(db)
    with pytest.raises(psycopg.errors.DataCorrupted):
        worker.claim(4)

    postponed = postpone(worker)

    row = {"task_id": tasks[1], "org_id": DEFAULT_ORG, "run_id": tasks[1], "error": "poisoned row"}
    assert postponed == [row]
    assert [status(db, task) for task in tasks] == ["queued"] * 4
    assert [claim.input for claim in worker.claim(4)] == ["a", "c", "d"]
    assert postpone(worker) == []
    assert_invariants(db)


def test_it_becomes_ready_after_the_pause_and_can_be_claimed_once_it_is_repaired(db: Db, clock: Clock) -> None:
    task = start_one(db)
    poison(db, "running_tasks", task, on="insert", column="id")
    worker = a_worker(db)
    postpone(worker)
    cure(db, "running_tasks")

    assert promote(db, clock, seconds=59) == 0
    assert promote(db, clock, seconds=2) == 1
    assert [claim.attempt for claim in worker.claim(1)] == [1]


def test_tasks_that_can_be_claimed_stay_ready_and_unclaimed(db: Db) -> None:
    tasks = start(db, "a", "b")
    worker = a_worker(db)

    assert postpone(worker) == []

    assert [status(db, task) for task in tasks] == ["queued", "queued"]
    assert len(worker.claim(2)) == 2


def test_a_postponed_task_frees_its_slot_of_a_limit(db: Db) -> None:
    first, _ = start_limited(db, 2, a_key("stripe", 1))
    poison(db, "running_tasks", first, on="insert", column="id")
    worker = a_worker(db)

    assert [row["task_id"] for row in postpone(worker)] == [first]

    assert used(db, "stripe") == 1
    assert len(worker.claim(2)) == 1
    assert_invariants(db)


def test_tasks_that_cannot_be_removed_from_their_lane_are_passed_over(db: Db) -> None:
    tasks = start(db, *"abcdef")
    db.execute("create table tenuto.damaged as select unnest(%s::uuid[]) as id", [[tasks[1], tasks[3]]])
    does = "if old.id in (select id from tenuto.damaged) then raise exception 'poisoned row'; end if; return old"
    poison(db, "ready_tasks", DEFAULT_ORG, does=does)
    worker = a_worker(db)
    with pytest.raises(psycopg.errors.RaiseException):
        worker.claim(6)

    assert [row["task_id"] for row in postpone(worker)] == [tasks[1], tasks[3]]

    assert [claim.input for claim in worker.claim(6)] == ["e", "f", "a", "c"]
    start(db, "g")
    assert [claim.input for claim in worker.claim(6)] == ["g"]

    call(db, "move_floors", from_bottom=True)
    with pytest.raises(psycopg.errors.RaiseException):
        worker.claim(6)
    db.execute("drop table tenuto.damaged")
    cure(db, "ready_tasks")
    assert [claim.input for claim in worker.claim(6)] == ["b", "d"]
    assert_invariants(db)


def test_only_the_tasks_of_the_routes_are_tried(db: Db) -> None:
    task = start_one(db)
    poison(db, "running_tasks", task, on="insert", column="id")
    worker = a_worker(db)

    assert call(db, "postpone_unclaimable", **worker.fence, routes=[], limit=10) == []


def test_a_draining_worker_postpones_nothing_and_an_ended_session_is_refused(db: Db) -> None:
    task = start_one(db)
    poison(db, "running_tasks", task, on="insert", column="id")
    worker = a_worker(db)
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="w")
    assert postpone(worker) == []

    call(db, "close_session", **worker.fence)
    with pytest.raises(SessionEnded):
        call(db, "postpone_unclaimable", **worker.fence, routes=[], limit=10)
