"""Worker keys for some queues: what they schedule, start and declare stays in these."""

from typing import Any

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.worker_requests import HttpWorker, open_worker, worker_headers

PAY = {"bank.pay": {"kind": {"queue": "vault"}}}
QUEUES = "select queue from tenuto.routes where type = %s"


@pytest.fixture
def trusted(api: TestClient, db: psycopg.Connection) -> HttpWorker:
    """A worker for all queues, which declares a type of queue vault."""
    worker = open_worker(api, worker_headers(db), "trusted")
    assert worker.ask("types", types=PAY).status_code == 200
    return worker


def schedule(api: TestClient, headers: dict[str, str], **kind: Any) -> Any:
    one = {"name": "steal", "kind": {"type": "bank.pay", **kind}, "cron": "* * * * *"}
    return api.put("/internal/schedules", headers=headers, json={"types": [], "schedules": [one]})


@pytest.mark.usefixtures("trusted")
def test_a_schedule_by_type_alone_is_for_the_queue_of_the_type(api: TestClient, db: psycopg.Connection) -> None:
    refused = schedule(api, worker_headers(db, "default"), inherit=True)
    assert (refused.status_code, "uses queue vault" in refused.json()["detail"]) == (403, True)

    assert schedule(api, worker_headers(db, "vault"), inherit=True).status_code == 204
    (row,) = call(db, "list_schedules", org_id=DEFAULT_ORG)
    assert row["kind"]["queue"] == "vault"


def test_a_schedule_by_type_alone_stays_where_it_was_put(
    api: TestClient, db: psycopg.Connection, trusted: HttpWorker
) -> None:
    assert trusted.ask("types", types={"bank.pay": {"kind": {"queue": "default"}}}).status_code == 200
    assert schedule(api, worker_headers(db, "default"), inherit=True).status_code == 204
    assert trusted.ask("types", types=PAY).status_code == 200

    (row,) = call(db, "list_schedules", org_id=DEFAULT_ORG)
    assert row["kind"]["queue"] == "default"


@pytest.mark.usefixtures("trusted")
def test_children_are_in_the_queues_of_the_key(api: TestClient, db: psycopg.Connection) -> None:
    worker = open_worker(api, worker_headers(db, "safe", "mail"))
    call(db, "start_many", org_id=DEFAULT_ORG, kinds='[{"type": "safe.job", "queue": "safe"}]', inputs=["1"])
    token = {"Authorization": f"Bearer {worker.claim_one(tokens=True)['token']}"}

    def start(**kind: Any) -> Any:
        body = {"kinds": [kind], "inputs": [1]}
        return api.post("/v1/task/children", headers=token, json=body)

    refused = [
        start(type="bank.pay", queue="vault"),
        start(type="bank.pay", inherit=True),
        start(type="a.b"),
    ]
    assert [one.status_code for one in refused] == [403] * 3
    assert "the key allows safe, mail" in refused[0].json()["hint"]
    assert start(type="a.b", queue="mail").status_code == 200


def test_types_of_other_queues_make_no_routes(api: TestClient, db: psycopg.Connection) -> None:
    worker = open_worker(api, worker_headers(db, "safe"))
    types = {name: {"kind": {"queue": queue}} for name, queue in (("junk.t", "vault"), ("safe.t", "safe"))}

    assert worker.ask("types", types=types).status_code == 200

    assert [db.execute(QUEUES, [name]).fetchall() for name in types] == [[], [("safe",)]]
