"""Requests that were answered as if all was well, or told more than they should."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.database.audit import entries_of_requests
from tests.support.database.loops import an_org
from tests.support.database.tasks import history, start_one
from tests.support.http.worker_requests import HttpWorker, fence, open_worker, worker_headers


def test_data_of_a_run_that_is_not_there_cannot_be_deleted(admin: TestClient, db: psycopg.Connection) -> None:
    refused = admin.delete(f"/v1/runs/{uuid4()}/data", params={"key": "a"})

    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert entries_of_requests(db) == []
    run_id = start_one(db)
    assert admin.delete(f"/v1/runs/{run_id}/data", params={"key": "a"}).json() == {"deleted": 0}


def test_an_id_that_another_org_uses_for_an_object_is_free(
    admin: TestClient, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    theirs, mine = uuid4(), uuid4()
    other = make_headers("*", org_id=an_org(db, "other"))
    assert admin.put(f"/v1/objects/{theirs}", headers=other, content=b"a").status_code == 201
    assert admin.put(f"/v1/objects/{mine}", content=b"a").status_code == 201

    answers = [admin.put(f"/v1/objects/{id}", content=b"b") for id in (theirs, mine)]

    assert [one.status_code for one in answers] == [201, 409]
    assert admin.get(f"/v1/objects/{theirs}", headers=other).content == b"a"


@pytest.mark.parametrize("query", ["name=a&name=b", "limit=1&limit=200", "limit=1&name=a&limit=1"])
def test_a_parameter_that_holds_one_value_is_sent_once(admin: TestClient, query: str) -> None:
    refused = admin.get(f"/v1/runs?{query}")

    name = query.partition("=")[0]
    assert refused.status_code == 422
    assert refused.json()["errors"] == [{"where": f"query.{name}", "what": "is sent more than once; send it once"}]


def test_a_parameter_that_is_a_list_may_be_sent_several_times(admin: TestClient, db: psycopg.Connection) -> None:
    start_one(db)
    task = open_worker(admin, worker_headers(db)).claim_one(tokens=True)
    found = admin.get("/v1/task/data?keys=a&keys=b", headers={"Authorization": f"Bearer {task['token']}"})

    assert found.status_code == 200


ENDS: dict[str, dict[str, Any]] = {
    "complete": {"output": 1},
    "fail": {"error": {"message": "boom"}},
    "fail for good": {"error": {"message": "boom"}, "retry_in_seconds": -1},
    "snooze": {"seconds": 5},
    "wait": {"wait": {"for": "signal", "name": "go"}},
}
# What only a worker reports, in a list of this name.
WORKER_ENDS: dict[str, dict[str, Any]] = {
    "lost": {"error": {"message": "exit code 9"}},
    "interrupted": {},
}


@pytest.mark.parametrize("end", [*ENDS, *WORKER_ENDS])
def test_an_attempt_that_ended_one_way_is_not_said_to_have_ended_another(
    worker: HttpWorker, db: psycopg.Connection, end: str
) -> None:
    start_one(db)
    held = worker.claim_one(tokens=True)
    mine = {"Authorization": f"Bearer {held['token']}"}

    def report(end: str) -> Any:
        return worker.api.post(f"/v1/task/{end.split()[0]}", headers=mine, json=ENDS[end])

    if end in ENDS:
        assert report(end).json() == {"result": "accepted"}
    else:
        ends: dict[str, Any] = {end: [fence(held, **WORKER_ENDS[end])]}
        assert worker.ask("report", **ends).json()["results"][0]["result"] == "accepted"
    before = history(db, held["task_id"])
    for other in ENDS:
        again = report(other)
        if other.split()[0] == end.split()[0]:
            assert again.json() == {"result": "already_accepted"}
        else:
            assert (again.status_code, again.json()["code"]) == (409, "stale_lease")
    assert history(db, held["task_id"]) == before


def test_a_declaration_that_changed_a_type_is_in_the_audit_log(worker: HttpWorker, db: psycopg.Connection) -> None:
    types = {"a.b": {"kind": {"queue": "mail"}}}
    for _ in range(2):
        assert worker.ask("types", types=types).status_code == 200
    types["a.b"] = {"kind": {"queue": "other"}}
    assert worker.ask("types", types=types).status_code == 200

    found = entries_of_requests(db, entity="type")
    assert [(one["action"], one["entity_id"], one["changes"]["kind"]["new"]["queue"]) for one in found] == [
        ("declare", "a.b", "other"),
        ("declare", "a.b", "mail"),
    ]
