"""What the end of a task means for those that depend on it, and for the run."""

from typing import Any
from uuid import UUID

import pytest
from psycopg.rows import dict_row

from tests.support.clock import Clock
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Db,
    Worker,
    call,
    drain,
    run_status,
    start_graph,
    status,
    statuses,
    task,
)

OPTIONAL = [{"type": "app.work"}, {"type": "app.optional", "optional": True}]


def held(worker: Worker, task_id: UUID) -> Claim:
    """The claim of one task; others that were ready stay so."""
    claims = worker.claim(50)
    worker.interrupt(*[claim for claim in claims if claim.task_id != task_id])
    (claim,) = [claim for claim in claims if claim.task_id == task_id]
    return claim


def complete(worker: Worker, task_id: UUID) -> None:
    worker.complete(held(worker, task_id), outputs=[str(task_id)])


def fail(worker: Worker, task_id: UUID) -> None:
    worker.fail(held(worker, task_id), final=True)


def run_row(db: Db, run_id: UUID) -> dict[str, Any]:
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("select * from tenuto.run_status where id = %s", [run_id]).fetchone() or {}


def test_a_task_is_released_by_the_last_of_those_it_depends_on(db: Db, worker: Worker) -> None:
    run_id, (a, b, c) = start_graph(db, 3, [(0, 2), (1, 2)])

    complete(worker, a)
    assert (status(db, c), task(db, c)["remaining_dependencies"]) == ("pending", 1)
    complete(worker, b)
    assert status(db, c) == "queued"

    complete(worker, c)
    assert run_status(db, run_id) == "completed"


def test_a_diamond_runs_its_last_task_once(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 4, [(0, 1), (0, 2), (1, 3), (2, 3)])

    assert drain(db, worker) == 4

    assert (run_status(db, run_id), run_row(db, run_id)["completed_tasks"]) == ("completed", 4)
    assert task(db, tasks[3])["attempt"] == 1


def test_a_fan_in_of_a_thousand_waits_for_every_one(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 1001, [(number, 1000) for number in range(1000)])
    claims = worker.claim(1000)
    worker.complete(*claims[:999])
    assert (status(db, tasks[1000]), task(db, tasks[1000])["remaining_dependencies"]) == ("pending", 1)

    worker.complete(claims[999])

    assert drain(db, worker) == 1
    assert run_status(db, run_id) == "completed"


def test_a_completion_reported_twice_releases_once(db: Db, worker: Worker) -> None:
    _, (a, _, c) = start_graph(db, 3, [(0, 2), (1, 2)])
    claim = held(worker, a)

    for _ in range(3):
        worker.complete(claim)

    assert task(db, c)["remaining_dependencies"] == 1


def test_a_released_task_waits_for_its_own_time_too(db: Db, worker: Worker, clock: Clock) -> None:
    _, (a, b) = start_graph(db, 2, [(0, 1)], details=[{"task": 1, "delay_seconds": 40}])
    complete(worker, a)
    assert (status(db, b), worker.claim()) == ("queued", [])

    clock.advance(seconds=40)
    call(db, "promote_due")

    assert worker.claim_one().task_id == b


def test_a_retry_does_not_touch_dependents(db: Db, worker: Worker) -> None:
    run_id, (a, b) = start_graph(db, 2, [(0, 1)])
    worker.fail(held(worker, a), retry=0)
    assert (status(db, b), run_status(db, run_id)) == ("pending", "running")

    call(db, "promote_due")
    assert drain(db, worker) == 2


def test_a_failed_task_cancels_everything_behind_it_and_fails_the_run(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 5, [(0, 2), (2, 3), (1, 3), (1, 4)])
    fail(worker, tasks[0])
    assert statuses(db, tasks) == ["failed", "queued", "cancelled", "cancelled", "pending"]
    assert run_status(db, run_id) == "running"

    drain(db, worker)

    assert statuses(db, tasks) == ["failed", "completed", "cancelled", "cancelled", "completed"]
    assert run_status(db, run_id) == "failed"
    row = run_row(db, run_id)
    assert (row["failed_task_id"], row["error"]) == (tasks[0], {"message": "boom"})
    assert [row[f"{end}_tasks"] for end in ("total", "completed", "failed", "cancelled", "skipped")] == [5, 2, 1, 2, 0]


@pytest.mark.parametrize(
    ("on", "end", "fate"),
    [
        ("completed", "completed", "queued"),
        ("completed", "failed", "cancelled"),
        ("completed", "cancelled", "cancelled"),
        ("failed", "completed", "skipped"),
        ("failed", "failed", "queued"),
        ("failed", "cancelled", "cancelled"),
        ("continue", "completed", "queued"),
        ("continue", "failed", "queued"),
    ],
)
def test_the_edge_says_what_an_end_means(db: Db, worker: Worker, on: str, end: str, fate: str) -> None:
    _, (parent, child) = start_graph(db, 2, [(0, 1, on)])

    if end == "completed":
        complete(worker, parent)
    elif end == "failed":
        fail(worker, parent)
    else:
        call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=parent)

    assert status(db, child) == fate


