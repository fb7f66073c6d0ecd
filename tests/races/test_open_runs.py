"""Adding tasks to an open run against its close, its cancel and the end of its last task."""

from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync
from tenuto.model.errors import TenutoError
from tests.support.database.interleave import Play, Race, on, rolled_back
from tests.support.database.loops import cancel_run, count, run, settle
from tests.support.database.open_runs import add_tasks, close_run, open_run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, run_status


def end(race: Race, run_id: UUID) -> dict[str, Any]:
    """What is left to dispatchers and workers: returns the run afterwards."""
    for _ in range(2):
        call(race.db, "sweep_closed")
        call(race.db, "sweep_cancelled")
        drain(race.db, a_worker(race.db, "last"))
        settle(race.db)
    assert count(race.db, "open_runs") + count(race.db, "close_requests") + count(race.db, "cancel_requests") == 0
    return run(race.db, run_id)


def test_a_task_is_added_before_the_close_or_not_at_all(race: Race) -> None:
    def scene(play: Play) -> bool:
        run_id = open_run(race.db)
        added, _ = play.run(lambda db: add_tasks(db, run_id), lambda db: close_run(db, run_id))
        refused = isinstance(added, TenutoError)
        seen = end(race, run_id)
        assert (seen["status"], seen["total_tasks"]) == ("completed", 0 if refused else 1)
        return refused

    assert set(race.every_order(scene)) == {True, False}


def test_a_task_of_a_cancelled_run_is_cancelled_or_not_added(race: Race) -> None:
    def scene(play: Play) -> bool:
        run_id = open_run(race.db)
        added, _ = play.run(lambda db: add_tasks(db, run_id), lambda db: cancel_run(db, run_id))
        refused = isinstance(added, TenutoError)
        call(race.db, "sweep_closed")
        call(race.db, "sweep_cancelled")
        seen = end(race, run_id)
        assert (seen["status"], seen["cancelled_tasks"]) == ("cancelled", 0 if refused else 1)
        return refused

    assert set(race.every_order(scene)) == {True, False}


def test_a_task_that_is_added_during_a_sweep_of_the_cancel_is_found(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id = open_run(race.db)

        def sweep(db: Db) -> None:
            call(db, "sweep_closed")
            call(db, "sweep_cancelled")

        play.run(lambda db: add_tasks(db, run_id), lambda db: cancel_run(db, run_id), sweep)
        call(race.db, "sweep_closed")
        call(race.db, "sweep_cancelled")
        seen = end(race, run_id)
        assert (seen["status"], seen["completed_tasks"]) == ("cancelled", 0)

    race.every_order(scene, 1, 1, 1)


def test_the_end_of_the_last_task_does_not_end_an_open_run(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id = open_run(race.db)
        add_tasks(race.db, run_id)
        worker = a_worker(race.db)
        held = worker.claim_one()
        added, done = play.run(lambda db: add_tasks(db, run_id), lambda db: on(worker, db).complete(held))
        assert len(added) == 1
        assert done == ["accepted"]
        assert run_status(race.db, run_id) == "running"
        close_run(race.db, run_id)
        seen = end(race, run_id)
        assert (seen["status"], seen["completed_tasks"]) == ("completed", 2)

    race.every_order(scene)


def test_the_last_task_and_the_close_end_a_run_together(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id = open_run(race.db)
        add_tasks(race.db, run_id)
        worker = a_worker(race.db)
        held = worker.claim_one()
        play.run(lambda db: on(worker, db).complete(held), lambda db: close_run(db, run_id))
        seen = end(race, run_id)
        assert (seen["status"], seen["total_tasks"], seen["completed_tasks"]) == ("completed", 1, 1)

    race.every_order(scene)


def test_a_run_that_is_closed_twice_at_once_counts_its_tasks(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id = open_run(race.db)
        add_tasks(race.db, run_id)
        play.run(lambda db: close_run(db, run_id), lambda db: close_run(db, run_id))
        assert end(race, run_id)["total_tasks"] == 1

    race.every_order(scene)


def test_of_a_close_and_a_cancel_the_first_counts(race: Race) -> None:
    def scene(play: Play) -> str:
        run_id = open_run(race.db)
        _, closed = play.run(lambda db: cancel_run(db, run_id), lambda db: close_run(db, run_id))
        seen = end(race, run_id)
        assert seen["total_tasks"] == 0
        assert not isinstance(closed, TenutoError) or seen["status"] == "cancelled"
        return seen["status"]

    assert set(race.every_order(scene)) == {"cancelled", "completed"}


def test_a_task_whose_adding_is_rolled_back_is_not_counted(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id = open_run(race.db)
        play.run(rolled_back(lambda db: add_tasks(db, run_id)), lambda db: close_run(db, run_id))
        seen = end(race, run_id)
        assert (seen["status"], seen["total_tasks"]) == ("completed", 0)

    race.every_order(scene)


def test_two_starts_with_one_id_make_one_run(race: Race) -> None:
    def scene(play: Play) -> None:
        id = str(uuid4())

        def start(db: Db) -> list[dict[str, Any]]:
            return call_sync(db, "open_run", org_id=DEFAULT_ORG, run=Jsonb({"id": id}))

        ((first,), (second,)) = play.run(start, start)
        assert sorted([first["created"], second["created"]]) == [False, True]
        assert count(race.db, "open_runs") == count(race.db, "runs") == 1

    race.every_order(scene)


def test_two_calls_with_one_task_id_add_one_task(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, id = open_run(race.db), uuid4()
        assert play.run(*[lambda db: add_tasks(db, run_id, ids=[id])] * 2) == [[id], [id]]
        close_run(race.db, run_id)
        assert end(race, run_id)["total_tasks"] == 1

    race.every_order(scene)
