"""A key that is revoked is out at its next request, also where it was granted requests ahead."""

from uuid import UUID

import psycopg
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.database.tasks import call, start_one, status
from tests.support.http.worker_requests import open_worker, worker_headers


def revoke(db: psycopg.Connection) -> None:
    db.execute("update tenuto.api_keys set revoked_at = now()")


def test_it_is_nobody(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    mine = make_headers("runs:read")
    assert {api.get("/auth/me", headers=mine).status_code for _ in range(10)} == {200}

    revoke(db)

    assert {api.get("/auth/me", headers=mine).status_code for _ in range(3)} == {401}


def test_it_sees_no_changes(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    mine = make_headers("runs:read")
    assert {api.get("/v1/changes", headers=mine).status_code for _ in range(10)} == {200}

    revoke(db)

    assert {api.get("/v1/changes", headers=mine).status_code for _ in range(3)} == {401}


def test_it_sees_no_metrics(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    mine = make_headers("status:read")
    assert {api.get("/metrics", headers=mine).status_code for _ in range(10)} == {200}

    revoke(db)

    assert {api.get("/metrics", headers=mine).status_code for _ in range(3)} == {401}


def test_a_worker_key_takes_its_sessions_and_the_tokens_of_their_attempts_with_it(
    admin: TestClient, db: psycopg.Connection
) -> None:
    start_one(db)
    worker = open_worker(admin, worker_headers(db), lease_seconds=86_400)
    task = worker.claim_one(tokens=True)
    mine = {"Authorization": f"Bearer {task['token']}"}
    assert admin.get("/v1/task/steps", headers=mine).status_code == 200
    (key,) = admin.get("/v1/worker-keys").json()["items"]

    assert admin.delete(f"/v1/worker-keys/{key['id']}").status_code == 204

    child = {"children": [{"type": "bank.pay"}]}
    asked = [
        admin.get("/v1/task/steps", headers=mine),
        admin.post("/v1/task/children", headers=mine, json=child),
        admin.put("/v1/task/data", headers=mine, json={"key": "a", "value": 1}),
        admin.post("/v1/task/complete", headers=mine, json={"output": 1}),
    ]
    assert {one.status_code for one in asked} & {200, 201, 204} == set()
    assert asked[0].json()["code"] == asked[3].json()["code"] == "stale_lease"
    call(db, "expire_attempts")
    assert status(db, UUID(task["task_id"])) == "retrying"
    (revoked,) = admin.get("/v1/audit", params={"entity": "worker_key", "action": "revoke"}).json()["items"]
    assert revoked["changes"] == {"ended_sessions": {"new": 1}}


def test_a_key_that_has_expired_takes_the_tokens_of_its_attempts_with_it(
    api: TestClient, db: psycopg.Connection
) -> None:
    start_one(db)
    task = open_worker(api, worker_headers(db)).claim_one(tokens=True)
    mine = {"Authorization": f"Bearer {task['token']}"}
    assert api.get("/v1/task/steps", headers=mine).status_code == 200

    expired = "created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'"
    db.execute(f"update tenuto.worker_keys set {expired}".encode())

    assert api.get("/v1/task/steps", headers=mine).json()["code"] == "stale_lease"
