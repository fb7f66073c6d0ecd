"""Tasks that run because of how the rest of the run ended, before it is final."""

from typing import Any

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.database.starts import rows_written, start_run
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, call, drain, run_status, start_graph, statuses

KINDS: list[dict[str, Any]] = [
    {"type": "app.work", "backoff_seconds": 0},
    {"type": "app.on_completed", "handler": "completed"},
    {"type": "app.on_failed", "handler": "failed"},
    {"type": "app.on_cancelled", "handler": "cancelled"},
]


def a_run_with_handlers(db: Db) -> tuple[Any, list[Any]]:
    return start_graph(db, 5, [(0, 1)], kinds=KINDS, task_kinds=[0, 0, 1, 2, 3])


def end(db: Db, worker: Worker, run_id: Any, how: str) -> None:
    """Bring the run's own tasks to an end."""
    if how == "completed":
        drain(db, worker)
    elif how == "failed":
        worker.fail(worker.claim_one(), final=True)
    else:
        call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id)


@pytest.mark.parametrize(("fate", "runs"), [("completed", 2), ("failed", 3), ("cancelled", 4)])
def test_the_handler_of_the_runs_end_runs_first_and_the_others_are_skipped(
    db: Db, worker: Worker, fate: str, runs: int
) -> None:
    run_id, tasks = a_run_with_handlers(db)
    assert statuses(db, tasks[2:]) == ["pending"] * 3

    end(db, worker, run_id, fate)

    assert run_status(db, run_id) not in ("completed", "failed", "cancelled")
    handler = worker.claim_one()
    assert handler.task_id == tasks[runs]
    worker.complete(handler)
    assert run_status(db, run_id) == fate
    assert [number for number, state in enumerate(statuses(db, tasks)) if state == "skipped"] == [
        number for number in (2, 3, 4) if number != runs
    ]


def test_handlers_do_not_run_while_anything_else_is_open(db: Db, worker: Worker) -> None:
    run_id, _ = a_run_with_handlers(db)
    worker.complete(worker.claim_one())

    assert run_status(db, run_id) == "running"

    assert [claim.input for claim in worker.claim(10)] == [1]


def test_a_handler_is_retried_like_any_task(db: Db, worker: Worker) -> None:
    run_id, _ = start_graph(db, 2, kinds=[KINDS[0], {**KINDS[1], "backoff_seconds": 0}], task_kinds=[0, 1])
    drain(db, worker)
    run_status(db, run_id)
    worker.fail(worker.claim_one())
    call(db, "promote_due")

    assert drain(db, worker) == 1

    assert run_status(db, run_id) == "completed"


def test_a_completed_run_whose_handler_fails_has_failed(db: Db, worker: Worker) -> None:
    run_id, _ = start_graph(db, 2, kinds=KINDS, task_kinds=[0, 1])
    drain(db, worker)
    run_status(db, run_id)

    worker.fail(worker.claim_one(), final=True)

    assert run_status(db, run_id) == "failed"


def test_a_failed_run_stays_failed_whatever_its_handler_does(db: Db, worker: Worker) -> None:
    run_id, _ = start_graph(db, 3, kinds=KINDS, task_kinds=[0, 2, 2])
    worker.fail(worker.claim_one(), error="the reason", final=True)
    run_status(db, run_id)
    one, two = worker.claim(2)

    worker.complete(one)
    worker.fail(two, error="in the handler", final=True)

    assert run_status(db, run_id) == "failed"
    row = db.execute("select error from tenuto.run_status where id = %s", [run_id]).fetchone()
    assert row == ({"message": "the reason"},)


def test_a_runs_output_is_not_its_handlers(db: Db, worker: Worker) -> None:
    run_id, _ = start_graph(db, 2, kinds=KINDS, task_kinds=[0, 1])
    worker.complete(worker.claim_one(), outputs=["mine"])
    run_status(db, run_id)
    worker.complete(worker.claim_one(), outputs=["the handler's"])

    assert run_status(db, run_id) == "completed"
    row = db.execute("select output from tenuto.run_status where id = %s", [run_id]).fetchone()
    assert row == ("mine",)


def test_a_run_of_nothing_but_a_handler_runs_it(db: Db, worker: Worker) -> None:
    run_id, _ = start_run(db, kinds=[KINDS[1]])
    run_status(db, run_id)

    assert drain(db, worker) == 1

    assert run_status(db, run_id) == "completed"


@pytest.mark.parametrize("kinds", [[0, 2], [2, 0], [1, 2]])
def test_an_edge_between_a_task_and_a_handler_of_another_end_is_refused(db: Db, kinds: list[int]) -> None:
    with pytest.raises(InvalidInput, match="handler"):
        start_run(db, 2, kinds=KINDS, task_kinds=kinds, edges=[{"from": 0, "to": 1}])

    assert rows_written(db) == {}


def test_handlers_of_one_end_may_follow_each_other(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 3, [(1, 2)], kinds=KINDS, task_kinds=[0, 1, 1])
    drain(db, worker)
    run_status(db, run_id)

    assert [claim.task_id for claim in worker.claim(5)] == [tasks[1]]
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")
    assert statuses(db, tasks) == ["completed", "running", "pending"]
