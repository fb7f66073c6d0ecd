"""Lives of workers: a beat, an expiry and a return at the same moment."""

import pytest

from tenuto.model.errors import TenutoError
from tests.support.database.interleave import Play, Race, hold, on
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start_one, status


def lapse(race: Race) -> None:
    race.db.execute("update tenuto.sessions set expires_at = now() - interval '1 second'")


def open_sessions(race: Race) -> int:
    return len(race.db.execute("select from tenuto.sessions where ended_at is null").fetchall())


def test_a_session_is_renewed_or_expired_never_both(race: Race) -> None:
    def scene(play: Play) -> int:
        worker = a_worker(race.db)
        lapse(race)
        beat, expired = play.run(lambda db: on(worker, db).beat(), lambda db: call(db, "expire_sessions"))
        assert isinstance(beat, TenutoError) == (expired == 1)
        assert open_sessions(race) == 1 - expired
        return expired

    assert set(race.every_order(scene)) == {0, 1}


def test_a_worker_that_comes_back_has_one_session_and_the_old_one_is_refused(race: Race) -> None:
    def scene(play: Play) -> None:
        old = a_worker(race.db)
        _, new = play.run(lambda db: on(old, db).beat(), lambda db: a_worker(db))
        assert open_sessions(race) == 1
        with pytest.raises(TenutoError):
            old.beat()
        on(new, race.db).beat()

    race.every_order(scene)


def test_a_worker_that_comes_back_twice_at_once_has_one_session(race: Race) -> None:
    def scene(play: Play) -> None:
        a_worker(race.db)
        play.run(lambda db: a_worker(db), lambda db: a_worker(db))
        assert open_sessions(race) == 1

    race.every_order(scene)


def test_a_claim_of_a_session_that_ends_meanwhile_is_given_back(race: Race) -> None:
    def scene(play: Play) -> bool:
        task_id = start_one(race.db, kind={"backoff_seconds": 0})
        worker = a_worker(race.db)
        claims, _, _ = play.run(
            lambda db: on(worker, db).claim(1),
            lambda db: call(db, "close_session", **worker.fence),
            lambda db: call(db, "expire_attempts"),
        )
        call(race.db, "expire_attempts")
        refused = isinstance(claims, TenutoError)
        assert status(race.db, task_id) == ("queued" if refused else "retrying")
        return refused

    assert set(race.every_order(scene, 1, 1, 1)) == {True, False}


ENDINGS = {
    "register": lambda db, _worker: a_worker(db),
    "terminate": lambda db, worker: call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=worker.name),
    "fail": lambda db, worker: call(db, "fail_worker", org_id=DEFAULT_ORG, worker_id=worker.name, error="x"),
    "beat": lambda db, worker: on(worker, db).beat(),
    "expire": lambda db, _worker: call(db, "expire_sessions"),
    "close": lambda db, worker: call(db, "close_session", **worker.fence),
}


@pytest.mark.parametrize(
    ("one", "two", "gate"),
    [
        ("register", "beat", "workers"),
        ("register", "beat", "sessions"),
        ("register", "expire", "workers"),
        ("register", "close", "workers"),
        ("terminate", "beat", "workers"),
        ("fail", "close", "sessions"),
        ("close", "expire", "workers"),
    ],
)
def test_whoever_ends_a_session_and_whoever_looks_after_it_never_wait_for_each_other(
    race: Race, one: str, two: str, gate: str
) -> None:
    def scene(play: Play) -> None:
        worker = a_worker(race.db)
        lapse(race)
        play.run(hold(gate, "true"), lambda db: ENDINGS[one](db, worker), lambda db: ENDINGS[two](db, worker))
        assert open_sessions(race) == (one == "register")

    race.every_order(scene, 1, 1, 1, gate=True)
