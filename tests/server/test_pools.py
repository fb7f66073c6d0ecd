"""Pools over HTTP."""

import psycopg
from starlette.testclient import TestClient

from tests.support.database.pools import scale, take_pools
from tests.support.database.tasks import start


def test_a_pool_is_set_read_and_deleted(admin: TestClient, db: psycopg.Connection) -> None:
    made = admin.put("/v1/pools/gpu", json={"provider": "local", "max_workers": 2, "queues": None})
    start(db, 1)
    take_pools(db)
    scale(db, made.json()["id"])
    db.commit()

    (row,) = admin.get("/v1/pools").json()["items"]
    one = admin.get("/v1/pools/gpu").json()
    page = admin.get("/v1/pools/gpu/decisions", params={"limit": 1}).json()
    rest = admin.get("/v1/pools/gpu/decisions", params={"before": page["next"]}).json()
    (machine,) = admin.get("/v1/pools/gpu/machines").json()["items"]

    assert (row["name"], row["wanted"], row["starting"], row == one) == ("gpu", 1, 1, True)
    assert (page["items"][0]["reason"], rest["items"]) == ("1 task is ready and 0 run", [])
    assert machine["status"] == "starting"
    assert admin.post("/v1/pools/gpu/machines", json={"count": 2}).json() == {"requested": 2}
    assert admin.post("/v1/pools/gpu/machines", json={"count": 0}).status_code == 422
    assert admin.post("/v1/pools/gpu/machines", json={}).status_code == 409  # max_workers is 2
    assert admin.post("/v1/pools/none/machines", json={}).status_code == 404
    assert admin.delete("/v1/pools/gpu").status_code == 409
    assert admin.delete("/v1/pools/gpu", params={"force": "true"}).status_code == 204
    for path in ("", "/machines", "/decisions"):
        assert admin.get(f"/v1/pools/gpu{path}").status_code == 404


def test_a_wrong_policy_is_refused(admin: TestClient) -> None:
    assert admin.put("/v1/pools/gpu", json={"max": 2}).status_code == 422
    assert admin.put("/v1/pools/gpu", json={"max_workers": 1, "min_workers": 2}).status_code == 422
    assert admin.put("/v1/pools/gpu", json={"provider": None}).status_code == 422
    assert admin.get("/v1/pools").json()["items"] == []
