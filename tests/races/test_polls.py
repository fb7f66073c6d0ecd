"""Clients that wait for a run, against its end and against dispatchers."""

from uuid import UUID

from tests.support.database.interleave import Play, Race, on
from tests.support.database.loops import count, run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_graph


def poll(db: Db, run_id: UUID) -> list[str]:
    return [row["status"] for row in call(db, "poll_runs", org_id=DEFAULT_ORG, run_ids=[run_id])]


def test_two_clients_and_a_dispatcher_count_an_end_once(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, _ = start_graph(race.db, 2)
        worker = a_worker(race.db)
        worker.complete(*worker.claim(2))
        play.run(lambda db: poll(db, run_id), lambda db: poll(db, run_id), lambda db: call(db, "fold_runs"))
        assert poll(race.db, run_id) == ["completed"]
        assert run(race.db, run_id)["completed_tasks"] == 2
        assert count(race.db, "run_counts") == 0

    race.every_order(scene, 1, 1, 1)


def test_a_client_sees_the_end_or_not_yet_and_the_next_time_surely(race: Race) -> None:
    def scene(play: Play) -> bool:
        run_id, _ = start_graph(race.db, 2)
        worker = a_worker(race.db)
        first, last = worker.claim(2)
        worker.complete(first)
        seen, _ = play.run(lambda db: poll(db, run_id), lambda db: on(worker, db).complete(last))
        assert seen in ([], ["completed"])
        assert poll(race.db, run_id) == ["completed"]
        return bool(seen)

    assert set(race.every_order(scene)) == {True, False}
