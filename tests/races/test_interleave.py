"""The harness itself: it finds every order, takes up what was blocked, and does not swallow a deadlock."""

import psycopg

from tests.support.database.interleave import Play, Race, interleavings, rolled_back, several
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start_one


def test_every_order_is_found_once() -> None:
    assert sorted(interleavings([2, 2])) == [
        (0, 0, 1, 1),
        (0, 1, 0, 1),
        (0, 1, 1, 0),
        (1, 0, 0, 1),
        (1, 0, 1, 0),
        (1, 1, 0, 0),
    ]
    assert len(set(interleavings([2, 2, 2]))) == 90


def test_a_call_behind_a_lock_is_taken_up_when_the_lock_is_free(race: Race) -> None:
    def add(metrics: dict[str, int], db: Db) -> None:
        call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id="w", metrics=metrics)

    def scene(play: Play) -> None:
        add({}, race.db)
        play.run(lambda db: add({"a": 1}, db), lambda db: add({"b": 2}, db))
        assert race.db.execute("select metadata from tenuto.workers").fetchall() == [({"a": 1, "b": 2},)]

    assert len(race.every_order(scene)) == 6


def test_a_rolled_back_transaction_leaves_nothing(race: Race) -> None:
    def scene(play: Play) -> None:
        kept, _ = play.run(lambda db: start_one(db), rolled_back(lambda db: start_one(db)))
        assert race.db.execute("select id from tenuto.tasks").fetchall() == [(kept,)]

    race.every_order(scene)


def test_a_deadlock_is_a_failure(race: Race) -> None:
    def lock(name: str, db: Db) -> None:
        db.execute("select from tenuto.workers where id = %s for update", [name])

    def scene(play: Play) -> bool:
        for name in ("a", "b"):
            call(race.db, "beat_worker", org_id=DEFAULT_ORG, worker_id=name, metrics={})
        try:
            play.run(
                several(lambda db: lock("a", db), lambda db: lock("b", db)),
                several(lambda db: lock("b", db), lambda db: lock("a", db)),
            )
        except psycopg.errors.DeadlockDetected:
            return True
        return False

    deadlocks = race.every_order(scene, 2, 2)
    assert deadlocks == [set(order[:2]) == {0, 1} for order in interleavings([3, 3])]
