"""What a running attempt puts, its task holds; what a lost attempt puts is not stored."""

import asyncio
from pathlib import Path

import psycopg
import pytest

from tenuto.db.connection.pool import open_pool
from tenuto.model.errors import NotFound, StaleLease
from tenuto.sdk.values.data_objects import AttemptFence
from tenuto.sdk.values.stored_objects import Objects
from tenuto.storage.folder import FolderStore
from tests.support.database.data_objects import an_object
from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, Claim, Worker, a_worker, call, start_one


def held(db: psycopg.Connection) -> tuple[Worker, Claim]:
    start_one(db)
    worker = a_worker(db)
    return worker, worker.claim_one()


def keep(db: psycopg.Connection, worker: Worker, claim: Claim, object_id: object) -> None:
    fence = {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}
    call(db, "keep_object", **fence, object_id=object_id)


def test_the_task_of_a_running_attempt_holds_the_object_and_twice_is_fine(db: psycopg.Connection) -> None:
    worker, claim = held(db)
    object_id = an_object(db)

    keep(db, worker, claim, object_id)
    keep(db, worker, claim, object_id)

    assert count(db, "data_references", f"holder = 'task' and holder_id = '{claim.task_id}'") == 1


def test_an_attempt_that_was_given_back_completed_or_never_there_keeps_nothing(db: psycopg.Connection) -> None:
    worker, claim = held(db)
    object_id = an_object(db)
    worker.interrupt(claim)
    again = worker.claim_one()

    with pytest.raises(StaleLease):
        keep(db, worker, claim, object_id)
    worker.complete(again)
    with pytest.raises(StaleLease):
        keep(db, worker, again, object_id)

    assert count(db, "data_references") == 0


def test_an_object_that_is_not_there_cannot_be_kept(db: psycopg.Connection) -> None:
    worker, claim = held(db)

    with pytest.raises(NotFound, match="no data object"):
        keep(db, worker, claim, claim.task_id)


@pytest.mark.parametrize("size", [10, 2_000_000], ids=["small", "large"])
def test_a_worker_that_lost_its_task_stores_nothing(
    db: psycopg.Connection, database: str, tmp_path: Path, size: int
) -> None:
    worker, claim = held(db)
    worker.interrupt(claim)
    session_id, token = worker.fence["session_id"], worker.fence["token"]
    fence = AttemptFence(session_id=session_id, token=token, task_id=claim.task_id, attempt=claim.attempt)

    async def put() -> None:
        async with open_pool(database) as pool:
            await Objects(pool, DEFAULT_ORG, FolderStore(tmp_path)).put(b"x" * size, holder=fence)

    with pytest.raises(StaleLease):
        asyncio.run(put())

    assert count(db, "data_objects") == 0
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
