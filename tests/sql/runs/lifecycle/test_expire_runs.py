"""Runs are cancelled at their deadline, and if they have not begun when they expire."""

import re
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.loops import an_org, count, run, settle
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start_graph

DEADLINE = {"deadline_seconds": 60}
EXPIRES = {"expires_seconds": 60}


def due(db: psycopg.Connection) -> bool:
    rows = db.execute("select what, due_in_seconds from tenuto.list_due_maintenance()").fetchall()
    return dict(rows)["expire_runs"] == 0


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("options", [DEADLINE, EXPIRES])
def test_a_run_that_nobody_began_is_cancelled_with_the_reason(db: Any, size: int, options: dict[str, Any]) -> None:
    clock = Clock(db)
    run_id, _ = start_graph(db, size, run=options)
    clock.advance(seconds=59)
    assert not due(db)
    assert call(db, "expire_runs") == 0

    clock.advance(seconds=1)
    assert due(db)
    assert call(db, "expire_runs") == 1
    settle(db)

    seen = run(db, run_id)
    reasons = {"deadline_seconds": "the deadline of the run has passed"}
    assert seen["status"] == "cancelled"
    assert seen["cancel_reason"] == reasons.get(next(iter(options)), "the run expired before it began")
    assert (count(db, "run_deadlines"), due(db), call(db, "expire_runs")) == (0, False, 0)


@pytest.mark.parametrize("size", [1, 3])
def test_a_run_that_has_begun_does_not_expire_and_is_stopped_at_its_deadline(db: Any, size: int) -> None:
    clock = Clock(db)
    run_id, _ = start_graph(db, size, run={**EXPIRES, "deadline_seconds": 3600})
    worker = a_worker(db)
    held = worker.claim_one()
    clock.advance(seconds=60)
    assert call(db, "expire_runs") == 1
    assert run(db, run_id)["cancel_requested_at"] is None

    clock.advance(hours=1)
    assert call(db, "expire_runs") == 1
    assert count(db, "running_tasks", "cancel") == 1
    worker.fail(held, final=True)
    settle(db)

    assert run(db, run_id)["status"] == "cancelled"
    assert run(db, run_id)["cancel_reason"] == "the deadline of the run has passed"


@pytest.mark.parametrize("size", [1, 3])
def test_a_run_shows_its_deadline_and_when_it_expires_until_it_has_ended(db: Any, size: int) -> None:
    clock = Clock(db)
    run_id, _ = start_graph(db, size, run={**EXPIRES, "deadline_seconds": 3600})
    seen = run(db, run_id)
    passed = [(seen[name] - seen["created_at"]).total_seconds() for name in ("deadline_at", "expires_at")]
    assert passed == [3600, 60]

    clock.advance(seconds=60)
    call(db, "expire_runs")
    call(db, "sweep_cancelled")
    settle(db)
    seen = run(db, run_id)
    assert (seen["status"], seen["deadline_at"], seen["expires_at"]) == ("cancelled", None, None)

    without, _ = start_graph(db, size)
    assert (run(db, without)["deadline_at"], run(db, without)["expires_at"]) == (None, None)


def test_the_explanation_of_a_task_says_when_its_run_is_cancelled(db: Any) -> None:
    clock = Clock(db)
    task_id, _ = start_graph(db, 1, run={**EXPIRES, "deadline_seconds": 3600})
    pending = call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)
    assert re.search(r"; cancelled at .* unless it has begun .*; cancelled at .* unless it has ended by then$", pending)

    worker = a_worker(db)
    held = worker.claim_one()
    running = call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)
    assert "has begun" not in running
    assert running.endswith("unless it has ended by then")

    worker.complete(held)
    clock.advance(seconds=1)
    assert "unless" not in call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)


def test_a_run_that_waits_between_attempts_has_begun(db: Any) -> None:
    clock = Clock(db)
    run_id, _ = start_graph(db, 1, run=EXPIRES)
    worker = a_worker(db)
    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 3600})
    clock.advance(seconds=60)

    assert call(db, "expire_runs") == 1
    assert run(db, run_id)["status"] == "running"


def test_a_run_that_has_ended_is_left_alone(db: Any) -> None:
    clock = Clock(db)
    run_id, _ = start_graph(db, 2, run=DEADLINE)
    drain(db, a_worker(db))
    settle(db)
    clock.advance(seconds=60)

    assert call(db, "expire_runs") == 1
    assert run(db, run_id)["status"] == "completed"
    assert count(db, "cancel_requests") == 0


def test_an_open_run_ends_at_its_deadline(db: Any) -> None:
    clock = Clock(db)
    (opened,) = db.execute(
        "select run_id from tenuto.open_run(%s, %s)", [DEFAULT_ORG, Jsonb({"deadline_seconds": 60})]
    ).fetchone()
    clock.advance(seconds=60)

    assert call(db, "expire_runs") == 1
    call(db, "sweep_closed")
    settle(db)
    call(db, "sweep_cancelled")
    assert count(db, "cancel_requests") == 0
    assert (run(db, opened)["status"], run(db, opened)["cancel_reason"]) == (
        "cancelled",
        "the deadline of the run has passed",
    )


def test_each_call_serves_one_kind_of_one_org_and_large_runs_in_pieces(db: Any) -> None:
    clock = Clock(db)
    large, _ = start_graph(db, 1001, run={"deadline_seconds": 30})
    start_graph(db, 1, run=EXPIRES)
    start_graph(db, 1, run={"deadline_seconds": 90}, org_id=an_org(db, "other"))
    clock.advance(seconds=90)

    assert [call(db, "expire_runs") for _ in range(4)] == [1, 1, 1, 0]
    assert count(db, "run_requests", "run_id = %s and reason = 'the deadline of the run has passed'", large) == 1
    assert count(db, "cancel_requests") == 2


def test_a_repeated_start_keeps_the_first_deadline_and_a_deleted_run_has_none(db: Any) -> None:
    clock = Clock(db)
    run_id, _ = start_graph(db, 2, run={**DEADLINE, "name": "g", "dedupe_key": "k"})
    start_graph(db, 2, run={"deadline_seconds": 5, "name": "g", "dedupe_key": "k"})
    clock.advance(seconds=6)
    assert call(db, "expire_runs") == 0

    drain(db, a_worker(db))
    settle(db)
    call(db, "delete_run", org_id=run(db, run_id)["org_id"], run_id=run_id)
    assert count(db, "run_deadlines") == 0


@pytest.mark.parametrize("seconds", [0, -1, "NaN", "Infinity", 1e12, "soon"])
@pytest.mark.parametrize("key", ["deadline_seconds", "expires_seconds"])
def test_a_time_that_cannot_be_meant_is_refused(db: Any, key: str, seconds: object) -> None:
    with pytest.raises(InvalidInput, match=r"deadline_seconds|invalid input syntax"):
        start_graph(db, 1, run={key: seconds})
