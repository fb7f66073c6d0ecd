"""What a worker says of an attempt while something else writes on it: a mark, a beat, a child."""

import pytest

from tenuto.model.errors import TenutoError
from tests.support.database.interleave import Play, Race, on
from tests.support.database.tasks import DEFAULT_ORG, Answer, Claim, Worker, a_worker, call, start_one, status, statuses

ENDS = {
    "complete": lambda worker, claim: worker.complete(claim),
    "fail": lambda worker, claim: worker.fail(claim, final=True),
    "snooze": lambda worker, claim: worker.snooze(claim),
    "interrupt": lambda worker, claim: worker.interrupt(claim),
    "wait": lambda worker, claim: [worker.wait(claim, **{"for": "time", "seconds": 60})],
}


def end(how: str, worker: Worker, claim: Claim) -> list[Answer]:
    return ENDS[how](worker, claim)


def running(race: Race) -> tuple[Worker, Claim]:
    start_one(race.db)
    worker = a_worker(race.db)
    return worker, worker.claim_one()


@pytest.mark.parametrize("how", ENDS)
def test_a_report_is_accepted_while_progress_is_on_its_way(race: Race, how: str) -> None:
    def scene(play: Play) -> int:
        worker, held = running(race)
        report = {"task_ids": [held.task_id], "attempts": [held.attempt], "progress": [0.5]}
        answer, stale = play.run(
            lambda db: end(how, on(worker, db), held),
            lambda db: call(db, "report_progress", **worker.fence, **report),
        )
        assert answer == ["accepted"]
        return len(stale)

    assert set(race.every_order(scene)) == {0, 1}


@pytest.mark.parametrize("how", ENDS)
def test_a_report_is_accepted_while_its_task_is_being_cancelled(race: Race, how: str) -> None:
    def scene(play: Play) -> str:
        worker, held = running(race)
        answer, _ = play.run(
            lambda db: end(how, on(worker, db), held),
            lambda db: call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=held.task_id),
        )
        assert answer == ["accepted"]
        call(race.db, "sweep_cancelled")
        return status(race.db, held.task_id)

    ends = {"complete": {"completed"}, "fail": {"failed", "cancelled"}}.get(how, {"cancelled"})
    assert set(race.every_order(scene)) == ends


@pytest.mark.parametrize("how", ["complete", "fail", "snooze"])
def test_children_started_while_their_parent_ends_are_all_there_or_none(race: Race, how: str) -> None:
    def scene(play: Play) -> bool:
        worker, held = running(race)
        answer, children = play.run(
            lambda db: end(how, on(worker, db), held), lambda db: on(worker, db).start_children(held, 1, 2)
        )
        assert answer == ["accepted"]
        if isinstance(children, TenutoError):
            assert race.db.execute("select count(*) from tenuto.tasks").fetchone() == (1,)
            return False
        assert statuses(race.db, children) == ["queued", "queued"]
        return True

    assert set(race.every_order(scene)) == {True, False}


def test_children_started_while_their_run_is_cancelled_are_cancelled(race: Race) -> None:
    def scene(play: Play) -> bool:
        worker, parent = running(race)
        _, children = play.run(
            lambda db: call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=parent.run_id),
            lambda db: on(worker, db).start_children(parent, 1, 2),
        )
        call(race.db, "sweep_cancelled")
        assert worker.fail(parent) == ["accepted"]
        refused = isinstance(children, TenutoError)
        assert refused or statuses(race.db, children) == ["cancelled", "cancelled"]
        assert status(race.db, parent.task_id) == "cancelled"
        return refused

    assert set(race.every_order(scene)) == {True, False}
