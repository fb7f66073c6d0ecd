"""Held runs: none of their tasks starts before the run is released."""

from uuid import UUID, uuid4

import psycopg
import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.clock import Clock
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import an_org, cancel_run, count, promote, run, settle, value
from tests.support.database.open_runs import add_tasks, close_run, open_run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start_graph, start_one, statuses

CHAIN = [(0, 1)]


def release(db: Db, run_id: UUID, *, org_id: UUID = DEFAULT_ORG) -> bool:
    return call(db, "release_run", org_id=org_id, run_id=run_id)


def why(db: Db, task_id: UUID) -> str:
    return call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)


def test_a_held_graph_starts_when_it_is_released(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 3, CHAIN, run={"hold": True})
    worker = a_worker(db)
    assert worker.claim(5) == []
    seen = run(db, run_id)
    assert (seen["status"], seen["held"], seen["total_tasks"]) == ("pending", True, 3)
    assert statuses(db, tasks) == ["pending"] * 3
    assert "its run is held since 20" in why(db, tasks[0])
    assert f"`tenuto runs release {run_id}` lets it start" in why(db, tasks[2])
    assert "it waits for" in why(db, tasks[1])
    assert_invariants(db)

    assert release(db, run_id) is True
    assert (statuses(db, tasks), run(db, run_id)["held"]) == (["queued", "pending", "queued"], False)
    assert count(db, "held_runs") + count(db, "release_requests") == 0
    assert_invariants(db)
    assert drain(db, worker) == 3
    assert release(db, run_id) is False
    settle(db)
    assert run(db, run_id)["status"] == "completed"


def test_a_held_task_with_a_delay_a_limit_and_handlers(db: psycopg.Connection, clock: Clock) -> None:
    limit = [{"scope": "key", "key": "k", "size": 1}]
    delayed, _ = start_graph(db, 1, run={"hold": True}, details=[{"task": 0, "delay_seconds": 60}])
    limited, _ = start_graph(db, 1, run={"hold": True}, details=[{"task": 0, "limits": limit}])
    handled, tasks = start_graph(
        db, 2, run={"hold": True}, kinds=[{"type": "app.work"}, {"type": "app.after", "handler": "completed"}],
        task_kinds=[0, 1],
    )  # fmt: skip
    worker = a_worker(db)
    for run_id in (delayed, limited, handled):
        assert release(db, run_id)
    assert sorted(claim.run_id for claim in worker.claim(5)) == sorted([limited, handled])
    promote(db, clock, minutes=2)
    assert [claim.run_id for claim in worker.claim(5)] == [delayed]
    assert statuses(db, tasks) == ["running", "pending"]


def test_tasks_that_are_added_to_a_held_run_wait_for_its_release(db: psycopg.Connection) -> None:
    run_id = open_run(db, hold=True)
    add_tasks(db, run_id, 1, 2)
    worker = a_worker(db)
    assert (worker.claim(5), run(db, run_id)["held"]) == ([], True)

    release(db, run_id)
    add_tasks(db, run_id, 3)
    close_run(db, run_id)
    assert drain(db, worker) == 3
    settle(db)
    assert run(db, run_id)["status"] == "completed"


def test_a_cancelled_run_cannot_be_released(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 2, CHAIN, run={"hold": True})
    cancel_run(db, run_id)
    for _ in range(2):
        with pytest.raises(Conflict, match="was cancelled while it was held"):
            release(db, run_id)
        settle(db)
    assert (run(db, run_id)["status"], statuses(db, tasks)) == ("cancelled", ["cancelled"] * 2)
    assert not run(db, run_id)["held"]

    retry = call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)
    assert drain(db, a_worker(db)) == 2
    settle(db)
    assert run(db, retry)["status"] == "completed"


def test_a_held_run_is_deleted_only_after_its_cancel(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2, run={"hold": True})
    with pytest.raises(Conflict, match="not final"):
        call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
    cancel_run(db, run_id)
    settle(db)
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
    assert count(db, "held_runs") + count(db, "runs") == 0
    with pytest.raises(NotFound):
        release(db, run_id)


def test_a_run_that_is_not_held_is_not_changed(db: psycopg.Connection) -> None:
    plain = start_one(db)
    held, _ = start_graph(db, 1, run={"hold": True})
    other = an_org(db, "other")
    assert release(db, plain) is False
    for org_id, run_id in ((other, held), (DEFAULT_ORG, uuid4())):
        with pytest.raises(NotFound):
            release(db, run_id, org_id=org_id)
    assert run(db, held)["held"]
    start_graph(db, 1, run={"hold": None})
    start_graph(db, 1, run={"hold": False})
    assert len(a_worker(db).claim(5)) == 3
    with pytest.raises(InvalidInput, match="hold of the run is later"):
        start_graph(db, 1, run={"hold": "later"})


def test_a_held_run_expires(db: psycopg.Connection, clock: Clock) -> None:
    run_id, _ = start_graph(db, 1, run={"hold": True, "expires_seconds": 60})
    clock.advance(minutes=2)
    call(db, "expire_runs")
    settle(db)
    assert run(db, run_id)["status"] == "cancelled"


def test_a_large_run_is_released_in_pieces(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 30, run={"hold": True})
    db.execute("set session_replication_role = replica")  # no triggers
    release(db, run_id)
    db.execute("reset session_replication_role")
    for left in (20, 10, 0):
        value(db, "select tenuto._end_hold(%s, 10)", [run_id])
        assert count(db, "pending_tasks") == left
    assert count(db, "held_runs") == 1
    assert call(db, "sweep_released") == 1
    assert count(db, "held_runs") + count(db, "release_requests") == 0
    assert drain(db, a_worker(db)) == 30


def test_rows_of_held_runs_are_pruned_with_their_week(db: psycopg.Connection) -> None:
    db.execute(
        "insert into tenuto.held_runs (run_id, org_id, held_at)"
        " values (tenuto._uuid7_floor(now() - interval '40 days'), %s, now())",
        [DEFAULT_ORG],
    )
    call(db, "prune_runs")
    assert count(db, "held_runs") == 0


def test_a_release_waits_for_no_client_that_adds_tasks(db: psycopg.Connection, client: psycopg.Connection) -> None:
    run_id = open_run(db, hold=True)
    add_tasks(db, run_id, 1)
    add_tasks(client, run_id, 2)
    db.execute("set lock_timeout = '1s'")

    assert release(db, run_id) is True
    assert release(db, run_id) is False
    worker = a_worker(db)
    assert [claim.input for claim in worker.claim(5)] == [1]
    client.commit()
    assert call(db, "sweep_released") == 2
    assert [claim.input for claim in worker.claim(5)] == [2]
    assert count(db, "held_runs") + count(db, "release_requests") == 0


def test_a_release_that_is_not_committed_starts_nothing(db: psycopg.Connection, client: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 1, run={"hold": True})
    db.execute("set lock_timeout = '1s'")
    release(client, run_id)
    worker = a_worker(db)
    assert worker.claim(5) == []
    cancel_run(db, run_id)
    client.commit()
    settle(db)
    assert (worker.claim(5), run(db, run_id)["status"]) == ([], "cancelled")
    call(db, "sweep_released")
    assert count(db, "release_requests") == 0


def test_a_dedupe_key_finds_a_held_run(db: psycopg.Connection) -> None:
    first, second = (start_graph(db, 2, run={"name": "g", "dedupe_key": "k", "hold": True})[0] for _ in range(2))
    assert (first == second, count(db, "held_runs")) == (True, 1)
