"""A final run is started again as a new run."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org, by_input, cancel_run, cancel_task, count, run, settle, value
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Worker,
    a_worker,
    call,
    drain,
    start_graph,
    start_one,
    statuses,
    task,
)

WORK = {"type": "app.work", "max_attempts": 1}
HANDLERS = [{"type": f"app.on_{fate}", "handler": fate} for fate in ("completed", "failed")]


def retry(db: psycopg.Connection, run_id: UUID, **how: Any) -> UUID:
    return call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id, **how)


def inputs(db: psycopg.Connection, worker: Worker) -> list[Any]:
    """The inputs of what is executed from here to the end, in order; every output is input + 100."""
    seen = []
    while claims := worker.claim(1):
        seen += [claim.input for claim in claims]
        worker.complete(*claims, outputs=[[claim.input + 100] for claim in claims])
    settle(db)
    return seen


def a_failed_chain(db: psycopg.Connection, worker: Worker, **about: Any) -> UUID:
    """0 -> 1 -> 2 with data along the edges: 0 completed, 1 failed, 2 was cancelled."""
    behind = [{"task": i, "outputs": ["int"], "slots": [{"type": "int", "task": i - 1, "output": 0}]} for i in (1, 2)]
    details: list[dict[str, Any]] = [{"task": 0, "outputs": ["int"]}, *behind]
    run_id, _ = start_graph(db, 3, kinds=[WORK], details=details, run={"name": "chain", **about})
    worker.complete(worker.claim_one(), outputs=[[100]])
    worker.fail(worker.claim_one())
    settle(db)
    return run_id


def test_completed_tasks_keep_their_output_and_are_not_executed_again(db: psycopg.Connection) -> None:
    worker = a_worker(db)
    old = a_failed_chain(db, worker, metadata={"team": "bi"}, input={"day": 1})

    new = retry(db, old)

    (first,) = worker.claim(5)
    assert (first.input, first.slots, first.run_id) == (1, [100], new)
    worker.complete(first, outputs=[[101]])
    (second,) = worker.claim(5)
    assert (second.input, second.slots) == (2, [101])
    worker.complete(second, outputs=[[102]])
    settle(db)
    seen = run(db, new)
    assert (seen["status"], seen["total_tasks"], seen["completed_tasks"]) == ("completed", 3, 3)
    assert (seen["output"], seen["retry_of"]) == ([102], old)
    assert (seen["metadata"], seen["input"], seen["name"]) == ({"team": "bi"}, {"day": 1}, "chain")


def test_the_old_run_stays_as_it_was(db: psycopg.Connection) -> None:
    worker = a_worker(db)
    old = a_failed_chain(db, worker)
    before = run(db, old)

    new = retry(db, old)
    inputs(db, worker)

    assert run(db, old) == {**before, "retried_by": new}


def test_without_reuse_everything_is_executed_again(db: psycopg.Connection) -> None:
    worker = a_worker(db)
    old = a_failed_chain(db, worker)

    new = retry(db, old, reuse=False)

    assert inputs(db, worker) == [0, 1, 2]
    assert (run(db, new)["status"], run(db, new)["output"]) == ("completed", [102])


def test_a_run_of_one_is_retried_as_a_run_of_one(db: psycopg.Connection) -> None:
    old = start_one(db, kind={"max_attempts": 1, "priority": 7}, details=Jsonb([{"task": 0, "metadata": {"a": 1}}]))
    worker = a_worker(db)
    worker.fail(worker.claim_one())

    new = retry(db, old)

    held = worker.claim_one()
    assert (held.task_id, held.run_id, held.attempt, held.metadata) == (new, new, 1, {"a": 1})
    worker.complete(held, outputs=["fine"])
    seen = run(db, new)
    assert (seen["status"], seen["output"], seen["retry_of"]) == ("completed", "fine", old)
    assert (task(db, new)["priority"], task(db, new)["copy_of"]) == (7, old)


def test_a_retried_run_can_be_retried(db: psycopg.Connection) -> None:
    worker = a_worker(db)
    second = retry(db, a_failed_chain(db, worker))
    worker.complete(worker.claim_one(), outputs=[[101]])
    worker.fail(worker.claim_one())
    settle(db)

    third = retry(db, second)

    held = worker.claim_one()
    assert (held.input, held.slots) == (2, [101])
    worker.complete(held, outputs=[[102]])
    settle(db)
    seen = run(db, third)
    assert (seen["status"], seen["retry_of"], seen["output"]) == ("completed", second, [102])


def test_a_run_is_retried_once_unless_forced_or_its_retry_is_deleted(db: psycopg.Connection) -> None:
    old = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    second = retry(db, old)

    with pytest.raises(Conflict, match=f"run {old} was retried by run {second}"):
        retry(db, old)
    third = retry(db, old, force=True)
    assert (run(db, old)["retried_by"], run(db, second)["retry_of"], run(db, third)["retry_of"]) == (third, old, old)
    listed = {row["id"]: row["retried_by"] for row in call(db, "list_runs", org_id=DEFAULT_ORG)}
    assert listed == {old: third, second: None, third: None}

    cancel_run(db, third)
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=third)
    assert run(db, retry(db, old))["retry_of"] == old


def test_a_refused_retry_does_not_count(db: psycopg.Connection) -> None:
    old = start_one(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    with pytest.raises(Conflict, match="nothing to retry"):
        retry(db, old)

    assert run(db, old)["retried_by"] is None
    assert run(db, retry(db, old, reuse=False))["retry_of"] == old


def test_the_retry_of_a_run_with_children_keeps_its_type(db: psycopg.Connection) -> None:
    old = start_one(db, kind={"type": "shop.order", "max_attempts": 1})
    worker = a_worker(db)
    parent = worker.claim_one()
    worker.start_children(parent, 50)
    worker.fail(parent)
    drain(db, worker)
    settle(db)

    new = retry(db, old)

    assert (run(db, new)["type"], run(db, new)["single_task"]) == ("shop.order", False)
    worker.complete(worker.claim_one())
    settle(db)
    assert run(db, new)["status"] == "completed"


def test_a_cancelled_run_can_be_retried(db: psycopg.Connection) -> None:
    old, _ = start_graph(db, 2, [(0, 1)])
    cancel_run(db, old)
    settle(db)

    new = retry(db, old)

    assert inputs(db, a_worker(db)) == [0, 1]
    assert run(db, new)["status"] == "completed"


def test_the_new_run_outlives_the_deletion_of_the_old(db: psycopg.Connection, clock: Clock) -> None:
    worker = a_worker(db, lease="10 hours")
    thing = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x")
    details = [
        {"task": 0, "outputs": ["int"]},
        {"task": 1, "slots": [{"task": 0, "output": 0}, {"object": str(thing)}]},
    ]
    old, _ = start_graph(db, 2, kinds=[WORK], details=details)
    call(db, "reference_object", org_id=DEFAULT_ORG, object_id=thing, holder="run", holder_id=old)
    worker.complete(worker.claim_one(), outputs=[[7]])
    worker.fail(worker.claim_one())
    settle(db)
    new = retry(db, old)

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=old)
    clock.advance(hours=9)
    assert call(db, "collect_objects", keep="1 second") == []

    held = worker.claim_one()
    assert held.slots == [7, {"$object": str(thing)}]
    worker.complete(held)
    settle(db)
    assert run(db, new)["status"] == "completed"
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=new)
    assert len(call(db, "collect_objects", keep="1 second")) == 1


def test_handlers_of_a_retried_run_run_at_its_own_end(db: psycopg.Connection) -> None:
    old, _ = start_graph(db, 3, kinds=[WORK, *HANDLERS], task_kinds=[0, 1, 2])
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    settle(db)
    assert inputs(db, worker) == [2]

    new = retry(db, old)
    assert inputs(db, worker) == [0]
    assert inputs(db, worker) == [1]

    assert run(db, new)["status"] == "completed"
    assert (run(db, new)["total_tasks"], run(db, new)["skipped_tasks"]) == (3, 1)


def test_a_run_that_failed_in_its_handler_runs_only_that_again(db: psycopg.Connection) -> None:
    old, _ = start_graph(db, 2, kinds=[WORK, HANDLERS[0]], task_kinds=[0, 1])
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    settle(db)
    worker.fail(worker.claim_one(), final=True)
    settle(db)
    assert run(db, old)["status"] == "failed"

    new = retry(db, old)
    settle(db)

    assert inputs(db, worker) == [1]
    assert run(db, new)["status"] == "completed"


def test_a_parent_that_runs_again_starts_its_own_children(db: psycopg.Connection) -> None:
    old = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    parent = worker.claim_one()
    worker.start_children(parent, 50, 51)
    worker.complete(worker.claim_one())
    worker.fail(parent)
    drain(db, worker)
    settle(db)
    assert run(db, old)["status"] == "failed"

    new = retry(db, old)

    (held,) = worker.claim(5)
    assert held.input is None
    worker.complete(held)
    settle(db)
    assert (run(db, new)["status"], run(db, new)["total_tasks"]) == ("completed", 1)


def test_a_failed_child_of_a_completed_parent_is_executed_again_alone(db: psycopg.Connection) -> None:
    old = start_one(db)
    worker = a_worker(db)
    parent = worker.claim_one()
    worker.start_children(parent, 50)
    worker.complete(parent, outputs=["parent"])
    worker.fail(worker.claim_one(), final=True)
    settle(db)
    assert run(db, old)["status"] == "failed"

    new = retry(db, old)

    assert inputs(db, worker) == [50]
    assert (run(db, new)["status"], run(db, new)["output"]) == ("completed", "parent")


def test_a_child_whose_failure_its_parent_handled_is_not_executed_again(db: psycopg.Connection) -> None:
    old, _ = start_graph(db, 2, kinds=[WORK])
    worker = a_worker(db)
    parent, other = worker.claim(2)
    worker.start_children(parent, 50, kinds=Jsonb([{"type": "app.child", "optional": True}]))
    worker.fail(worker.claim_one(), final=True)
    worker.complete(parent, outputs=["parent"])
    worker.fail(other)
    settle(db)
    assert run(db, old)["status"] == "failed"

    new = retry(db, old)

    assert inputs(db, worker) == [1]
    assert (run(db, new)["status"], run(db, new)["output"]) == ("completed", ["parent", [101]])


def test_what_completed_behind_a_task_that_runs_again_is_decided_anew(db: psycopg.Connection) -> None:
    edges = [(0, 1, "continue"), (1, 2), (0, 3, "failed"), (4, 5)]
    old, tasks = start_graph(db, 6, edges, kinds=[WORK])
    worker = a_worker(db)
    claims = by_input(worker.claim(6))
    worker.fail(claims[0])
    worker.complete(claims[4])
    drain(db, worker)
    settle(db)
    assert statuses(db, tasks) == ["failed"] + ["completed"] * 5

    new = retry(db, old)

    assert inputs(db, worker) == [0, 1, 2]
    seen = run(db, new)
    assert (seen["status"], seen["completed_tasks"], seen["skipped_tasks"]) == ("completed", 5, 1)


@pytest.mark.parametrize("reuse", [True, False])
def test_a_run_that_used_its_own_attempts_is_retried_from_its_last(
    db: psycopg.Connection, clock: Clock, reuse: bool
) -> None:
    worker = a_worker(db, lease="1 day")
    old = a_failed_chain(db, worker, max_attempts=2)
    clock.advance(minutes=30)
    settle(db)
    worker.complete(worker.claim_one(), outputs=[[101]])
    worker.fail(worker.claim_one())
    settle(db)
    assert run(db, old)["status"] == "failed"

    new = retry(db, old, reuse=reuse)

    assert inputs(db, worker) == ([2] if reuse else [0, 1, 2])
    seen = run(db, new)
    assert (seen["status"], seen["total_tasks"], seen["output"], seen["attempt"]) == ("completed", 3, [102], 1)


def test_skipped_tasks_stay_skipped_unless_what_skipped_them_runs_again(db: psycopg.Connection) -> None:
    kinds = [WORK, {**WORK, "optional": True}]
    edges = [(0, 1, "failed"), (2, 3)]  # 1 is skipped as 0 completes; 3 is skipped as 2, which is optional, fails
    old, tasks = start_graph(db, 5, edges, kinds=kinds, task_kinds=[0, 0, 1, 0, 0])
    worker = a_worker(db)
    claims = by_input(worker.claim(5))
    worker.complete(claims[0])
    worker.fail(claims[2], claims[4])
    settle(db)
    assert statuses(db, tasks) == ["completed", "skipped", "failed", "skipped", "failed"]

    new = retry(db, old)

    assert sorted(inputs(db, worker)) == [2, 3, 4]
    seen = run(db, new)
    assert (seen["status"], seen["completed_tasks"], seen["skipped_tasks"]) == ("completed", 4, 1)


def test_declared_outputs_of_the_run_are_carried_over(db: psycopg.Connection) -> None:
    details = [{"task": i, "outputs": ["int"]} for i in range(2)]
    outputs = [{"task": 0, "output": 0}, {"task": 1, "output": 0}]
    old, tasks = start_graph(db, 2, kinds=[WORK], details=details, run={"name": "r", "outputs": outputs})
    worker = a_worker(db)
    worker.complete(worker.claim_one(), outputs=[[100]])
    cancel_task(db, tasks[1])
    settle(db)

    new = retry(db, old)
    inputs(db, worker)

    assert run(db, new)["output"] == [100, 101]


def test_an_open_run_a_completed_one_and_a_strangers_cannot_be_retried(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    with pytest.raises(Conflict, match="not final"):
        retry(db, run_id)
    drain(db, a_worker(db))
    settle(db)
    with pytest.raises(Conflict, match="nothing to retry"):
        retry(db, run_id)
    with pytest.raises(NotFound):
        call(db, "retry_run", org_id=an_org(db, "other"), run_id=run_id)
    with pytest.raises(NotFound):
        retry(db, uuid4())

    assert count(db, "runs") == 1
    assert value(db, "select count(*) from tenuto.run_status where id = %s", retry(db, run_id, reuse=False)) == 1
