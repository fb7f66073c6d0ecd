"""running -> completed and queued -> running in one round trip."""

from typing import Any

import pytest

from tenuto.db.connection.call import call_sync, json_array
from tenuto.model.errors import InvalidInput
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, start, start_graph, statuses


def exchange(worker: Worker, *done: Claim, limit: int = 10, outputs: list[Any] | None = None) -> list[dict[str, Any]]:
    worker.claim_no += 1
    return call_sync(
        worker.db,
        "complete_and_claim",
        **worker.fence,
        task_ids=[claim.task_id for claim in done],
        attempts=[claim.attempt for claim in done],
        outputs=json_array(outputs if outputs is not None else [None] * len(done)),
        claim_no=worker.claim_no,
        routes=worker.routes(),
        limit=limit,
    )


def test_what_is_done_is_completed_and_the_next_are_claimed(db: Db) -> None:
    tasks = start(db, *range(4))
    worker = a_worker(db)
    held = worker.claim(2)

    rows = exchange(worker, *held, outputs=["a", "b"])

    assert [row["result"] for row in rows] == [None, None]
    assert [(row["attempt"], row["input"]) for row in sorted(rows, key=lambda row: row["input"])] == [(1, 2), (1, 3)]
    assert statuses(db, tasks) == ["completed", "completed", "running", "running"]


def test_it_answers_only_what_was_not_accepted(db: Db) -> None:
    start(db, *range(3))
    worker = a_worker(db)
    done, held = worker.claim(2)
    worker.complete(done)

    rows = exchange(worker, done, held)

    assert [(row["result"], row["task_id"]) for row in rows if row["result"]] == [("already_accepted", done.task_id)]
    assert len([row for row in rows if row["result"] is None]) == 1


def test_a_first_call_has_nothing_to_report_and_a_last_one_claims_nothing(db: Db) -> None:
    tasks = start(db, 1, 2)
    worker = a_worker(db)

    (row,) = exchange(worker, limit=1)
    held = Claim(row["task_id"], row["attempt"], row["run_id"], row["input"], row["slots"], 0)

    assert exchange(worker, held, limit=0) == []
    assert sorted(statuses(db, tasks)) == ["completed", "queued"]


def test_what_a_completion_releases_can_be_claimed_by_the_same_call(db: Db) -> None:
    _, tasks = start_graph(db, 2, [(0, 1)])
    worker = a_worker(db)

    rows = exchange(worker, worker.claim_one())

    assert [row["task_id"] for row in rows] == [tasks[1]]


def test_a_draining_worker_reports_and_gets_nothing(db: Db) -> None:
    tasks = start(db, 1, 2)
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="w")

    assert exchange(worker, held) == []

    assert sorted(statuses(db, tasks)) == ["completed", "queued"]


def test_the_report_of_an_ended_session_is_accepted_and_it_is_told_to_register_again(db: Db) -> None:
    tasks = start(db, 1, 2)
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")

    rows = exchange(worker, held)

    assert [(row["result"], row["task_id"]) for row in rows] == [("session_ended", None)]
    assert sorted(statuses(db, tasks)) == ["completed", "queued"]


def test_a_report_with_too_few_outputs_completes_nothing(db: Db) -> None:
    tasks = start(db, 1, 2)
    worker = a_worker(db)
    held = worker.claim(2)

    with pytest.raises(InvalidInput, match="each task needs one of each"):
        exchange(worker, *held, outputs=["only one"])

    assert statuses(db, tasks) == ["running", "running"]
