"""A task that goes to wait, and what it waits for arriving at that moment: nobody sleeps through it."""

from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tests.support.database.interleave import Play, Race, on
from tests.support.database.stranded import a_parent_whose_child_ended
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Db,
    Worker,
    a_worker,
    call,
    start,
    start_graph,
    start_one,
    status,
    statuses,
)


def start_limited(db: Db) -> UUID:
    """One of the tasks of which one may run at a time."""
    (task_id,) = start(db, details=Jsonb([{"task": 0, "limits": [{"scope": "key", "key": "one", "size": 1}]}]))
    return task_id


def a_family(race: Race, children: int) -> tuple[Worker, Claim, list[Claim]]:
    """A running parent with running children."""
    start_one(race.db)
    worker = a_worker(race.db)
    parent = worker.claim_one()
    worker.start_children(parent, *range(children))
    return worker, parent, worker.claim(children)


def wait_for(worker: Worker, parent: Claim, children: list[Claim]) -> str:
    return worker.wait(parent, **{"for": "children", "tasks": [str(child.task_id) for child in children]})


@pytest.mark.parametrize("end", ["complete", "fail"])
def test_a_parent_that_waits_while_its_child_ends_wakes(race: Race, end: str) -> None:
    def scene(play: Play) -> None:
        worker, parent, (child,) = a_family(race, 1)
        waited, ended = play.run(
            lambda db: wait_for(on(worker, db), parent, [child]),
            lambda db: on(worker, db).complete(child) if end == "complete" else on(worker, db).fail(child, final=True),
        )
        assert (waited, ended) == ("accepted", ["accepted"])
        assert [claim.task_id for claim in worker.claim(9)] == [parent.task_id]

    race.every_order(scene)


