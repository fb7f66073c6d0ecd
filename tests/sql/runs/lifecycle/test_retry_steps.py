"""A task that a retry runs again continues after its recorded steps and children."""

from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import cancel_run, fenced, run, settle
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, start_graph, start_one, task

WORK = {"type": "app.work", "max_attempts": 1}
CHILD = Jsonb([{"type": "app.child", "max_attempts": 1, "optional": True}])


def retry(db: Db, run_id: UUID, **how: Any) -> UUID:
    return call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id, **how)


def step(worker: Worker, held: Claim, no: int, name: str, value: Any = "done", kind: str = "step") -> None:
    call(worker.db, "record_step", **fenced(worker, held, step_no=no, name=name, kind=kind, value=Jsonb(value)))


def children(worker: Worker, held: Claim, no: int, *inputs: object, **more: object) -> list[UUID]:
    return worker.start_children(held, *inputs, **{"kinds": CHILD, "step_no": no, "step_name": "child", **more})


def steps(db: Db, task_id: UUID) -> list[dict[str, Any]]:
    return call(db, "get_steps", org_id=DEFAULT_ORG, task_id=task_id)


def names(db: Db, task_id: UUID) -> list[str]:
    return [row["name"] for row in steps(db, task_id)]


def ids(db: Db, task_id: UUID, no: int) -> list[UUID]:
    """The children that a step of the task recorded."""
    (value,) = [row["value"] for row in steps(db, task_id) if row["step_no"] == no]
    return [UUID(id) for id in value]


def statuses(db: Db, task_ids: list[UUID]) -> list[str]:
    return [task(db, id)["status"] for id in task_ids]


def a_failed_parent(db: Db, worker: Worker, **about: Any) -> tuple[UUID, Claim]:
    """A task with a step and three children: one completed, one failed, one was handled; then it failed."""
    run_id = start_graph(db, 1, kinds=[WORK], run={"name": "order", **about})[0]
    parent = worker.claim_one()
    step(worker, parent, 1, "charge", {"paid": 5})
    handled = children(worker, parent, 2, 9)
    worker.fail(worker.claim_one(), error="handled")
    step(worker, parent, 3, "refund", {})
    good, bad = children(worker, parent, 4, 50, 51)
    worker.complete(worker.claim_one(), outputs=["fine"])
    worker.fail(worker.claim_one(), error="bad")
    worker.fail(parent, error=f"child app.child ({bad}) failed")
    settle(db)
    assert statuses(db, [*handled, good, bad]) == ["failed", "completed", "failed"]
    return run_id, parent


def test_the_copy_of_a_task_has_its_steps_and_its_children(db: Db) -> None:
    worker = a_worker(db)
    old, parent = a_failed_parent(db, worker)

    new = retry(db, old)

    claims = {claim.input: claim for claim in worker.claim(10)}
    assert set(claims) == {0, 51}
    copy = claims[0]
    assert (copy.attempt, copy.root_id, claims[51].run_id) == (1, parent.task_id, new)
    assert names(db, copy.task_id) == ["charge", "child", "refund", "child"]
    (handled,), (good, bad) = ids(db, copy.task_id, 2), ids(db, copy.task_id, 4)
    assert (statuses(db, [handled, good]), bad) == (["failed", "completed"], claims[51].task_id)
    assert (task(db, handled)["error"], task(db, good)["output"]) == ({"message": "handled"}, "fine")
    assert {task(db, id)["parent_id"] for id in (handled, good, bad)} == {copy.task_id}
    assert_invariants(db)

    worker.wait(copy, **{"for": "children", "tasks": [str(bad)]})
    assert worker.claim(10) == []
    worker.complete(claims[51])
    awake = worker.claim_one()
    assert awake.task_id == copy.task_id
    worker.complete(awake)
    settle(db)
    seen = run(db, new)
    assert (seen["status"], seen["total_tasks"], seen["completed_tasks"], seen["failed_tasks"]) == (
        "completed", 4, 3, 1
    )  # fmt: skip


def test_a_retry_from_scratch_copies_no_steps_and_no_children(db: Db) -> None:
    worker = a_worker(db)
    old, _ = a_failed_parent(db, worker)

    retry(db, old, reuse=False)

    (copy,) = worker.claim(10)
    assert steps(db, copy.task_id) == []


def test_the_next_attempt_of_a_run_reuses_steps_and_keeps_the_ids_of_children(db: Db, clock: Clock) -> None:
    worker = a_worker(db, lease="1 day")
    run_id, parent = a_failed_parent(db, worker, max_attempts=3)
    ((handled,), (good, _)) = ids(db, parent.task_id, 2), ids(db, parent.task_id, 4)
    for _ in range(2):
        clock.advance(minutes=30)
        settle(db)

        claims = {claim.input: claim for claim in worker.claim(10)}

        copy = claims[0]
        assert names(db, copy.task_id) == ["charge", "child", "refund", "child"]
        assert ids(db, copy.task_id, 2) == [handled]
        assert ids(db, copy.task_id, 4) == [good, claims[51].task_id]
        assert {task(db, id)["parent_id"] for id in (handled, good, claims[51].task_id)} == {copy.task_id}
        worker.fail(claims[51])
        worker.fail(copy, error=f"child app.child ({claims[51].task_id}) failed")
        settle(db)
    assert run(db, run_id)["status"] == "failed"

    new = retry(db, run_id)
    claims = {claim.input: claim for claim in worker.claim(10)}
    assert ids(db, claims[0].task_id, 4)[1] == claims[51].task_id
    worker.complete(claims[51], claims[0])
    settle(db)
    assert (run(db, new)["status"], run(db, new)["total_tasks"], claims[0].root_id) == ("completed", 4, parent.task_id)


