"""Ending the sessions of a worker key that was revoked."""

from tests.support.database.loops import an_org
from tests.support.database.remote_workers import a_remote_worker
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start_one, status

OPEN = "select count(*) from tenuto.sessions where ended_at is null"
ENDS = """
select w.status::text, s.end_reason
from tenuto.sessions s join tenuto.workers w on w.id = s.worker_id
order by s.id
"""


def end(db: Db, key: object, org_id: object = DEFAULT_ORG) -> int:
    return call(db, "end_key_sessions", org_id=org_id, worker_key_id=key)


def test_sessions_of_a_revoked_key_end_and_their_tasks_are_given_back(db: Db) -> None:
    task_id = start_one(db)
    worker, other = a_remote_worker(db), a_remote_worker(db, name="other")
    worker.exchange(limit=1)
    call(db, "revoke_worker_key", org_id=DEFAULT_ORG, id=worker.key)

    assert [end(db, worker.key), end(db, worker.key)] == [1, 0]
    assert db.execute(ENDS).fetchall() == [("terminated", "terminated"), ("active", None)]
    call(db, "expire_attempts")
    assert status(db, task_id) == "retrying"
    assert other.key != worker.key


def test_a_key_that_is_good_keeps_its_sessions(db: Db) -> None:
    worker = a_remote_worker(db)

    assert end(db, worker.key) == 0
    assert db.execute(OPEN).fetchone() == (1,)


def test_another_org_ends_nothing(db: Db) -> None:
    worker = a_remote_worker(db)
    call(db, "revoke_worker_key", org_id=DEFAULT_ORG, id=worker.key)

    assert end(db, worker.key, an_org(db, "other")) == 0
    assert db.execute(OPEN).fetchone() == (1,)
