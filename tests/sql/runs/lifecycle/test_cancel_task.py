"""any open state -> cancelled, for a task, its children and the dependents that need it."""

from collections.abc import Callable
from uuid import uuid4

import psycopg
import pytest

from tenuto.model.errors import Cancelled, Conflict, NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org, by_input, cancel_task, count, lose_workers, promote, run, settle
from tests.support.database.task_states import RESTING
from tests.support.database.tasks import (
    Claim,
    Worker,
    a_worker,
    drain,
    history,
    start_graph,
    start_one,
    status,
    statuses,
    task,
)


@pytest.mark.parametrize("state", RESTING)
def test_a_task_that_does_not_run_is_cancelled_at_once(db: psycopg.Connection, state: str) -> None:
    worker = a_worker(db)
    task_id = RESTING[state](db, worker)

    cancel_task(db, task_id)

    assert status(db, task_id) == "cancelled"
    seen = task(db, task_id)
    assert seen["completed_at"] is not None
    assert seen["error"] == {"reason": "cancelled"}
    claimed = {claim.task_id for claim in worker.claim(10)}
    assert task_id not in claimed


def test_a_running_task_is_asked_to_stop(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    cancel_task(db, task_id)

    assert status(db, task_id) == "running"
    assert worker.beat(held)["cancelled"] == [task_id]


def test_a_running_task_that_completes_anyway_is_completed(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_task(db, task_id)

    assert worker.complete(held, outputs=["done"]) == ["accepted"]

    assert (status(db, task_id), task(db, task_id)["output"]) == ("completed", "done")


def by_failing(worker: Worker, held: Claim) -> list[str]:
    return worker.fail(held)


def by_interrupting(worker: Worker, held: Claim) -> list[str]:
    return worker.interrupt(held)


def by_snoozing(worker: Worker, held: Claim) -> list[str]:
    return worker.snooze(held)


def by_waiting(worker: Worker, held: Claim) -> list[str]:
    return [worker.wait(held, **{"for": "signal", "name": "go"})]


@pytest.mark.parametrize("ends", [by_failing, by_interrupting, by_snoozing, by_waiting], ids=lambda end: end.__name__)
def test_a_marked_task_that_ends_otherwise_is_cancelled_and_not_tried_again(
    db: psycopg.Connection, clock: Clock, ends: Callable[[Worker, Claim], list[str]]
) -> None:
    task_id = start_one(db)
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    cancel_task(db, task_id)

    assert ends(worker, held) == ["accepted"]
    assert ends(worker, held) == ["already_accepted"]

    assert status(db, task_id) == "cancelled"
    assert history(db, task_id) == [(1, "cancelled")]
    promote(db, clock)
    assert worker.claim() == []


def test_a_marked_task_that_is_lost_is_cancelled(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    a_worker(db).claim_one()
    cancel_task(db, task_id)

    lose_workers(db, clock)

    assert history(db, task_id) == [(1, "cancelled")]


def test_a_marked_task_that_is_forgotten_is_cancelled(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    cancel_task(db, task_id)

    worker.beat()

    assert status(db, task_id) == "cancelled"


def test_a_marked_task_starts_no_children(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_task(db, task_id)

    with pytest.raises(Cancelled):
        worker.start_children(held, 1)

    assert count(db, "tasks") == 1


def test_children_and_their_children_are_stopped_too(db: psycopg.Connection) -> None:
    parent_id = start_one(db)
    worker = a_worker(db)
    parent = worker.claim_one()
    running_child, queued_child = worker.start_children(parent, "a", "b")
    held = by_input(worker.claim(1))["a"]
    (grandchild,) = worker.start_children(held, "c")
    worker.wait(parent, **{"for": "children", "tasks": [str(running_child)]})

    cancel_task(db, parent_id)

    assert statuses(db, [parent_id, queued_child, grandchild]) == ["cancelled"] * 3
    assert worker.beat(held)["cancelled"] == [running_child]
    worker.fail(held)
    assert status(db, running_child) == "cancelled"
    assert (count(db, "awaited_tasks"), count(db, "waiting_tasks")) == (0, 0)


def test_a_parent_hears_that_its_child_was_cancelled(db: psycopg.Connection) -> None:
    parent_id = start_one(db)
    worker = a_worker(db)
    parent = worker.claim_one()
    (child,) = worker.start_children(parent, 1)
    worker.wait(parent, **{"for": "children", "tasks": [str(child)]})

    cancel_task(db, child)

    assert statuses(db, [parent_id, child]) == ["queued", "cancelled"]


def test_dependents_are_cancelled_and_continue_edges_go_on(db: psycopg.Connection) -> None:
    edges = [(0, 1), (1, 2), (0, 3, "continue"), (1, 4, "continue"), (0, 5, "failed")]
    run_id, tasks = start_graph(db, 7, edges)
    worker = a_worker(db)

    cancel_task(db, tasks[0])

    assert statuses(db, tasks) == ["cancelled", "cancelled", "cancelled", "queued", "queued", "cancelled", "queued"]
    assert drain(db, worker) == 3
    settle(db)
    assert run(db, run_id)["status"] == "cancelled"


def test_dependents_of_a_running_task_are_cancelled_at_once(db: psycopg.Connection) -> None:
    _, tasks = start_graph(db, 3, [(0, 1), (0, 2, "continue")])
    worker = a_worker(db)
    held = worker.claim_one()

    cancel_task(db, tasks[0])
    assert statuses(db, tasks) == ["running", "cancelled", "pending"]
    worker.complete(held)

    assert statuses(db, tasks) == ["completed", "cancelled", "queued"]


def test_siblings_go_on(db: psycopg.Connection) -> None:
    _, tasks = start_graph(db, 3, [(0, 2), (1, 2, "continue")])

    cancel_task(db, tasks[1])

    assert statuses(db, tasks) == ["queued", "cancelled", "pending"]
    drain(db, a_worker(db))
    assert statuses(db, tasks) == ["completed", "cancelled", "completed"]


def test_cancelling_twice_is_fine_while_it_runs(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    cancel_task(db, task_id)
    cancel_task(db, task_id)

    worker.fail(held)
    assert history(db, task_id) == [(1, "cancelled")]


def test_a_final_task_cannot_be_cancelled(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    drain(db, a_worker(db))

    with pytest.raises(Conflict, match="already completed"):
        cancel_task(db, task_id)


def test_a_task_of_another_org_is_not_found(db: psycopg.Connection) -> None:
    task_id = start_one(db)

    with pytest.raises(NotFound):
        cancel_task(db, task_id, org_id=an_org(db, "other"))
    with pytest.raises(NotFound):
        cancel_task(db, uuid4())

    assert status(db, task_id) == "queued"


def test_a_handler_that_waits_for_the_end_of_its_run_is_not_cancelled_alone(db: psycopg.Connection) -> None:
    kinds = [{"type": "app.work"}, {"type": "app.clean", "handler": "failed"}]
    _, tasks = start_graph(db, 2, kinds=kinds, task_kinds=[0, 1])

    with pytest.raises(Conflict, match="cancel the run"):
        cancel_task(db, tasks[1])