def test_a_task_cancelled_alone_cancels_its_run(db: Db, worker: Worker) -> None:
    run_id, (parent, child) = start_graph(db, 2, [(0, 1)])

    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=parent)

    assert (statuses(db, [parent, child]), run_status(db, run_id)) == (["cancelled", "cancelled"], "cancelled")


def test_a_skip_goes_on_to_what_is_behind(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 4, [(0, 1, "failed"), (1, 2), (1, 3, "continue")])

    complete(worker, tasks[0])

    assert statuses(db, tasks) == ["completed", "skipped", "skipped", "queued"]
    drain(db, worker)
    assert run_status(db, run_id) == "completed"


def test_an_optional_task_that_fails_is_skipped_around_and_the_run_completes(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 4, [(0, 1), (0, 2, "continue")], kinds=OPTIONAL, task_kinds=[1, 0, 0, 0])

    fail(worker, tasks[0])

    assert statuses(db, tasks) == ["failed", "skipped", "queued", "queued"]
    drain(db, worker)
    assert run_status(db, run_id) == "completed"
    assert (run_row(db, run_id)["failed_tasks"], run_row(db, run_id)["error"]) == (1, None)


def test_the_runs_error_is_that_of_the_task_that_failed_it(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 2, kinds=OPTIONAL, task_kinds=[1, 0])
    worker.fail(held(worker, tasks[0]), error="tolerated", final=True)

    worker.fail(held(worker, tasks[1]), error="fatal", final=True)

    assert run_status(db, run_id) == "failed"
    assert run_row(db, run_id)["error"] == {"message": "fatal"}


@pytest.mark.parametrize(
    ("edges", "outcome"),
    [
        ([(0, 1, "continue"), (0, 2, "continue")], "completed"),
        ([(0, 1, "continue"), (0, 2)], "failed"),
        ([(0, 1, "continue"), (0, 2, "failed")], "failed"),
        ([(0, 1, "failed"), (0, 2, "failed")], "failed"),
        ([], "failed"),
    ],
)
def test_a_failure_is_tolerated_only_when_nothing_but_continue_edges_leave_it(
    db: Db, worker: Worker, edges: list[Any], outcome: str
) -> None:
    run_id, tasks = start_graph(db, 3, edges)

    fail(worker, tasks[0])
    drain(db, worker)

    assert run_status(db, run_id) == outcome


def test_a_task_reached_by_a_cancel_and_a_skip_is_cancelled(db: Db, worker: Worker) -> None:
    _, tasks = start_graph(db, 4, [(0, 1, "failed"), (2, 3), (1, 3)])
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=tasks[2])

    assert status(db, tasks[3]) == "cancelled"
    complete(worker, tasks[0])
    assert statuses(db, tasks) == ["completed", "skipped", "cancelled", "cancelled"]


def test_one_failure_may_doom_and_release_at_once(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 5, [(0, 1), (0, 2, "failed"), (1, 3, "continue"), (0, 3, "failed"), (1, 4), (2, 4)])

    fail(worker, tasks[0])

    assert statuses(db, tasks) == ["failed", "cancelled", "queued", "queued", "cancelled"]
    drain(db, worker)
    assert run_status(db, run_id) == "failed"


def test_a_batch_of_ends_counts_each_edge(db: Db, worker: Worker) -> None:
    _, tasks = start_graph(db, 4, [(0, 3), (1, 3), (2, 3)])

    worker.complete(*worker.claim(3))

    assert status(db, tasks[3]) == "queued"


def test_a_run_is_running_from_its_first_claim_and_keeps_its_times(db: Db, worker: Worker, clock: Clock) -> None:
    run_id, tasks = start_graph(db, 2, [(0, 1)])
    assert run_status(db, run_id) == "pending"
    clock.advance(seconds=5)
    claim = held(worker, tasks[0])
    assert run_status(db, run_id, settle=False) == "running"
    started = clock.now
    clock.advance(seconds=5)
    worker.complete(claim)
    assert run_status(db, run_id, settle=False) == "running"
    drain(db, worker)
    assert run_status(db, run_id) == "completed"

    row = db.execute(
        "select started_at, completed_at, duration_seconds from tenuto.run_status where id = %s", [run_id]
    ).fetchone()
    assert row == (started, clock.now, (clock.now - started).total_seconds())
