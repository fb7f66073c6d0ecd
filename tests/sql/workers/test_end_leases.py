"""The lease of a worker whose processes have ended is ended by a dispatcher on the same host."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.database.tasks import Db, Worker, a_worker, call, history, start_one
from tests.support.database.workers import session_ends, worker_row

HERE, ELSEWHERE = "boot-1 pid:[1]", "boot-2 pid:[1]"


def a_local_worker(db: Db, host: str = HERE, name: str = "w") -> Worker:
    return a_worker(db, name, metadata=Jsonb({"process": {"host": host, "ids": ["7:70", "8:80"]}}))


def close(db: Db, worker: Worker) -> None:
    call(db, "close_session", session_id=worker.session_id, token=worker.token)


def end_leases(db: Db, *workers: Worker) -> int:
    return call(db, "end_leases", host=HERE, session_ids=[worker.session_id for worker in workers])


def local(db: Db, host: str = HERE) -> list[dict[str, Any]]:
    return call(db, "list_local_sessions", host=host)


def test_open_sessions_of_the_host_are_listed_with_their_processes(db: Db) -> None:
    worker = a_local_worker(db)

    assert local(db) == [{"id": worker.session_id, "processes": ["7:70", "8:80"]}]
    assert local(db, ELSEWHERE) == []
    close(db, worker)
    assert local(db) == []


def test_an_ended_lease_ends_the_session_and_its_attempts(db: Db) -> None:
    start_one(db, kind={"max_attempts": 3})
    worker = a_local_worker(db)
    held = worker.claim_one()

    assert end_leases(db, worker) == 1
    assert call(db, "expire_sessions") == 1
    assert call(db, "expire_attempts") == 1

    assert (worker_row(db)["status"], worker_row(db)["error"]) == ("error", "its process ended")
    assert session_ends(db) == ["expired"]
    assert history(db, held.task_id) == [(1, "lost")]
    assert worker.complete(held) == ["stale_lease"]


def test_a_repeated_or_late_call_changes_nothing(db: Db) -> None:
    worker = a_local_worker(db)
    assert [end_leases(db, worker) for _ in range(2)] == [1, 0]
    call(db, "expire_sessions")
    assert end_leases(db, worker) == 0

    again = a_local_worker(db)
    close(db, again)
    assert end_leases(db, again) == 0
    assert session_ends(db)[-1] == "closed"


def test_only_a_dispatcher_of_the_same_host_can_end_a_lease(db: Db) -> None:
    worker = a_local_worker(db, ELSEWHERE)

    assert end_leases(db, worker) == 0
    worker.beat()
    assert call(db, "expire_sessions") == 0


def test_a_locked_session_is_skipped_and_the_others_end(db: Db, database: str) -> None:
    locked, free = a_local_worker(db), a_local_worker(db, name="free")
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.sessions where id = %s for update", [locked.session_id])
        assert end_leases(db, locked, free) == 1
    assert end_leases(db, locked, free) == 1


@pytest.mark.parametrize("process", ["a word", 7, [1], None, {"host": "x" * 1000}])
def test_other_metadata_of_this_name_is_no_process(process: object, db: Db) -> None:
    a_worker(db, metadata=Jsonb({"process": process}))

    assert db.execute("select count(*) from tenuto.sessions where process is null").fetchone() == (1,)