def test_steps_to_be_tried_again_are_not_copied_and_sleeps_keep_their_time(db: Db, clock: Clock) -> None:
    start_one(db, kind=WORK)
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    step(worker, held, 1, "sleep", {"seconds": 60}, kind="sleep")
    error = {"type": "OSError", "module": "builtins", "message": "down"}
    failing = fenced(worker, held, step_no=2, name="handled", error=error, tries=2)
    call(db, "fail_step", **failing)
    call(db, "fail_step", **{**failing, "step_no": 3, "name": "waits"}, retry_seconds=60.0)
    before = steps(db, held.task_id)
    worker.fail(held)
    clock.advance(hours=1)

    new = retry(db, held.run_id)

    copied = steps(db, new)
    assert [{**row, "task_id": None} for row in copied] == [{**row, "task_id": None} for row in before[:2]]


@pytest.mark.parametrize("after", [False, True])
def test_a_wait_that_timed_out_is_copied_only_if_the_task_went_on(db: Db, after: bool) -> None:
    run_id = start_one(db, kind=WORK)
    worker = a_worker(db)
    held = worker.claim_one()
    step(worker, held, 1, "charge")
    step(worker, held, 2, "go timeout", {"seconds": 60}, kind="sleep")
    step(worker, held, 3, "go", {"$timeout": True}, kind="signal")
    if after:
        step(worker, held, 4, "remind")
    worker.fail(held)

    new = retry(db, run_id)

    assert names(db, new) == (["charge", "go timeout", "go", "remind"] if after else ["charge"])


def test_a_task_behind_one_that_runs_again_starts_from_nothing(db: Db) -> None:
    old, _ = start_graph(db, 2, [(0, 1, "continue")], kinds=[WORK])
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    behind = worker.claim_one()
    step(worker, behind, 1, "charge")
    worker.fail(behind)
    settle(db)

    retry(db, old)

    worker.complete(worker.claim_one())
    copy = worker.claim_one()
    assert (copy.input, steps(db, copy.task_id)) == (1, [])


def test_children_of_a_cancelled_run_run_again_although_a_step_was_recorded_since(db: Db) -> None:
    old = start_one(db, kind=WORK)
    worker = a_worker(db)
    held = worker.claim_one()
    children(worker, held, 1, 50)
    cancel_run(db, old)
    step(worker, held, 2, "slow")
    worker.fail(held)
    settle(db)
    assert run(db, old)["status"] == "cancelled"

    new = retry(db, old)

    claims = {claim.input: claim for claim in worker.claim(10)}
    assert ids(db, claims[None].task_id, 1) == [claims[50].task_id]
    worker.complete(*claims.values())
    settle(db)
    assert (run(db, new)["status"], run(db, new)["total_tasks"]) == ("completed", 2)


def test_children_that_were_started_together_with_a_named_one_run_again(db: Db) -> None:
    old = start_one(db, kind=WORK)
    worker = a_worker(db)
    held = worker.claim_one()
    first, _ = children(worker, held, 1, 50, 51)
    worker.fail(*worker.claim(2))
    step(worker, held, 2, "meanwhile")
    worker.fail(held, error=f"child app.child ({first}) failed: boom")
    settle(db)

    retry(db, old)

    assert {claim.input for claim in worker.claim(10)} == {None, 50, 51}


def test_a_child_whose_failure_was_recorded_as_handled_stays_failed_though_the_task_fails_with_it(db: Db) -> None:
    old = start_one(db, kind=WORK)
    worker = a_worker(db)
    held = worker.claim_one()
    (child,) = children(worker, held, 1, 50)
    worker.fail(worker.claim_one())
    error = {"type": "ChildFailed", "message": "boom"}
    call(db, "fail_step", **fenced(worker, held, step_no=1, name="child", error=error, tries=1, kind="child"))
    step(worker, held, 2, "refund")
    worker.fail(held, error=f"child app.child ({child}) failed: boom")
    settle(db)
    for _ in range(2):
        new = retry(db, old)

        copy = worker.claim_one()
        (kept,) = ids(db, copy.task_id, 1)
        assert (statuses(db, [kept]), names(db, copy.task_id)) == (["failed"], ["child", "refund"])
        assert steps(db, copy.task_id)[0]["error"] == error
        worker.fail(copy, error=f"child app.child ({kept}) failed: boom")
        settle(db)
        assert (run(db, new)["status"], run(db, new)["failed_tasks"]) == ("failed", 2)
        old = new
    assert_invariants(db)


