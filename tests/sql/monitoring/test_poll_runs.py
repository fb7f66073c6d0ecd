"""Final runs, for clients that wait for them."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from tenuto.db import monitoring
from tests.support.database.loops import an_org, cancel_run, count, run, settle
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start, start_graph, start_one
from tests.support.database.wrappers import call_wrapper


def poll(db: Db, *run_ids: UUID) -> dict[UUID, tuple[str, Any, Any]]:
    rows = call(db, "poll_runs", org_id=DEFAULT_ORG, run_ids=list(run_ids))
    return {row["id"]: (row["status"], row["output"], row["error"]) for row in rows}


def test_only_those_that_are_final_are_answered(db: Db, database: str) -> None:
    done, failed, stopped, running, _ = tasks = start(db, *range(5))
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(4)}
    worker.complete(claims[done], outputs=[{"n": 1}])
    worker.fail(claims[failed], final=True)
    cancel_run(db, stopped)
    worker.fail(claims[stopped])
    assert running in claims

    ends = call_wrapper(database, monitoring.poll_runs, org_id=DEFAULT_ORG, run_ids=tasks)

    assert {end.id: (end.status, end.output) for end in ends} == {
        done: ("completed", {"n": 1}),
        failed: ("failed", None),
        stopped: ("cancelled", None),
    }
    assert poll(db, failed)[failed][2] == {"message": "boom"}


def test_a_graph_is_final_before_any_dispatcher_looked(db: Db) -> None:
    run_id, _ = start_graph(db, 3, [(0, 1), (1, 2)])
    drain(db, a_worker(db))

    assert poll(db, run_id) == {run_id: ("completed", None, None)}

    assert count(db, "run_counts") == 0
    assert run(db, run_id)["status"] == "completed"


def test_counts_that_do_not_end_the_run_are_left_to_the_dispatcher(db: Db) -> None:
    run_id, _ = start_graph(db, 3, [(0, 1), (1, 2)])
    worker = a_worker(db)
    worker.complete(worker.claim_one())

    assert poll(db, run_id) == {}

    assert count(db, "run_counts") == 1


def test_a_failed_graph_answers_the_error_of_the_task_that_failed_it(db: Db) -> None:
    run_id, _ = start_graph(db, 2, [(0, 1)])
    worker = a_worker(db)
    worker.fail(worker.claim_one(), error="no disk", final=True)

    assert poll(db, run_id) == {run_id: ("failed", None, {"message": "no disk"})}


def test_a_run_that_grew_by_children_waits_for_them(db: Db) -> None:
    run_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    worker.start_children(held, 1)
    worker.complete(held, outputs=["parent"])
    assert poll(db, run_id) == {}

    drain(db, worker)

    assert poll(db, run_id)[run_id][0] == "completed"


def test_a_run_with_attempts_left_is_not_final_when_its_tasks_failed(db: Db) -> None:
    run_id, _ = start_graph(db, 1, run={"name": "again", "max_attempts": 2})
    worker = a_worker(db)
    worker.fail(worker.claim_one(), final=True)

    assert poll(db, run_id) == {}
    settle(db)
    assert poll(db, run_id) == {}
    assert run(db, run_id)["status"] == "retrying"


def test_runs_of_others_and_unknown_ones_are_not_answered(db: Db) -> None:
    org = an_org(db, "other")
    theirs = start_one(db, org_id=org)
    worker = a_worker(db, org_id=org)
    worker.complete(worker.claim_one())

    assert poll(db, theirs, uuid4()) == {}


@pytest.mark.parametrize("times", [2, 3])
def test_polling_again_answers_the_same(db: Db, times: int) -> None:
    run_id, _ = start_graph(db, 2)
    drain(db, a_worker(db))

    answers = [poll(db, run_id) for _ in range(times)]

    assert answers == [answers[0]] * times
    assert answers[0] != {}


def test_runs_are_left_for_the_next_call_when_the_outputs_reach_16_mb(db: Db) -> None:
    runs, worker = start(db, *range(20)), a_worker(db)
    for _ in range(4):
        claims = worker.claim(5)
        worker.complete(*claims, outputs=["x" * 900_000] * 5)

    first = poll(db, *runs)
    rest = poll(db, *(run_id for run_id in runs if run_id not in first))

    assert (len(first), len(rest)) == (19, 1)
    assert {*first, *rest} == {*runs}


def test_the_output_of_a_run_is_omitted_over_16_mb_and_complete_below(db: Db) -> None:
    worker = a_worker(db)
    for sinks, length in ((18, 900_000), (19, 900_000)):
        run_id, _ = start_graph(db, sinks)
        while claims := worker.claim(5):
            worker.complete(*claims, outputs=["x" * length] * len(claims))
        (row,) = call(db, "poll_runs", org_id=DEFAULT_ORG, run_ids=[run_id])
        (shown,) = call(db, "get_run", org_id=DEFAULT_ORG, run_id=run_id)
        assert row["output_omitted"] == shown["output_omitted"] == (sinks > 18)
        assert row["output"] == shown["output"] == (["x" * length] * sinks if sinks == 18 else None)
