"""-> queued: tasks that a running attempt starts and owns."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Cancelled, Conflict, InvalidInput, StaleLease, TooLarge
from tests.support.database.starts import rows_written
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Db,
    Worker,
    a_worker,
    call,
    drain,
    run_status,
    start_graph,
    start_one,
    status,
    statuses,
    task,
)


@pytest.fixture
def parent(db: Db, worker: Worker) -> Claim:
    start_one(db, kind={"type": "app.parent", "backoff_seconds": 0})
    return worker.claim_one()


def counts(db: Db, run_id: object) -> tuple[int, int]:
    row = db.execute("select total_tasks, completed_tasks from tenuto.run_status where id = %s", [run_id]).fetchone()
    assert row
    return row


def test_children_belong_to_the_parent_its_run_and_its_group(db: Db, worker: Worker, parent: Claim) -> None:
    children = worker.start_children(parent, "a", "b")

    assert statuses(db, children) == ["queued", "queued"]
    for child, given in zip(children, "ab", strict=True):
        row = task(db, child)
        assert (row["parent_id"], row["run_id"], row["input"]) == (parent.task_id, parent.run_id, given)
        assert row["group_no"] == parent.group_no


def test_a_run_of_one_becomes_a_counted_run_and_completes_only_after_the_children(
    db: Db, worker: Worker, parent: Claim
) -> None:
    worker.start_children(parent, 1, 2)
    worker.complete(parent, outputs=["done"])
    assert run_status(db, parent.run_id) == "running"
    assert counts(db, parent.run_id) == (3, 1)

    drain(db, worker)

    assert (run_status(db, parent.run_id), counts(db, parent.run_id)) == ("completed", (3, 3))
    row = db.execute("select output from tenuto.run_status where id = %s", [parent.run_id]).fetchone()
    assert row == ("done",)


def test_children_of_a_graphs_task_and_grandchildren_are_counted(db: Db, worker: Worker) -> None:
    run_id, _ = start_graph(db, 2, [(0, 1)])
    first = worker.claim_one()
    (child,) = worker.start_children(first, 1)
    (held,) = (claim for claim in worker.claim(5) if claim.task_id == child)
    worker.start_children(held, 1, 2)
    worker.complete(first, held)

    drain(db, worker)

    assert (run_status(db, run_id), counts(db, run_id)) == ("completed", (5, 5))


def test_a_child_that_fails_fails_the_run(db: Db, worker: Worker, parent: Claim) -> None:
    worker.start_children(parent, 1)
    worker.complete(parent)

    worker.fail(worker.claim_one(), error="child", final=True)

    assert run_status(db, parent.run_id) == "failed"
    row = db.execute("select error from tenuto.run_status where id = %s", [parent.run_id]).fetchone()
    assert row == ({"message": "child"},)


def test_an_optional_child_may_fail(db: Db, worker: Worker, parent: Claim) -> None:
    worker.start_children(parent, 1, kinds=Jsonb([{"type": "app.child", "optional": True}]))
    worker.complete(parent)

    worker.fail(worker.claim_one(), final=True)

    assert run_status(db, parent.run_id) == "completed"


def test_children_can_be_a_graph_of_their_own(db: Db, worker: Worker, parent: Claim) -> None:
    first, second = worker.start_children(parent, 1, 2, edges=Jsonb([{"from": 0, "to": 1}]))

    assert statuses(db, [first, second]) == ["queued", "pending"]
    worker.complete(worker.claim_one())
    assert status(db, second) == "queued"


def test_many_children_are_started_in_one_call(db: Db, worker: Worker, parent: Claim) -> None:
    assert len(worker.start_children(parent, *range(5000))) == 5000

    worker.complete(parent)
    assert counts(db, parent.run_id)[0] == 5001


@pytest.mark.parametrize("wrong", ["attempt", "task", "session", "token", "ended"])
def test_whoever_does_not_hold_the_attempt_starts_nothing(db: Db, worker: Worker, parent: Claim, wrong: str) -> None:
    caller = a_worker(db, "other") if wrong == "session" else worker
    if wrong == "token":
        caller.fence["token"] = uuid4()
    if wrong == "ended":
        worker.complete(parent)
    claim = {"attempt": replace(parent, attempt=2), "task": replace(parent, task_id=uuid4())}.get(wrong, parent)

    with pytest.raises(StaleLease):
        caller.start_children(claim, 1)

    assert rows_written(db)["tasks"] == 1


def test_a_parent_that_was_reaped_starts_nothing_more(db: Db, worker: Worker, parent: Claim) -> None:
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")
    call(db, "expire_attempts")

    with pytest.raises(StaleLease, match="attempt 1"):
        worker.start_children(parent, 1)


def test_a_parent_asked_to_stop_starts_nothing_more(db: Db, worker: Worker, parent: Claim) -> None:
    (child,) = worker.start_children(parent, 1)
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=parent.run_id)

    with pytest.raises(Cancelled):
        worker.start_children(parent, 2)

    assert status(db, child) == "cancelled"


def test_a_start_that_is_a_step_answers_the_same_children_on_replay(db: Db, worker: Worker, parent: Claim) -> None:
    children = worker.start_children(parent, 1, 2, step_no=1, step_name="fan out")
    assert worker.start_children(parent, 1, 2, step_no=1, step_name="fan out") == children
    worker.interrupt(parent)
    (replay,) = (claim for claim in worker.claim(5) if claim.task_id == parent.task_id)

    assert worker.start_children(replay, 1, 2, step_no=1, step_name="fan out") == children
    assert len(worker.start_children(replay, 3, step_no=2, step_name="one more")) == 1

    assert rows_written(db)["tasks"] == 4


def test_another_way_on_replay_is_an_error_that_says_so(db: Db, worker: Worker, parent: Claim) -> None:
    worker.start_children(parent, 1, step_no=1, step_name="fan out")
    call(
        db,
        "record_step",
        **worker.fence,
        task_id=parent.task_id,
        attempt=1,
        step_no=2,
        name="charge",
        kind="step",
        value=Jsonb(1),
    )

    for step_no, name in ((1, "something else"), (2, "charge"), (1, None)):
        with pytest.raises(Conflict, match="same order"):
            worker.start_children(parent, 1, step_no=step_no, step_name=name)

    assert rows_written(db)["tasks"] == 2


def test_an_id_that_is_there_already_is_a_conflict(db: Db, worker: Worker, parent: Claim) -> None:
    with pytest.raises(Conflict):
        worker.start_children(parent, 1, 2, ids=[uuid4(), parent.task_id])

    assert rows_written(db)["tasks"] == 1
    worker.complete(parent)
    assert run_status(db, parent.run_id) == "completed"


@pytest.mark.parametrize(
    "wrong",
    [
        {"kinds": []},
        {"kinds": [{"type": ""}]},
        {"kinds": [{"type": "t", "timeout_seconds": "NaN"}]},
        {"kinds": [{"type": "t", "handler": "failed"}]},
        {"edges": [{"from": 1, "to": 0}]},
        {"details": [{"task": 5}]},
        {"details": [{"task": 0, "slots": [{"task": 1}]}]},
    ],
    ids=str,
)
def test_children_that_cannot_be_are_refused_and_the_parent_goes_on(
    db: Db, worker: Worker, parent: Claim, wrong: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        worker.start_children(parent, 1, 2, **{name: Jsonb(value) for name, value in wrong.items()})

    assert rows_written(db)["tasks"] == 1
    assert worker.complete(parent) == ["accepted"]


def test_no_children_and_too_large_children_are_refused(db: Db, worker: Worker, parent: Claim) -> None:
    with pytest.raises(InvalidInput, match="1 to 100,000"):
        worker.start_children(parent)
    with pytest.raises(TooLarge, match="task 0"):
        worker.start_children(parent, "x" * 1_048_600)

    assert rows_written(db)["tasks"] == 1