def test_a_parent_that_waits_while_its_last_two_children_end_wakes_once(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, parent, children = a_family(race, 2)
        play.run(
            lambda db: wait_for(on(worker, db), parent, children),
            lambda db: on(worker, db).complete(children[0]),
            lambda db: on(worker, db).complete(children[1]),
        )
        assert [claim.task_id for claim in worker.claim(9)] == [parent.task_id]

    race.every_order(scene, 1, 1, 1)


def test_a_parent_whose_wait_times_out_while_its_child_ends_wakes_once(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, parent, (child,) = a_family(race, 1)
        wait_for(worker, parent, [child])
        race.db.execute("update tenuto.waiting_tasks set wake_at = now() - interval '1 second'")
        play.run(lambda db: call(db, "wake_waiting"), lambda db: on(worker, db).complete(child))
        assert [claim.task_id for claim in worker.claim(9)] == [parent.task_id]

    race.every_order(scene)


def test_a_parent_cancelled_while_its_child_ends_is_cancelled(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, parent, (child,) = a_family(race, 1)
        wait_for(worker, parent, [child])
        play.run(
            lambda db: call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=parent.task_id),
            lambda db: on(worker, db).complete(child),
        )
        call(race.db, "sweep_cancelled")
        assert statuses(race.db, [parent.task_id, child.task_id]) == ["cancelled", "completed"]

    race.every_order(scene)


def test_a_task_that_waits_while_its_signal_is_sent_wakes(race: Race) -> None:
    def scene(play: Play) -> None:
        start_one(race.db)
        worker = a_worker(race.db)
        held = worker.claim_one()
        play.run(
            lambda db: on(worker, db).wait(held, **{"for": "signal", "name": "go"}),
            lambda db: call(db, "send_signal", org_id=DEFAULT_ORG, run_id=held.run_id, name="go"),
        )
        (again,) = worker.claim(9)
        assert again.task_id == held.task_id
        taken = {"task_id": again.task_id, "attempt": again.attempt, "step_no": 1, "name": "go"}
        assert call(race.db, "take_signal", **worker.fence, **taken)[0]["found"]

    race.every_order(scene)


def test_a_signal_is_taken_by_one_of_two_tasks(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, parent, (child,) = a_family(race, 1)
        call(race.db, "send_signal", org_id=DEFAULT_ORG, run_id=parent.run_id, name="go")

        def take(claim: Claim, db: Db) -> bool:
            held = {"task_id": claim.task_id, "attempt": claim.attempt, "step_no": 1, "name": "go"}
            return call(db, "take_signal", **worker.fence, **held)[0]["found"]

        assert sum(play.run(lambda db: take(parent, db), lambda db: take(child, db))) == 1

    race.every_order(scene)


def test_a_limit_of_one_is_never_exceeded_nor_left_unused_by_a_finish_and_a_start(race: Race) -> None:
    def scene(play: Play) -> None:
        first = start_limited(race.db)
        worker = a_worker(race.db)
        held = worker.claim_one()
        _, second = play.run(lambda db: on(worker, db).complete(held), start_limited)
        assert [claim.task_id for claim in worker.claim(9)] == [second]
        assert status(race.db, first) == "completed"

    race.every_order(scene)


def test_two_starts_at_once_share_a_limit_of_one(race: Race) -> None:
    def scene(play: Play) -> None:
        play.run(start_limited, start_limited)
        worker = a_worker(race.db)
        (held,) = worker.claim(9)
        worker.complete(held)
        assert len(worker.claim(9)) == 1

    race.every_order(scene)


def test_a_limited_task_that_is_lost_while_another_is_cancelled_leaves_no_slot_behind(race: Race) -> None:
    def scene(play: Play) -> None:
        _, second, third = (start_limited(race.db) for _ in range(3))
        lost = a_worker(race.db, "lost")
        lost.claim_one()
        call(race.db, "close_session", **lost.fence)
        play.run(
            lambda db: call(db, "expire_attempts"),
            lambda db: call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=second),
        )
        call(race.db, "sweep_cancelled")
        assert [claim.task_id for claim in a_worker(race.db).claim(9)] == [third]

    race.every_order(scene)


def test_a_parent_whose_child_ends_beside_a_sweep_wakes_once(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, parent, (child,) = a_family(race, 1)
        play.run(
            lambda db: wait_for(on(worker, db), parent, [child]),
            lambda db: on(worker, db).complete(child),
            lambda db: call(db, "sweep_tasks"),
        )
        assert [claim.task_id for claim in worker.claim(9)] == [parent.task_id]

    race.every_order(scene, 1, 1, 1)


def test_a_parent_that_missed_its_child_is_woken_once_by_two_sweeps(race: Race) -> None:
    def scene(play: Play) -> None:
        parent = a_parent_whose_child_ended(race.db)
        moved = play.run(lambda db: call(db, "sweep_tasks"), lambda db: call(db, "sweep_tasks"))
        assert sum(moved) == 1
        assert [claim.task_id for claim in a_worker(race.db).claim(9)] == [parent]

    race.every_order(scene)


def test_a_task_is_queued_once_when_its_dependency_ends_beside_a_sweep(race: Race) -> None:
    def scene(play: Play) -> None:
        _, (_, after) = start_graph(race.db, 2, [(0, 1)])
        worker = a_worker(race.db)
        first = worker.claim_one()
        play.run(lambda db: on(worker, db).complete(first), lambda db: call(db, "sweep_tasks"))
        assert [claim.task_id for claim in worker.claim(9)] == [after]

    race.every_order(scene)


def test_a_released_task_is_queued_once_beside_a_sweep(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, (task,) = start_graph(race.db, 1, run={"hold": True, "max_attempts": 2})
        play.run(
            lambda db: call(db, "release_run", org_id=DEFAULT_ORG, run_id=run_id),
            lambda db: call(db, "sweep_tasks"),
        )
        assert [claim.task_id for claim in a_worker(race.db).claim(9)] == [task]

    race.every_order(scene)


def test_a_signal_that_is_sent_beside_a_sweep_wakes_once(race: Race) -> None:
    def scene(play: Play) -> None:
        start_one(race.db)
        worker = a_worker(race.db)
        held = worker.claim_one()
        play.run(
            lambda db: on(worker, db).wait(held, **{"for": "signal", "name": "go"}),
            lambda db: call(db, "send_signal", org_id=DEFAULT_ORG, run_id=held.run_id, name="go"),
            lambda db: call(db, "sweep_tasks"),
        )
        assert [claim.task_id for claim in worker.claim(9)] == [held.task_id]

    race.every_order(scene, 1, 1, 1)
