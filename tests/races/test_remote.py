"""Workers and tasks over HTTP: two keys for one name, a key that is revoked, a token as its attempt is taken back."""

from dataclasses import replace
from uuid import UUID

from tenuto.model.errors import Conflict, StaleLease, TenutoError, Unauthorized
from tests.support.database.interleave import Play, Race
from tests.support.database.remote_workers import RemoteWorker, a_remote_worker
from tests.support.database.tasks import DEFAULT_ORG, Db, call, history, start_one, status
from tests.support.database.users import a_key_id, a_worker_key


def served(db: Db) -> Db:
    """As the server does it: its role, for the org of the key."""
    db.execute("set local role tenuto_api")
    db.execute("select set_config('tenuto.org_id', %s, true)", [str(DEFAULT_ORG)])
    return db


def test_of_two_keys_that_want_a_name_at_once_one_has_it(race: Race) -> None:
    def scene(play: Play) -> int:
        keys = [a_worker_key(race.db, a_key_id()) for _ in range(2)]
        answers = play.run(*(lambda db, key=key: a_remote_worker(served(db), key=key) for key in keys))
        refused = [isinstance(answer, Conflict) for answer in answers]
        assert sorted(refused) == [False, True]
        open_now = race.db.execute("select count(*) from tenuto.sessions where ended_at is null").fetchone()
        assert open_now == (1,)
        return refused.index(True)

    assert set(race.every_order(scene)) == {0, 1}


def test_a_key_that_is_revoked_claims_before_that_or_not_at_all(race: Race) -> None:
    def scene(play: Play) -> bool:
        task_id = start_one(race.db)
        worker = a_remote_worker(race.db)
        claimed, _ = play.run(
            lambda db: replace(worker, db=served(db)).exchange(limit=1),
            lambda db: call(served(db), "revoke_worker_key", org_id=DEFAULT_ORG, id=worker.key),
        )
        refused = isinstance(claimed, Unauthorized)
        assert status(race.db, task_id) == ("queued" if refused else "running")
        return refused

    assert set(race.every_order(scene)) == {True, False}


def test_a_session_that_is_ended_with_its_key_claims_before_that_or_not_at_all(race: Race) -> None:
    def revoke(db: Db, worker: RemoteWorker) -> int:
        call(served(db), "revoke_worker_key", org_id=DEFAULT_ORG, id=worker.key)
        return call(db, "end_key_sessions", org_id=DEFAULT_ORG, worker_key_id=worker.key)

    def scene(play: Play) -> bool:
        task_id = start_one(race.db)
        worker = a_remote_worker(race.db)
        claimed, ended = play.run(
            lambda db: replace(worker, db=served(db)).exchange(limit=1), lambda db: revoke(db, worker)
        )
        assert ended == 1
        call(race.db, "expire_attempts")
        refused = isinstance(claimed, Unauthorized)
        assert status(race.db, task_id) == ("queued" if refused else "retrying")
        return refused

    assert set(race.every_order(scene)) == {True, False}


def test_an_attempt_is_completed_by_its_token_or_taken_back_never_both(race: Race) -> None:
    def complete(db: Db, worker: RemoteWorker, task_id: UUID) -> str:
        attempt = {"task_id": task_id, "attempt": 1, "session_id": worker.session_id}
        (fence,) = call(served(db), "find_fence", org_id=DEFAULT_ORG, **attempt)
        session = {"session_id": worker.session_id, "token": fence["token"]}
        (told,) = call(db, "complete_tasks", **session, task_ids=[task_id], attempts=[1])
        return told["result"]

    def scene(play: Play) -> str:
        task_id = start_one(race.db)
        worker = a_remote_worker(race.db)
        worker.exchange(limit=1)
        told, _ = play.run(
            lambda db: complete(db, worker, task_id),
            lambda db: call(
                db, "heartbeat", session_id=worker.session_id, token=worker.token, task_ids=[], attempts=[], settled=1
            ),
        )
        assert not isinstance(told, TenutoError) or isinstance(told, StaleLease)
        accepted = told == "accepted"
        assert status(race.db, task_id) == ("completed" if accepted else "queued")
        assert history(race.db, task_id) == [(1, "completed" if accepted else "forgotten")]
        return "accepted" if accepted else "stale"

    assert set(race.every_order(scene)) == {"accepted", "stale"}
