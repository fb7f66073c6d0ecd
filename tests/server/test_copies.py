"""What a server on a copy of a database says to workers and people."""

import pytest
from starlette.testclient import TestClient

from tests.support.database.tasks import Db
from tests.support.http.worker_requests import HttpWorker, worker_headers


@pytest.fixture
def copy(db: Db) -> Db:
    db.execute("update tenuto.installation set value = 'false' where key = 'test'")
    db.execute("update tenuto.installation_marks set database_oid = 1")
    return db


def test_a_worker_is_refused_until_the_copy_is_adopted(api: TestClient, copy: Db) -> None:
    headers = worker_headers(copy)

    refused = api.post("/internal/sessions", headers=headers, json={"name": "far"})

    assert (refused.status_code, refused.json()["code"]) == (409, "copied_database")
    assert "tenuto db adopt" in refused.json()["hint"]
    copy.execute("select tenuto.adopt_database()")
    assert api.post("/internal/sessions", headers=headers, json={"name": "far"}).status_code == 201


def test_a_session_of_the_original_ends_at_its_heartbeat(
    worker: HttpWorker, db: Db, request: pytest.FixtureRequest
) -> None:
    assert worker.ask("heartbeat", settled_claim_no=0, held=[]).status_code == 200
    request.getfixturevalue("copy")

    ended = worker.ask("heartbeat", settled_claim_no=0, held=[])

    assert (ended.status_code, ended.json()["code"]) == (409, "session_ended")


def test_the_status_names_the_problem(admin: TestClient, copy: Db) -> None:
    assert "copy of an installation" in admin.get("/v1/status").json()["copy_problem"]
    copy.execute("select tenuto.adopt_database()")
    assert admin.get("/v1/status").json()["copy_problem"] is None