def test_children_behind_a_child_that_runs_again_run_again(db: Db) -> None:
    old = start_one(db, kind=WORK)
    worker = a_worker(db)
    held = worker.claim_one()
    children(worker, held, 1, 50, 51, 52, edges=Jsonb([{"from": 0, "to": 1, "on": "continue"}]))
    claims = {claim.input: claim for claim in worker.claim(2)}
    worker.fail(claims[50])
    worker.complete(claims[52], worker.claim_one())
    worker.fail(held)
    settle(db)

    new = retry(db, old)

    again = {claim.input: claim for claim in worker.claim(10)}
    assert set(again) == {None, 50}
    worker.complete(again[50])
    behind = worker.claim_one()
    assert behind.input == 51
    worker.complete(behind, again[None])
    settle(db)
    assert (run(db, new)["status"], run(db, new)["total_tasks"]) == ("completed", 4)
    assert_invariants(db)


def test_children_of_children_are_copied_with_their_steps(db: Db) -> None:
    old = start_one(db, kind=WORK)
    worker = a_worker(db)
    held = worker.claim_one()
    children(worker, held, 1, 50)
    child = worker.claim_one()
    step(worker, child, 1, "charge")
    children(worker, child, 2, 60, 61)
    good, bad = worker.claim(2)
    worker.complete(good)
    worker.fail(bad)
    worker.fail(child)
    worker.fail(held)
    settle(db)

    new = retry(db, old)

    again = {claim.input: claim for claim in worker.claim(10)}
    assert set(again) == {None, 50, 61}
    assert names(db, again[50].task_id) == ["charge", "child"]
    kept, copy = ids(db, again[50].task_id, 2)
    assert (task(db, kept)["status"], copy, again[61].task_id) == ("completed", again[61].task_id, copy)
    worker.complete(*again.values())
    settle(db)
    assert (run(db, new)["status"], run(db, new)["total_tasks"]) == ("completed", 4)
    assert_invariants(db)


def test_a_large_run_is_copied_with_steps_and_children_in_pieces(db: Db) -> None:
    old = start_one(db, kind=WORK)
    worker = a_worker(db)
    held = worker.claim_one()
    children(worker, held, 1, *range(1500))
    claims = worker.claim(2000)
    worker.complete(*claims[:1200])
    worker.fail(*claims[1200:])
    step(worker, held, 2, "meanwhile")
    worker.fail(held, error=f"child app.child ({claims[1200].task_id}) failed")
    settle(db)

    new = retry(db, old)
    while call(db, "advance_requests"):
        pass

    again = {claim.input: claim for claim in worker.claim(2000)}
    assert set(again) == {None, *range(1200, 1500)}
    assert (again[None].task_id, names(db, new)) == (new, ["child", "meanwhile"])
    assert ids(db, new, 1)[1200:] == [again[no].task_id for no in range(1200, 1500)]
    worker.complete(*again.values())
    settle(db)
    seen = run(db, new)
    assert (seen["status"], seen["total_tasks"], seen["completed_tasks"]) == ("completed", 1501, 1501)
    assert_invariants(db)


def test_a_grandchild_below_a_child_that_starts_again_is_left_to_it(db: Db, worker: Worker) -> None:
    run_id = start_graph(db, 1, kinds=[WORK], run={"name": "order"})[0]
    parent = worker.claim_one()
    _, second = children(worker, parent, 1, "B", "C", edges=Jsonb([{"from": 0, "to": 1, "on": "continue"}]))
    worker.fail(worker.claim_one())
    behind = worker.claim_one()
    (third,) = children(worker, behind, 1, "D")
    below = worker.claim_one()
    (fourth,) = children(worker, below, 1, "E")
    worker.fail(worker.claim_one())
    worker.fail(below, error=f"child {fourth}")
    worker.fail(behind, error=f"child {third}")
    worker.fail(parent, error=f"child {second}")
    settle(db)

    again = retry(db, run_id)

    copied = db.execute("select input from tenuto.tasks where run_id = %s and input is not null", [again]).fetchall()
    assert sorted(input for (input,) in copied if isinstance(input, str)) == ["B", "C"]


def test_a_step_that_names_the_task_of_another_parent_copies_nothing(db: Db, worker: Worker) -> None:
    stranger = start_one(db, kind={"type": "app.secret", "max_attempts": 1})
    worker.fail(worker.claim_one())
    run_id = start_graph(db, 1, kinds=[WORK], run={"name": "order"})[0]
    held = worker.claim_one()
    worker.fail(held)
    settle(db)
    db.execute(
        "insert into tenuto.task_steps (task_id, step_no, org_id, name, kind, value, attempt, created_at)"
        " values (%s, 1, %s, 'child', 'child', %s, 1, now())",
        [held.task_id, DEFAULT_ORG, Jsonb([str(stranger)])],
    )

    again = retry(db, run_id)

    assert db.execute("select copy_of from tenuto.tasks where run_id = %s", [again]).fetchall() == [(held.task_id,)]
