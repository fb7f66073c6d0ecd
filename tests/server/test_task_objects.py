"""/v1/task/objects: an attempt puts what it then holds, and reads what it was told of."""

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.support.database.loops import an_org
from tests.support.database.tasks import start_one
from tests.support.http.worker_requests import HttpWorker, open_worker, worker_headers


@pytest.fixture
def worker(api: TestClient, db: psycopg.Connection) -> HttpWorker:
    start_one(db)
    return open_worker(api, worker_headers(db))


def headers_of(claimed: dict[str, str]) -> dict[str, str]:
    return {"Authorization": f"Bearer {claimed['token']}"}


@pytest.mark.parametrize("size", [10, 2_000_000])
def test_what_an_attempt_puts_it_holds_and_reads_again(worker: HttpWorker, db: psycopg.Connection, size: int) -> None:
    claimed = worker.claim_one(tokens=True)
    headers = headers_of(claimed)

    put = worker.api.post("/v1/task/objects?type=blob", headers=headers, content=b"x" * size)

    id = put.json()["id"]
    assert (put.status_code, worker.api.get(f"/v1/task/objects/{id}", headers=headers).content) == (201, b"x" * size)
    held = db.execute(
        "select holder, holder_id::text from tenuto.data_references where object_id = %s", [id]
    ).fetchall()
    assert held == [("task", claimed["task_id"])]


def test_an_attempt_that_was_taken_back_neither_puts_nor_reads(worker: HttpWorker, db: psycopg.Connection) -> None:
    headers = headers_of(worker.claim_one(tokens=True))
    id = worker.api.post("/v1/task/objects", headers=headers, content=b"x").json()["id"]
    worker.ask("heartbeat", settled_claim_no=1, held=[])

    put = worker.api.post("/v1/task/objects", headers=headers, content=b"y" * 2_000_000)
    read = worker.api.get(f"/v1/task/objects/{id}", headers=headers)

    assert (put.status_code, read.status_code) == (409, 409)
    assert db.execute("select count(*) from tenuto.data_objects").fetchone() == (1,)


def test_another_orgs_object_is_not_there(worker: HttpWorker, db: psycopg.Connection) -> None:
    other = an_org(db, "other")
    start_one(db, org_id=other)
    theirs = open_worker(worker.api, worker_headers(db, org_id=other)).claim_one(tokens=True)
    id = worker.api.post("/v1/task/objects", headers=headers_of(theirs), content=b"x").json()["id"]

    read = worker.api.get(f"/v1/task/objects/{id}", headers=headers_of(worker.claim_one(tokens=True)))

    assert read.status_code == 404
