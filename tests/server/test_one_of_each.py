"""One of each thing, by its id or name: found, not found, and not found from another org."""

from uuid import UUID, uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start
from tests.support.http.worker_requests import open_worker, worker_headers
from tests.support.processes.bundles import a_bundle, hash_of

LIMIT = {"scope": "key", "key": "cust/1", "size": 2}


@pytest.fixture
def things(admin: TestClient, db: psycopg.Connection) -> dict[str, str]:
    """The path of one of each, and what its response has."""
    key = admin.post("/v1/keys", json={"name": "ci", "permissions": ["runs:read"]}).json()["id"]
    worker_key = admin.post("/v1/worker-keys", json={"name": "fleet"}).json()["id"]
    admin.put("/v1/schedules/nightly", json={"type": "shop.report", "cron": "0 3 * * *"})
    admin.put("/v1/groups/reports", json={"weight": 3})
    admin.post("/v1/bundles", content=(bundle := a_bundle()), headers={"Content-Type": "application/zip"})
    run = admin.post("/v1/runs", json={"type": "shop.send", "limits": [LIMIT]}).json()["id"]
    (data,) = admin.put(f"/v1/runs/{run}/data", json={"values": {"a/b": 1}}).json()["ids"]
    worker = open_worker(admin, worker_headers(db), "far")
    worker.ask("types", types={"shop.send": {"kind": {"queue": "mail"}}})
    call(db, "follow_arrivals")
    call(db, "beat_dispatcher", id=uuid4(), address="here", port=9)
    return {
        f"/v1/keys/{key}": "ci",
        f"/v1/worker-keys/{worker_key}": "fleet",
        "/v1/schedules/nightly": "0 3 * * *",
        "/v1/workers/far": "active",
        "/v1/groups/reports": '"weight":3',
        "/v1/limits/key/cust%2F1": '"used":1',
        "/v1/types/shop.send": '"queue":"mail"',
        f"/v1/bundles/{hash_of(bundle)}": "manifest",
        f"/v1/data/{data}": '"key":"a/b"',
        f"/v1/runs/{run}/data/a%2Fb": '"value":1',
        f"/v1/runs/{run}/tasks": "shop.send",
        f"/v1/runs/{run}/logs": '"items":[]',
    }


def test_each_thing_is_found_by_its_id_or_name_in_its_org_only(
    admin: TestClient, things: dict[str, str], make_headers: MakeKey, db: psycopg.Connection
) -> None:
    stranger = make_headers("*", org_id=call(db, "create_org", slug="other"))

    for path, part in things.items():
        found, foreign = admin.get(path), admin.get(path, headers=stranger)
        assert (found.status_code, part in found.text) == (200, True), (path, found.text)
        assert foreign.status_code == 404, path
        assert foreign.json()["detail"], path


def test_a_thing_that_does_not_exist_is_not_found(admin: TestClient) -> None:
    id = uuid4()
    paths = [
        f"/v1/{path}"
        for path in (
            f"keys/{id}", f"worker-keys/{id}", "schedules/x", "workers/x", "groups/x", "limits/key/x", "types/x",
            f"bundles/{'0' * 64}", f"data/{id}", f"runs/{id}/data/x", f"runs/{id}/tasks", f"runs/{id}/logs",
        )
    ]  # fmt: skip

    assert {admin.get(path).status_code for path in paths} == {404}
    assert admin.post(f"/v1/tasks/{id}/retry").status_code == 404
    assert admin.post("/v1/workers/x/terminate").status_code == 404
    assert admin.post("/v1/schedules/x/run").status_code == 404
    assert admin.patch(f"/v1/keys/{id}", json={"active": False}).status_code == 404
    assert admin.patch("/v1/schedules/x", json={"cron": "0 3 * * *"}).status_code == 404
    assert admin.delete(f"/v1/runs/{id}/data?key=x").status_code == 404
    assert admin.get("/v1/limits/speed/x").status_code == 422


def test_types_limits_and_dispatchers_are_listed(admin: TestClient, things: dict[str, str]) -> None:
    types = admin.get("/v1/types", params={"limit": 1}).json()
    more = admin.get("/v1/types", params={"after": types["next"]}).json()
    limits = admin.get("/v1/limits", params={"limit": 1}).json()
    rest = admin.get("/v1/limits", params={"after": limits["next"]}).json()

    assert len(things) == 12
    assert [item["type"] for item in (*types["items"], *more["items"])] == sorted(
        item["type"] for item in (*types["items"], *more["items"])
    )
    assert "shop.send" in {item["type"] for item in (*types["items"], *more["items"])}
    assert (limits["items"][0]["key"], limits["next"], rest["items"]) == ("cust/1", "key:cust/1", [])
    assert admin.get("/v1/limits", params={"after": "cust"}).status_code == 422
    assert admin.get("/v1/dispatchers").json()["items"][0]["address"] == "here"


