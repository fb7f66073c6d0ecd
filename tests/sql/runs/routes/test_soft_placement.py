"""Tasks whose input is softly placed: workers there take them first, after two seconds any worker does."""

from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.support.clock import Clock
from tests.support.database.data_objects import an_object
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import an_org, cancel_run, count, promote, settle, value
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    Worker,
    a_worker,
    a_worker_with,
    call,
    run_status,
    start_graph,
    start_one,
)


def at(db: Db, address: str | None) -> Worker:
    return a_worker(db, f"worker at {address}", address=address)


def start_with(db: Db, *objects: UUID, run: dict[str, Any] | None = None, **detail: Any) -> tuple[UUID, UUID]:
    slots = [{"object": str(object_id)} for object_id in objects]
    run_id, (task_id,) = start_graph(db, 1, details=[{"task": 0, "slots": slots, **detail}], run=run)
    return run_id, task_id


def relax(db: Db) -> int:
    return call(db, "relax_placement")


def test_a_worker_at_the_address_takes_the_task(db: psycopg.Connection) -> None:
    near, far = at(db, "node-1"), at(db, "node-2")
    _, task_id = start_with(db, an_object(db, at=["node-1"]))
    assert far.claim() == []
    assert "a worker at node-1 can take it" in call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)
    assert relax(db) == 0
    assert near.claim_one().task_id == task_id
    assert call(db, "list_unserved", org_id=DEFAULT_ORG) == []


def test_after_two_seconds_any_worker_takes_it(db: psycopg.Connection, clock: Clock) -> None:
    near, far = at(db, "node-1"), at(db, "node-2")
    _, task_id = start_with(db, an_object(db, at=["node-1"]))
    clock.advance(seconds=3)
    assert due_in(db) == 0
    assert [relax(db), relax(db)] == [1, 0]
    assert_invariants(db)
    assert far.claim_one().task_id == task_id
    assert near.claim() == []


def test_without_a_worker_there_any_worker_takes_it_at_once(db: psycopg.Connection, clock: Clock) -> None:
    gone = at(db, "node-1")
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=gone.name)
    start_with(db, an_object(db, at=["node-1"]))
    assert len(at(db, "node-2").claim()) == 1


def test_the_address_that_holds_most_is_preferred(db: psycopg.Connection) -> None:
    near, far = at(db, "node-1"), at(db, "node-2")
    objects = [an_object(db, at=["node-1", "node-2"]), an_object(db, at=["node-1"])]
    for _ in range(3):
        start_with(db, *objects)
    assert far.claim(5) == []
    assert len(near.claim(5)) == 3


def due_in(db: Db) -> float | None:
    call(db, "follow_arrivals")
    return {row["what"]: row["due_in_seconds"] for row in call(db, "list_due_maintenance")}["relax_placement"]


def test_new_tasks_of_one_group_do_not_hide_old_ones_of_another(db: psycopg.Connection, clock: Clock) -> None:
    """The worker there takes tasks of the first group only, at once."""
    for group in ("first", "second"):
        call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id=group)
    at(db, "node-1")
    thing = an_object(db, at=["node-1"])
    start_with(db, thing, run={"group": "second"})
    assert due_in(db) == pytest.approx(2, abs=0.1)
    clock.advance(seconds=3)
    start_with(db, thing, run={"group": "first"})

    assert due_in(db) == 0
    assert relax(db) == 1
    assert due_in(db) == pytest.approx(2, abs=0.1)


def test_many_tasks_of_one_org_do_not_delay_those_of_another(db: psycopg.Connection, clock: Clock) -> None:
    other = an_org(db, "other")
    for org in (DEFAULT_ORG, other):
        a_worker(db, "near", org_id=org, address="node-1")
    thing = an_object(db, at=["node-1"])
    for _ in range(20):
        start_with(db, thing)
    slots = [{"object": str(an_object(db, at=["node-1"], org_id=other))}]
    start_graph(db, 1, org_id=other, details=[{"task": 0, "slots": slots}])
    clock.advance(seconds=3)

    assert call(db, "relax_placement", limit=4) == 3  # two of each org
    assert value(db, "select count(*) from tenuto.ready_tasks t join tenuto.routes r on r.id = t.route_id "
                     "where not r.soft and t.org_id = %s", other) == 1  # fmt: skip


def test_a_queue_that_is_paused_before_its_first_soft_task_stays_paused(db: psycopg.Connection, clock: Clock) -> None:
    near = at(db, "node-1")
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="default")
    start_with(db, an_object(db, at=["node-1"]))
    assert near.claim() == []
    clock.advance(seconds=3)
    relax(db)
    assert near.claim() == []
    call(db, "resume_queue", org_id=DEFAULT_ORG, queue="default")
    assert len(near.claim()) == 1


def test_a_retry_prefers_the_address_again_and_a_limit_does_not_bind_it(db: psycopg.Connection, clock: Clock) -> None:
    near, far = at(db, "node-1"), at(db, "node-2")
    limits = [{"scope": "key", "key": "k", "size": 1}]
    run_id, _ = start_with(db, an_object(db, at=["node-1"]), limits=limits)
    start_with(db, an_object(db, at=["node-1"]), limits=limits)
    near.fail(near.claim_one())
    clock.advance(seconds=3)
    relax(db)
    far.complete(far.claim_one())
    promote(db, clock, minutes=1)
    call(db, "follow_arrivals")
    clock.advance(seconds=3)
    relax(db)
    far.complete(far.claim_one())
    settle(db)
    assert run_status(db, run_id) == "completed"


def test_a_task_is_not_lost_when_its_object_moves(db: psycopg.Connection, clock: Clock) -> None:
    near, far = at(db, "node-1"), at(db, "node-2")
    thing = an_object(db, at=["node-1"])
    start_with(db, thing)
    near.snooze(near.claim_one(), seconds=10)
    call(db, "place_object", org_id=DEFAULT_ORG, object_id=thing, addresses=[])
    promote(db, clock, minutes=1)
    clock.advance(seconds=3)
    relax(db)
    assert len(far.claim()) == 1


def test_a_preferred_task_can_be_cancelled(db: psycopg.Connection, clock: Clock) -> None:
    at(db, "node-1")
    run_id, _ = start_with(db, an_object(db, at=["node-1"]))
    cancel_run(db, run_id)
    clock.advance(seconds=3)
    assert relax(db) == 0
    settle(db)
    assert run_status(db, run_id) == "cancelled"


def test_code_that_only_runs_elsewhere_continues_it(db: psycopg.Connection, clock: Clock) -> None:
    old = a_worker_with(db, "old", address="node-1")
    _, task_id = start_with(db, an_object(db, at=["node-1"]))
    other = a_worker_with(db, "new", address="node-2")
    old.block(old.claim_one())
    clock.advance(seconds=3)
    relax(db)
    assert other.claim_one().task_id == task_id


def test_plain_tasks_use_no_soft_routes(db: psycopg.Connection) -> None:
    near = at(db, "node-1")
    start_with(db, an_object(db, at=["node-1"]))
    start_one(db)
    assert value(db, "select count(*) from tenuto.routes where soft") == 1
    assert len(near.claim(5)) == 2
    assert count(db, "ready_tasks") == 0
