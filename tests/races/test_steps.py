"""Records of one step that arrive at the same time: one of them stays, and the other changes nothing."""

from typing import Any

import pytest

from tests.support.database.interleave import Play, Race, on
from tests.support.database.loops import fenced
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, start_one


def fail(worker: Worker, held: Claim, db: Db, **more: Any) -> None:
    call(db, "fail_step", **fenced(on(worker, db), held, step_no=1, name="pay", error={"message": "no"}, **more))


def record(worker: Worker, held: Claim, db: Db) -> Any:
    return call(db, "record_step", **fenced(on(worker, db), held, step_no=1, name="pay", kind="step", value={"v": 1}))


@pytest.mark.parametrize("retry", [None, 60.0], ids=["for good", "to be tried again"])
def test_a_failure_and_a_result_of_one_step_leave_one_of_them(race: Race, retry: float | None) -> None:
    def scene(play: Play) -> tuple[bool, bool]:
        start_one(race.db)
        worker = a_worker(race.db)
        held = worker.claim_one()
        play.run(
            lambda db: fail(worker, held, db, tries=1, retry_seconds=retry),
            lambda db: record(worker, held, db),
        )
        (step,) = call(race.db, "get_steps", org_id=DEFAULT_ORG, task_id=held.task_id)
        return step["value"] is None, step["error"] is None

    outcomes = race.every_order(scene)

    assert set(outcomes) <= {(True, False), (False, True)}
    if retry is not None:
        assert set(outcomes) == {(False, True)}


def test_two_reports_of_one_try_count_it_once(race: Race) -> None:
    def scene(play: Play) -> int:
        start_one(race.db)
        worker = a_worker(race.db)
        held = worker.claim_one()
        fail(worker, held, race.db, tries=1, retry_seconds=60.0)
        play.run(
            lambda db: fail(worker, held, db, tries=2, retry_seconds=60.0),
            lambda db: fail(worker, held, db, tries=2, retry_seconds=60.0),
        )
        (step,) = call(race.db, "get_steps", org_id=DEFAULT_ORG, task_id=held.task_id)
        return step["tries"]

    assert set(race.every_order(scene)) == {2}


def test_two_reports_of_handled_children_leave_the_first_and_the_children(race: Race) -> None:
    def scene(play: Play) -> tuple[bool, int]:
        start_one(race.db)
        worker = a_worker(race.db)
        held = worker.claim_one()
        worker.start_children(held, 7, step_no=1, step_name="pay")
        play.run(
            lambda db: fail(worker, held, db, tries=1, kind="child"),
            lambda db: fail(worker, held, db, tries=1, kind="child"),
        )
        (step,) = call(race.db, "get_steps", org_id=DEFAULT_ORG, task_id=held.task_id)
        return step["error"] is None, len(step["value"])

    assert set(race.every_order(scene)) == {(False, 1)}


def test_a_task_that_is_given_back_while_a_step_fails_keeps_a_whole_record_or_none(race: Race) -> None:
    def scene(play: Play) -> int:
        start_one(race.db)
        worker = a_worker(race.db)
        held = worker.claim_one()
        play.run(
            lambda db: fail(worker, held, db, tries=1, retry_seconds=60.0),
            lambda db: on(worker, db).wait(held, **{"for": "time", "seconds": 60}),
        )
        return len(call(race.db, "get_steps", org_id=DEFAULT_ORG, task_id=held.task_id))

    assert set(race.every_order(scene)) <= {0, 1}
