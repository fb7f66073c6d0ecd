"""What people do to runs and queues while others use them."""

from uuid import UUID, uuid4

import psycopg

from tenuto.model.errors import Conflict, NotFound
from tests.support.database.data_objects import an_object
from tests.support.database.interleave import Play, Race, hold
from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, run_status, start, start_graph


def test_a_run_deleted_while_it_is_retried_is_copied_whole_or_not_at_all(race: Race) -> None:
    def scene(play: Play) -> object:
        slots = [{"task": 0, "slots": [{"object": str(an_object(race.db))}]}]
        run_id, _ = start_graph(race.db, 2, details=slots)
        worker = a_worker(race.db)
        worker.fail(*worker.claim(2), final=True)
        assert run_status(race.db, run_id) == "failed"
        _, retried, _ = play.run(
            hold("data_objects", "true"),
            lambda db: call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id),
            lambda db: call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id),
        )
        if isinstance(retried, UUID):
            assert count(race.db, "tasks", "run_id = %s", retried) == 2
        else:
            assert isinstance(retried, NotFound)
        return retried

    outcomes = race.every_order(scene, 1, 1, 1, gate=True)

    assert {type(outcome) for outcome in outcomes} == {UUID, NotFound}


def test_a_run_retried_twice_at_once_is_retried_once(race: Race) -> None:
    def scene(play: Play) -> object:
        run_id, _ = start_graph(race.db, 2)
        worker = a_worker(race.db)
        worker.fail(*worker.claim(2), final=True)
        assert run_status(race.db, run_id) == "failed"

        def retry(db: psycopg.Connection) -> UUID:
            return call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)

        answers = play.run(retry, retry)
        (new,) = [answer for answer in answers if isinstance(answer, UUID)]
        (refused,) = [answer for answer in answers if isinstance(answer, Conflict)]
        assert str(new) in str(refused)
        assert count(race.db, "runs", "retry_of = %s", run_id) == 1
        return answers[0] == new

    assert set(race.every_order(scene)) == {True, False}


def test_a_queue_paused_while_its_next_type_is_started_gives_nothing(race: Race) -> None:
    def scene(play: Play) -> None:
        queue = f"paused {uuid4()}"
        start(race.db, kind={"queue": queue})
        play.run(
            lambda db: call(db, "pause_queue", org_id=DEFAULT_ORG, queue=queue),
            lambda db: start(db, kind={"queue": queue, "type": "app.new"}),
        )
        assert a_worker(race.db).claim(5) == []

    race.every_order(scene)
