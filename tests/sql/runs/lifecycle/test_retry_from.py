"""A retry from a task or a step runs what completed again from there on."""

from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import fenced, run, settle
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, start_graph, start_one

WORK = {"type": "app.work", "max_attempts": 1}
CHILD = Jsonb([{"type": "app.child", "max_attempts": 1, "optional": True}])


def retry(db: Db, run_id: UUID, from_name: str, **how: Any) -> UUID:
    return call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id, from_name=from_name, **how)


def step(worker: Worker, held: Claim, no: int, name: str) -> None:
    call(worker.db, "record_step", **fenced(worker, held, step_no=no, name=name, kind="step", value={}))


def names(db: Db, task_id: UUID) -> list[str]:
    return [row["name"] for row in call(db, "get_steps", org_id=DEFAULT_ORG, task_id=task_id)]


def a_completed_chain(db: Db, worker: Worker) -> UUID:
    """extract -> transform -> load, and an audit beside them, each with a step."""
    kinds = [{"type": f"app.{name}", "max_attempts": 1} for name in ("extract", "transform", "load", "audit")]
    run_id, _ = start_graph(db, 4, [(0, 1), (1, 2)], kinds=kinds, task_kinds=[0, 1, 2, 3], run={"name": "etl"})
    while claims := worker.claim(1):
        step(worker, claims[0], 1, f"step {claims[0].input}")
        worker.complete(*claims)
    settle(db)
    assert run(db, run_id)["status"] == "completed"
    return run_id


def test_a_task_and_its_dependents_run_again_from_nothing(db: Db) -> None:
    worker = a_worker(db)
    old = a_completed_chain(db, worker)

    new = retry(db, old, "app.transform")

    ran = []
    while claims := worker.claim(1):
        ran += [(claims[0].input, names(db, claims[0].task_id))]
        worker.complete(*claims)
    settle(db)
    assert ran == [(1, []), (2, [])]
    assert (run(db, new)["status"], run(db, new)["total_tasks"]) == ("completed", 4)


def test_a_task_that_recorded_the_step_continues_before_it(db: Db) -> None:
    worker = a_worker(db)
    old = start_one(db, kind=WORK)
    held = worker.claim_one()
    for no, name in enumerate(["charge", "ship", "tell", "ship"], 1):
        step(worker, held, no, name)
    worker.complete(held)

    new = retry(db, old, "ship")

    assert (worker.claim_one().task_id, names(db, new)) == (new, ["charge"])


def test_children_of_later_steps_are_left_out_and_those_before_are_kept(db: Db) -> None:
    worker = a_worker(db)
    old = start_one(db, kind=WORK)
    held = worker.claim_one()
    for no, name in ((1, "pack"), (2, "ship")):
        worker.start_children(held, no, kinds=CHILD, step_no=no, step_name=name)
        worker.complete(worker.claim_one())
    worker.complete(held)
    settle(db)

    new = retry(db, old, "ship")

    copy = worker.claim_one()
    assert (worker.claim(5), names(db, copy.task_id)) == ([], ["pack"])
    worker.complete(copy)
    settle(db)
    assert (run(db, new)["status"], run(db, new)["total_tasks"]) == ("completed", 2)
    assert_invariants(db)


def test_a_large_run_is_retried_from_a_step(db: Db) -> None:
    worker = a_worker(db)
    old, _ = start_graph(db, 1001, kinds=[WORK])
    first, *others = worker.claim(1001)
    step(worker, first, 1, "charge")
    step(worker, first, 2, "ship")
    worker.complete(first, *others)
    settle(db)

    new = retry(db, old, "ship")
    while call(db, "advance_requests"):
        pass

    (copy,) = worker.claim(5)
    assert (copy.input, names(db, copy.task_id)) == (first.input, ["charge"])
    worker.complete(copy)
    settle(db)
    assert (run(db, new)["status"], run(db, new)["total_tasks"]) == ("completed", 1001)


def test_an_unknown_name_is_refused_with_those_that_there_are(db: Db) -> None:
    worker = a_worker(db)
    old = a_completed_chain(db, worker)

    with pytest.raises(InvalidInput, match=r"no task or step 'app\.child' to retry from") as refused:
        retry(db, old, "app.child")
    assert "app.audit, app.extract, app.load, app.transform, step 0, step 1, step 2, step 3" in str(refused.value)
    with pytest.raises(InvalidInput, match="missing or empty"):
        retry(db, old, "")
    with pytest.raises(InvalidInput, match="always reuses the tasks before it"):
        retry(db, old, "app.load", reuse=False)
    assert run(db, old)["retried_by"] is None


def test_a_long_list_of_names_is_cut(db: Db) -> None:
    worker = a_worker(db)
    old = start_one(db, kind=WORK)
    held = worker.claim_one()
    for no in range(1, 31):
        step(worker, held, no, f"step {no:02}")
    worker.complete(held)

    with pytest.raises(InvalidInput, match="step 19 and 11 more"):
        retry(db, old, "step")
