"""pending -> running -> completed | failed | cancelled: what ended is added to the counts of its run."""

from uuid import UUID

import psycopg

from tests.support.clock import Clock
from tests.support.database.loops import by_input, count, run
from tests.support.database.tasks import a_worker, call, drain, start_graph, start_one

COUNTS = ("total_tasks", "completed_tasks", "failed_tasks", "cancelled_tasks", "skipped_tasks")


def counts(db: psycopg.Connection, run_id: UUID) -> tuple[int, ...]:
    seen = run(db, run_id)
    return tuple(seen[name] for name in COUNTS)


def test_a_run_goes_from_pending_to_running_to_completed(db: psycopg.Connection, clock: Clock) -> None:
    run_id, _ = start_graph(db, 2)
    worker = a_worker(db, lease="1 day")
    assert run(db, run_id)["status"] == "pending"

    first = worker.claim_one()
    started = clock.now
    assert (run(db, run_id)["status"], run(db, run_id)["started_at"]) == ("running", started)
    clock.advance(seconds=5)
    worker.complete(first)
    assert call(db, "fold_runs") == 1
    assert (run(db, run_id)["status"], counts(db, run_id)) == ("running", (2, 1, 0, 0, 0))

    worker.complete(worker.claim_one())
    clock.advance(seconds=5)
    assert call(db, "fold_runs") == 1

    seen = run(db, run_id)
    assert (seen["status"], counts(db, run_id)) == ("completed", (2, 2, 0, 0, 0))
    assert (seen["started_at"], seen["completed_at"]) == (started, clock.now)
    assert seen["duration_seconds"] == 10


def test_every_way_to_end_is_counted(db: psycopg.Connection) -> None:
    kinds = [{"type": "app.work", "max_attempts": 1}, {"type": "app.work", "optional": True, "max_attempts": 1}]
    edges = [(1, 2), (3, 4, "failed"), (3, 5)]
    run_id, _ = start_graph(db, 6, edges, kinds=kinds, task_kinds=[0, 0, 0, 1, 0, 0])
    worker = a_worker(db)
    claims = by_input(worker.claim(6))
    worker.complete(claims[0])
    worker.fail(claims[1])  # cancels 2
    worker.fail(claims[3])  # lets 4 go, skips 5
    drain(db, worker)

    call(db, "fold_runs")

    assert counts(db, run_id) == (6, 2, 2, 1, 1)
    assert run(db, run_id)["status"] == "failed"


def test_the_error_of_a_failed_run_is_that_of_the_task_that_failed_it(db: psycopg.Connection) -> None:
    kinds = [{"type": "app.work", "max_attempts": 1}, {"type": "app.work", "optional": True, "max_attempts": 1}]
    run_id, tasks = start_graph(db, 2, kinds=kinds, task_kinds=[1, 0])
    worker = a_worker(db)
    claims = by_input(worker.claim(2))
    worker.fail(claims[0], error="tolerated")
    worker.fail(claims[1], error="serious")

    call(db, "fold_runs")

    seen = run(db, run_id)
    assert (seen["error"], seen["failed_task_id"]) == ({"message": "serious"}, tasks[1])


def test_a_completed_run_shows_no_error_although_an_optional_task_failed(db: psycopg.Connection) -> None:
    kinds = [{"type": "app.work", "optional": True, "max_attempts": 1}]
    run_id, _ = start_graph(db, 2, kinds=kinds)
    worker = a_worker(db)
    claims = worker.claim(2)
    worker.fail(claims[0])
    worker.complete(claims[1])

    call(db, "fold_runs")

    seen = run(db, run_id)
    assert (seen["status"], seen["error"], seen["failed_task_id"]) == ("completed", None, None)


def test_folding_again_changes_nothing(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 1, run={"max_attempts": 2})
    worker = a_worker(db)
    drain(db, worker)
    call(db, "fold_runs")
    before = run(db, run_id)

    assert call(db, "fold_runs") == 0

    assert run(db, run_id) == before


def test_what_was_not_folded_at_its_time_is_folded_later(db: psycopg.Connection) -> None:
    runs = [start_graph(db, 3)[0] for _ in range(3)]
    drain(db, a_worker(db))

    assert [call(db, "fold_runs", limit=2) for _ in range(3)] == [2, 1, 0]

    assert [run(db, run_id)["status"] for run_id in runs] == ["completed"] * 3
    assert count(db, "run_counts") == 0


def test_one_who_waits_for_a_run_can_fold_only_that(db: psycopg.Connection) -> None:
    waited, _ = start_graph(db, 2)
    other, _ = start_graph(db, 2)
    drain(db, a_worker(db))

    assert call(db, "fold_runs", run_ids=[waited]) == 1

    assert run(db, waited)["status"] == "completed"
    assert run(db, other)["status"] == "running"


def test_a_run_that_another_transaction_holds_is_left_for_later(db: psycopg.Connection, database: str) -> None:
    held, _ = start_graph(db, 2)
    free, _ = start_graph(db, 2)
    drain(db, a_worker(db))
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.runs where id = %s for update", [held])
        assert call(db, "fold_runs") == 1
        assert (run(db, held)["status"], run(db, free)["status"]) == ("running", "completed")

    assert call(db, "fold_runs") == 1
    assert run(db, held)["status"] == "completed"


def test_children_that_a_task_adds_count_in_its_run(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    worker = a_worker(db)
    parent, other = worker.claim(2)
    worker.start_children(parent, 1, 2, 3)
    worker.complete(parent, other)
    call(db, "fold_runs")
    assert (run(db, run_id)["status"], counts(db, run_id)[:2]) == ("running", (5, 2))

    drain(db, worker)
    call(db, "fold_runs")

    assert (run(db, run_id)["status"], counts(db, run_id)[:2]) == ("completed", (5, 5))


def test_a_run_of_one_that_gets_children_becomes_a_counted_run(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    worker = a_worker(db)
    parent = worker.claim_one()
    worker.start_children(parent, 1)
    assert (run(db, run_id)["status"], run(db, run_id)["single_task"]) == ("running", False)

    worker.complete(parent, outputs=["done"])
    drain(db, worker)
    call(db, "fold_runs")

    assert (run(db, run_id)["status"], counts(db, run_id)[:2]) == ("completed", (2, 2))
    assert run(db, run_id)["output"] == "done"


def test_the_deltas_of_a_run_that_is_held_do_not_delay_the_others(db: psycopg.Connection, database: str) -> None:
    held, _ = start_graph(db, 2)
    db.execute(
        "insert into tenuto.run_counts (run_id, org_id) select id, org_id from tenuto.runs, generate_series(1, 200)"
    )
    free = [start_graph(db, 2)[0] for _ in range(3)]
    drain(db, a_worker(db))
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.runs where id = %s for update", [held])
        assert [call(db, "fold_runs", limit=2) for _ in range(3)] == [2, 1, 0]
        assert [run(db, run_id)["status"] for run_id in (held, *free)] == ["running", *["completed"] * 3]

    assert call(db, "fold_runs", limit=2) == 1
    assert run(db, held)["status"] == "completed"
