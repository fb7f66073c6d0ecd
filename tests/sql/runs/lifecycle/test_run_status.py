"""Every run with its live state and counts."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.loops import cancel_run, promote, run, settle
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start_graph, start_one


def seen(db: psycopg.Connection, run_id: Any, *columns: str) -> tuple[Any, ...]:
    row = run(db, run_id)
    return tuple(row[column] for column in columns)


@pytest.mark.parametrize("size", [1, 2], ids=["a run of one", "a graph"])
def test_a_run_is_running_from_its_first_claim_whatever_becomes_of_it(
    db: psycopg.Connection, clock: Clock, size: int
) -> None:
    run_id, _ = start_graph(db, size)
    worker = a_worker(db, lease="1 day")
    assert seen(db, run_id, "status", "started_at") == ("pending", None)
    started = clock.now

    held = worker.claim_one()
    assert seen(db, run_id, "status", "started_at") == ("running", started)
    clock.advance(seconds=1)
    for give_back in (worker.interrupt, worker.snooze, worker.fail):
        give_back(held)
        assert seen(db, run_id, "status", "started_at") == ("running", started)
        settle(db)
        assert seen(db, run_id, "status", "started_at") == ("running", started)
        promote(db, clock)
        held = worker.claim_one()
    worker.wait(held, **{"for": "signal", "name": "go"})

    assert seen(db, run_id, "status", "completed_at", "duration_seconds") == ("running", None, None)


@pytest.mark.parametrize("size", [1, 2], ids=["a run of one", "a graph"])
def test_a_completed_run_shows_when_and_for_how_long_it_ran(db: psycopg.Connection, clock: Clock, size: int) -> None:
    run_id, _ = start_graph(db, size)
    clock.advance(seconds=3)
    started = clock.now
    worker = a_worker(db, lease="1 day")
    claims = worker.claim(size)
    clock.advance(seconds=7)
    worker.complete(*claims, outputs=["x"] * size)
    settle(db)

    assert seen(db, run_id, "status", "total_tasks", "completed_tasks") == ("completed", size, size)
    assert seen(db, run_id, "started_at", "completed_at") == (started, clock.now)
    assert seen(db, run_id, "duration_seconds") == ((clock.now - started).total_seconds(),)
    assert seen(db, run_id, "output") == ("x" if size == 1 else ["x", "x"],)


def test_a_failed_run_of_one_shows_its_tasks_error(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    worker = a_worker(db)
    worker.fail(worker.claim_one(), error="no disk", final=True)

    assert seen(db, run_id, "status", "error", "failed_tasks", "failed_task_id") == (
        "failed", {"message": "no disk"}, 1, run_id,
    )  # fmt: skip


@pytest.mark.parametrize("size", [1, 2], ids=["a run of one", "a graph"])
def test_a_run_cancelled_before_any_claim_never_started(db: psycopg.Connection, clock: Clock, size: int) -> None:
    run_id, _ = start_graph(db, size)
    clock.advance(seconds=3)
    cancel_run(db, run_id)
    settle(db)

    assert seen(db, run_id, "status", "cancelled_tasks") == ("cancelled", size)
    assert seen(db, run_id, "started_at", "duration_seconds", "completed_at") == (None, None, clock.now)


def test_the_output_of_a_graph_is_that_of_its_sinks_in_order(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 4, [(0, 1), (0, 2), (0, 3)])
    worker = a_worker(db)
    worker.complete(worker.claim_one(), outputs=["source"])
    claims = worker.claim(3)
    worker.complete(*reversed(claims), outputs=[claim.input for claim in reversed(claims)])
    settle(db)

    assert seen(db, run_id, "output") == ([1, 2, 3],)


def test_the_declared_outputs_come_by_position(db: psycopg.Connection) -> None:
    details = [{"task": i, "outputs": ["int", "int"]} for i in range(2)]
    outputs = [{"task": 1, "output": 1}, {"task": 0, "output": 0}, {"task": 1}]
    run_id, _ = start_graph(db, 2, details=details, run={"name": "r", "outputs": outputs})
    worker = a_worker(db)
    claims = worker.claim(2)
    worker.complete(*claims, outputs=[[claim.input, claim.input + 10] for claim in claims])
    settle(db)

    assert seen(db, run_id, "output") == ([11, 0, [1, 11]],)


def test_what_the_run_was_started_with_is_shown(db: psycopg.Connection, clock: Clock) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="gold")
    about = {"name": "nightly", "group": "gold", "metadata": {"team": "bi"}, "input": {"day": 1}, "max_attempts": 4}
    run_id, _ = start_graph(db, 2, run=about)

    assert seen(db, run_id, "name", "resource_group", "metadata", "input", "max_attempts", "attempt", "created_at") == (
        "nightly", "gold", {"team": "bi"}, {"day": 1}, 4, 1, clock.now,
    )  # fmt: skip


def test_a_run_of_one_takes_input_and_metadata_from_its_task(db: psycopg.Connection) -> None:
    (run_id,) = [start_one(db, details=Jsonb([{"task": 0, "metadata": {"a": 1}}]))]

    assert seen(db, run_id, "input", "metadata", "single_task") == (None, {"a": 1}, True)


def test_children_do_not_change_the_output(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    worker.start_children(held, 1)
    worker.complete(held, outputs=["parent's"])
    drain(db, worker)
    settle(db)

    assert seen(db, run_id, "output", "total_tasks") == ("parent's", 2)
