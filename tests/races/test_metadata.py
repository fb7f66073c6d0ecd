"""Changes of metadata and deletes of one task, against each other and against retries."""

from uuid import UUID

from psycopg.types.json import Jsonb

from tenuto.model.errors import TenutoError
from tests.support.database.interleave import Play, Race
from tests.support.database.loops import count, run, settle
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_graph, start_one, task


def set_task(db: Db, task_id: UUID, key: str) -> None:
    call(db, "set_task_metadata", org_id=DEFAULT_ORG, task_id=task_id, changes=Jsonb({key: 1}))


def set_run(db: Db, run_id: UUID, key: str) -> None:
    call(db, "set_run_metadata", org_id=DEFAULT_ORG, run_id=run_id, changes=Jsonb({key: 1}))


def a_failed_run(db: Db) -> tuple[UUID, list[UUID]]:
    run_id, tasks = start_graph(db, 2)
    worker = a_worker(db)
    worker.fail(*worker.claim(2), final=True)
    settle(db)
    return run_id, tasks


def test_two_callers_set_different_keys(race: Race) -> None:
    def scene(play: Play) -> None:
        id = start_one(race.db)
        play.run(lambda db: set_task(db, id, "a"), lambda db: set_task(db, id, "b"))
        assert task(race.db, id)["metadata"] == {"a": 1, "b": 1}
        play.run(lambda db: set_run(db, id, "c"), lambda db: set_run(db, id, "d"))
        assert run(race.db, id)["metadata"] == {"a": 1, "b": 1, "c": 1, "d": 1}

    race.every_order(scene)


def test_metadata_is_set_before_the_delete_or_not_at_all(race: Race) -> None:
    def scene(play: Play) -> bool:
        _, (first, _) = a_failed_run(race.db)
        answer, deleted = play.run(
            lambda db: set_task(db, first, "a"),
            lambda db: call(db, "delete_task", org_id=DEFAULT_ORG, task_id=first),
        )
        assert (deleted, count(race.db, "task_metadata")) == (1, 0)
        return isinstance(answer, TenutoError)

    assert set(race.every_order(scene)) == {True, False}


def test_a_run_is_retried_before_the_delete_of_a_task_or_not_at_all(race: Race) -> None:
    def scene(play: Play) -> bool:
        run_id, (first, _) = a_failed_run(race.db)
        retry, deleted = play.run(
            lambda db: call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id),
            lambda db: call(db, "delete_task", org_id=DEFAULT_ORG, task_id=first),
        )
        assert deleted == 1
        refused = isinstance(retry, TenutoError)
        assert refused or run(race.db, retry)["total_tasks"] == 2
        return refused

    assert set(race.every_order(scene)) == {True, False}