def test_a_key_is_renamed_set_inactive_active_again_and_given_an_end(admin: TestClient, make_headers: MakeKey) -> None:
    user = make_headers("runs:read", name="app")
    id = next(key["id"] for key in admin.get("/v1/keys").json()["items"] if key["name"] == "app")

    off = admin.patch(f"/v1/keys/{id}", json={"active": False, "name": "old app"}).json()
    assert (off["name"], off["disabled_at"] is not None) == ("old app", True)
    refused = admin.get("/v1/runs", headers=user)
    assert (refused.status_code, "is not active" in refused.json()["detail"]) == (401, True)
    assert admin.patch(f"/v1/keys/{id}", json={"active": True}).json()["disabled_at"] is None
    assert admin.get("/v1/runs", headers=user).status_code == 200

    ends = {"expires_at": "2199-01-01T00:00:00Z"}
    assert admin.patch(f"/v1/keys/{id}", json=ends).json()["expires_at"] == ends["expires_at"]
    assert admin.patch(f"/v1/keys/{id}", json={"expires_at": None}).json()["expires_at"] is None
    assert admin.patch(f"/v1/keys/{id}", json={"expires_at": "2001-01-01T00:00:00Z"}).status_code == 422
    assert admin.patch(f"/v1/keys/{id}", json={}).status_code == 422
    (entry, *_) = admin.get("/v1/audit", params={"action": "update"}).json()["items"]
    assert entry["changes"] == {"expires_at": {"old": ends["expires_at"], "new": None}}
    admin.delete(f"/v1/keys/{id}")
    assert admin.patch(f"/v1/keys/{id}", json={"active": True}).status_code == 409


def test_a_key_can_only_change_keys_within_its_own_permissions(admin: TestClient, make_headers: MakeKey) -> None:
    maker = make_headers("keys:*", "runs:read", name="maker", expires_at="2100-01-01T00:00:00Z")
    make_headers("runs:write", name="writer", expires_at="2099-01-01T00:00:00Z")
    make_headers("runs:read", name="reader", expires_at="2099-01-01T00:00:00Z")
    ids = {key["name"]: key["id"] for key in admin.get("/v1/keys").json()["items"]}

    def change(name: str, **body: object) -> int:
        return admin.patch(f"/v1/keys/{ids[name]}", json=body, headers=maker).status_code

    assert change("writer", active=False) == 403
    assert change("reader", active=False) == 200
    assert change("reader", expires_at=None) == 403
    assert change("reader", expires_at="2100-06-01T00:00:00Z") == 403
    assert change("maker", expires_at="2101-01-01T00:00:00Z") == 403


def test_a_schedule_is_changed_in_part_and_run_now(admin: TestClient, db: psycopg.Connection) -> None:
    put = admin.put("/v1/schedules/n", json={"type": "shop.report", "cron": "0 3 * * *", "queue": "mail"}).json()

    later = admin.patch("/v1/schedules/n", json={"input": {"day": 1}, "jitter": "5s", "metadata": {"a": 1}}).json()
    assert (later["next_at"], later["kind"], later["cron"]) == (put["next_at"], put["kind"], put["cron"])
    assert (later["input"], later["jitter_seconds"], later["details"]) == ({"day": 1}, 5, {"metadata": {"a": 1}})
    moved = admin.patch("/v1/schedules/n", json={"timezone": "Asia/Tokyo"}).json()
    assert moved["next_at"] != put["next_at"]
    assert admin.patch("/v1/schedules/n", json={"cron": "never"}).status_code == 422
    assert admin.patch("/v1/schedules/n", json={"type": "shop.other"}).status_code == 422
    assert admin.patch("/v1/schedules/n", json={"jitter": "2d"}).status_code == 422
    assert admin.get("/v1/schedules/n").json() == moved

    run = admin.post("/v1/schedules/n/run").json()["run_id"]
    assert admin.get(f"/v1/runs/{run}").json()["input"] == {"day": 1}


def test_an_ended_task_is_retried_and_a_worker_terminated(admin: TestClient, db: psycopg.Connection) -> None:
    (task,) = start(db, 1)
    assert admin.post(f"/v1/tasks/{task}/retry").status_code == 409
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=task)

    retried = admin.post(f"/v1/tasks/{task}/retry")
    assert (retried.status_code, retried.json()["retry_of"]) == (201, str(task))
    assert UUID(retried.json()["id"]) != task
    worker = a_worker(db)
    name = admin.get("/v1/workers").json()["items"][0]["id"]
    assert admin.post(f"/v1/workers/{name}/terminate").status_code == 204
    assert admin.get(f"/v1/workers/{name}").json()["status"] == "terminated"
    assert worker
