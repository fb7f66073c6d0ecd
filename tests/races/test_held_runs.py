"""The release of a held run against its cancel, its deletion, tasks that are added, and another release."""

from typing import Any
from uuid import UUID

from tenuto.model.errors import TenutoError
from tests.support.database.interleave import Play, Race
from tests.support.database.loops import cancel_run, count, run, settle
from tests.support.database.open_runs import add_tasks, close_run, open_run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start_graph


def release(db: Db, run_id: UUID) -> bool:
    return call(db, "release_run", org_id=DEFAULT_ORG, run_id=run_id)


def end(race: Race, run_id: UUID) -> dict[str, Any]:
    """What is left to dispatchers and workers: returns the run afterwards."""
    for _ in range(2):
        for loop in ("sweep_released", "sweep_closed", "sweep_cancelled"):
            call(race.db, loop)
        drain(race.db, a_worker(race.db, "last"))
        settle(race.db)
    assert count(race.db, "release_requests") + count(race.db, "pending_tasks") == 0
    return run(race.db, run_id)


def test_a_run_is_released_or_cancelled(race: Race) -> None:
    def scene(play: Play) -> str:
        run_id, _ = start_graph(race.db, 2, [(0, 1)], run={"hold": True})
        released, _ = play.run(lambda db: release(db, run_id), lambda db: cancel_run(db, run_id))
        seen = end(race, run_id)
        assert (seen["status"], seen["cancelled_tasks"]) == ("cancelled", 2)
        return "refused" if isinstance(released, TenutoError) else "released"

    assert set(race.every_order(scene)) == {"refused", "released"}


def test_a_run_is_released_once(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, _ = start_graph(race.db, 2, run={"hold": True})
        results = play.run(lambda db: release(db, run_id), lambda db: release(db, run_id))
        assert sorted(results) == [False, True]
        seen = end(race, run_id)
        assert (seen["status"], seen["completed_tasks"]) == ("completed", 2)

    race.every_order(scene)


def test_a_task_that_is_added_during_the_release_starts(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id = open_run(race.db, hold=True)
        add_tasks(race.db, run_id)
        added, released = play.run(lambda db: add_tasks(db, run_id), lambda db: release(db, run_id))
        assert (len(added), released) == (1, True)
        close_run(race.db, run_id)
        seen = end(race, run_id)
        assert (seen["status"], seen["completed_tasks"]) == ("completed", 2)
        assert count(race.db, "held_runs") == 0

    race.every_order(scene)


def test_a_deleted_run_is_not_released(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, _ = start_graph(race.db, 1, run={"hold": True})
        cancel_run(race.db, run_id)
        settle(race.db)
        released, deleted = play.run(
            lambda db: release(db, run_id), lambda db: call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
        )
        assert (isinstance(released, TenutoError), deleted) == (True, True)
        assert count(race.db, "runs") + count(race.db, "held_runs") + count(race.db, "release_requests") == 0

    race.every_order(scene)
