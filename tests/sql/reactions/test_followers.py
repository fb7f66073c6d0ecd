"""Continuous sources: one task at a time, started again when it ends, stopped with its version."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from tenuto.model.errors import InvalidInput, NotFound, RateLimited
from tests.support.clock import Clock
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.events import route
from tests.support.database.jobs import deployed
from tests.support.database.schedules import fire, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, task

NAME = "chain/follow"


def a_dag(task: str = "follow", kind: str = "continuous") -> dict[str, Any]:
    job = {
        "name": "follow",
        "activation": "source",
        "operator": "python",
        "config": {"task": f"chain.{task}"},
        "source": {"kind": kind},
        "outputs": [{"dataset": "blocks"}],
    }
    return {"name": "chain", "jobs": [job]}


def current(db: Db, document: dict[str, Any], expected: int = 0) -> None:
    cutover(db, expected, deploy(db, document)["version"], name="chain")


def state(db: Db) -> str:
    (row,) = call(db, "get_source", org_id=DEFAULT_ORG, dag="chain", name="follow")
    return row["status"]


def turn(db: Db, clock: Clock) -> Any:
    """What the dispatcher does every few seconds."""
    clock.advance(seconds=5)
    at = schedule(db, NAME)["next_at"]
    return fire(db, at, at, next_at=clock.now + timedelta(seconds=5), name=NAME)


def test_a_task_is_started_again_when_it_has_ended(db: Db, clock: Clock):
    current(db, a_dag(kind="always_on"))
    worker = a_worker(db)
    (first,) = turn(db, clock)
    assert turn(db, clock) == []  # it is queued
    claim = worker.claim_one()
    assert turn(db, clock) == []  # it runs

    worker.complete(claim)
    (second,) = turn(db, clock)

    assert first != second
    again = worker.claim_one()
    assert claim.input["job"]["source"] == again.input["job"]["source"]  # the same producer
    assert again.input["job"]["source"] == {"kind": "continuous", "producer": str(schedule(db, NAME)["job_key"])}


def test_an_unchanged_job_keeps_its_task_and_a_changed_one_gets_another(db: Db, clock: Clock):
    current(db, a_dag())
    worker = a_worker(db)
    turn(db, clock)
    claim = worker.claim_one()
    described = a_dag() | {"description": "the same"}

    current(db, described, expected=1)
    assert turn(db, clock) == []
    assert task(db, claim.task_id)["cancel_requested"] is False

    current(db, a_dag("other"), expected=2)
    assert turn(db, clock) == []
    assert task(db, claim.task_id)["cancel_requested"] is True
    assert turn(db, clock) == []  # until it has ended
    worker.complete(claim)
    (after,) = turn(db, clock)
    assert worker.claim_one().run_id == after


def test_a_paused_job_is_stopped_and_a_resumed_one_started(db: Db, clock: Clock):
    current(db, a_dag())
    (first,) = turn(db, clock)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="chain", name="follow")

    assert [turn(db, clock), turn(db, clock)] == [[], []]
    assert task(db, first)["status"] == "cancelled"
    call(db, "resume_job", org_id=DEFAULT_ORG, dag="chain", name="follow")

    assert len(turn(db, clock)) == 1


def test_a_version_without_the_source_stops_it_and_a_rollback_starts_it(db: Db, clock: Clock):
    current(db, a_dag())
    (first,) = turn(db, clock)

    current(db, a_dag(kind="manual"), expected=1)
    assert schedule(db, NAME) == {}
    assert task(db, first)["status"] == "cancelled"

    rollback(db, 2, 1, name="chain")
    assert len(turn(db, clock)) == 1


def test_the_state_of_a_follower_is_pending_running_dead_draining_or_stopped(db: Db, clock: Clock):
    deploy(db, a_dag())
    seen = [state(db)]
    cutover(db, 0, 1, name="chain")
    seen.append(state(db))
    worker = a_worker(db)
    turn(db, clock)
    seen.append(state(db))
    claim = worker.claim_one()
    seen.append(state(db))
    worker.complete(claim)
    seen.append(state(db))
    turn(db, clock)
    seen.append(state(db))
    claim = worker.claim_one()
    seen.append(state(db))
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="chain", name="follow")
    turn(db, clock)
    seen.append(state(db))
    worker.complete(claim)
    seen.append(state(db))

    first = ["stopped", "pending", "pending", "running", "dead"]
    assert seen == [*first, "pending", "running", "draining", "stopped"]


def test_other_sources_are_active_or_stopped_and_other_jobs_have_no_state(db: Db):
    current(db, a_dag(kind="manual"))
    assert state(db) == "active"
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="chain", name="follow")
    assert state(db) == "stopped"

    deployed(db)
    with pytest.raises(InvalidInput, match="is not a source"):
        call(db, "get_source", org_id=DEFAULT_ORG, dag="sales", name="daily")
    with pytest.raises(NotFound):
        call(db, "get_source", org_id=uuid4(), dag="chain", name="follow")


def test_a_follower_emits_no_more_than_its_consumers_handle(db: Db, clock: Clock):
    document = a_dag()
    document["jobs"][0]["source"]["max_inflight"] = 2
    document["jobs"].append(READER)
    current(db, document)
    worker = a_worker(db)
    turn(db, clock)
    follower = worker.claim_one()

    def emit(key: str) -> Any:
        return call(worker.db, "emit_event", **worker.fence, task_id=follower.task_id, attempt=follower.attempt,
                    output="blocks", key=key)  # fmt: skip

    emit("1")
    emit("2")
    with pytest.raises(RateLimited, match="2 events of blocks are not handled yet"):
        emit("3")
    emit("2")  # a repetition is no new event
    route(db)
    clock.advance(seconds=30)
    (source,) = call(db, "get_source", org_id=DEFAULT_ORG, dag="chain", name="follow")
    assert source["streams"] == [{"dataset": "blocks", "inflight": 2, "max_inflight": 2, "lag_seconds": 30}]
    with pytest.raises(RateLimited):
        emit("3")
    first, _ = worker.claim(2)
    worker.complete(first)

    emit("3")

    (source,) = call(db, "get_source", org_id=DEFAULT_ORG, dag="chain", name="follow")
    assert source["streams"][0]["inflight"] == 2


READER = {
    "name": "each",
    "activation": "reactive",
    "operator": "sql",
    "execution_strategy": "PerUpdate",
    "inputs": [{"from": {"dataset": "blocks"}}],
    "config": {"sql": "select 1"},
    "outputs": [{"dataset": "sums"}],
}
