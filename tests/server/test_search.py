"""Search and rates over HTTP: a caller finds what it may read, in its own org."""

from uuid import UUID

import psycopg
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.clock import Clock
from tests.support.database.dags import deploy
from tests.support.database.tasks import a_worker, call, start_one


def found(api: TestClient, headers: dict[str, str], text: str) -> list[tuple[str, str]]:
    items = api.get("/v1/search", params={"q": text}, headers=headers).json()["items"]
    return [(item["kind"], item["name"]) for item in items]


def test_kinds_that_a_key_may_not_read_are_not_found(
    api: TestClient, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    deploy(db)
    a_worker(db, "orders-1")
    task_id = start_one(db)
    other: UUID = call(db, "create_org", slug="other")

    assert found(api, make_headers("*"), "orders_d") == [("dataset", "orders_daily")]
    assert found(api, make_headers("status:read", "workers:read"), "orders") == [("worker", "orders-1")]
    assert found(api, make_headers("status:read", "tasks:read"), str(task_id)) == [("task", "app.work")]
    assert found(api, make_headers("*", org_id=other), "orders") == []
    assert api.get("/v1/search", params={"q": "x"}, headers=make_headers("runs:read")).status_code == 403
    assert api.get("/v1/search", params={"q": ""}, headers=make_headers("*")).status_code == 422


def test_rates_and_activity_count_what_ended(admin: TestClient, db: psycopg.Connection, clock: Clock) -> None:
    start_one(db)
    worker = a_worker(db)
    worker.complete(worker.claim(1)[0])
    clock.advance(seconds=1)
    call(db, "roll_up_activity")

    (rate,) = admin.get("/v1/rates", params={"period": "day"}).json()["items"]
    (activity,) = admin.get("/v1/activity").json()["items"]
    assert (rate["completed"], rate["failed"]) == (1, 0)
    assert (activity["type"], activity["completed"]) == ("app.work", 1)
    assert admin.get("/v1/rates", params={"period": "year"}).status_code == 422
