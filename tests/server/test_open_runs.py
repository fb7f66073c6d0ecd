"""Open runs over HTTP."""

from uuid import uuid4

import psycopg
from starlette.testclient import TestClient

from tests.support.database.loops import settle
from tests.support.database.tasks import a_worker, drain


def test_a_run_is_opened_filled_and_closed(admin: TestClient, db: psycopg.Connection) -> None:
    asked = {"open": True, "name": "import", "input": [1], "metadata": {"a": 1}, "dedupe_key": "k", "run_attempts": 2}
    opened = admin.post("/v1/runs", json=asked)
    assert opened.status_code == 201, opened.text
    run_id = opened.json()["id"]
    assert opened.json() == {"id": run_id, "status": "pending", "created": True}
    assert admin.post("/v1/runs", json=asked).json() == {"id": run_id, "status": "pending", "created": False}

    one = admin.post(f"/v1/runs/{run_id}/tasks", json={"type": "shop.send", "input": {"to": "a"}, "metadata": {"b": 2}})
    (id,) = one.json()["ids"]
    again = admin.post(f"/v1/runs/{run_id}/tasks", json={"type": "shop.send", "id": id})
    assert (again.status_code, again.json()) == (201, {"ids": [id]})
    graph = {"a": {"type": "shop.send"}, "b": {"type": "shop.pay", "input": [{"$output": "a"}]}}
    two = admin.post(f"/v1/runs/{run_id}/tasks", json={"graph": {"tasks": graph}})
    assert (one.status_code, len(one.json()["ids"]), len(two.json()["ids"])) == (201, 1, 2)
    assert admin.get(f"/v1/tasks/{one.json()['ids'][0]}").json()["metadata"] == {"b": 2}
    drain(db, a_worker(db))
    seen = admin.get(f"/v1/runs/{run_id}").json()
    assert (seen["open"], seen["status"], seen["total_tasks"]) == (True, "running", 3)
    assert (seen["input"], seen["metadata"], seen["max_attempts"]) == ([1], {"a": 1}, 2)

    assert admin.post(f"/v1/runs/{run_id}/close").status_code == 204
    assert admin.post(f"/v1/runs/{run_id}/close").status_code == 204
    settle(db)
    ended = admin.get(f"/v1/runs/{run_id}").json()
    assert (ended["open"], ended["status"]) == (False, "completed")
    late = admin.post(f"/v1/runs/{run_id}/tasks", json={"type": "shop.send"})
    assert (late.status_code, late.json()["code"]) == (409, "conflict")


def test_a_held_run_starts_when_it_is_released(admin: TestClient, db: psycopg.Connection) -> None:
    graph = {"a": {"type": "shop.send"}, "b": {"type": "shop.pay", "input": [{"$output": "a"}]}}
    bodies = ({"type": "shop.send"}, {"graph": {"tasks": graph}}, {"open": True})
    for body in bodies:
        run_id = admin.post("/v1/runs", json={**body, "hold": True}).json()["id"]
        if "open" in body:
            admin.post(f"/v1/runs/{run_id}/tasks", json={"type": "shop.send"})
        worker = a_worker(db)
        assert (worker.claim(5), admin.get(f"/v1/runs/{run_id}").json()["held"]) == ([], True)
        assert admin.get(f"/v1/runs/{run_id}/why").json()["held"]
        for released in (True, False):
            assert admin.post(f"/v1/runs/{run_id}/release").json() == {"id": run_id, "released": released}
        drain(db, worker)
        assert admin.get(f"/v1/runs/{run_id}").json()["held"] is False

    cancelled = admin.post("/v1/runs", json={"type": "shop.send", "hold": True}).json()["id"]
    admin.post(f"/v1/runs/{cancelled}/cancel")
    assert admin.post(f"/v1/runs/{cancelled}/release").status_code == 409
    assert admin.post(f"/v1/runs/{uuid4()}/release").status_code == 404
    assert admin.post("/v1/runs", json={"type": "shop.send", "hold": "yes"}).status_code == 422
    assert admin.post(f"/v1/runs/{cancelled}/tasks", json={"type": "shop.send", "hold": True}).status_code == 422


def test_wrong_bodies_are_refused(admin: TestClient) -> None:
    run_id = admin.post("/v1/runs", json={"open": True}).json()["id"]

    for body in ({"open": False}, {"open": True, "type": "shop.send"}, {"open": True, "dedupe_key": "k"}):
        assert admin.post("/v1/runs", json=body).status_code == 422
    reserved = admin.post("/v1/runs", json={"open": True, "input": {"$pickle": "x"}})
    assert (reserved.status_code, "reserved" in reserved.json()["detail"]) == (422, True)
    assert admin.post("/v1/runs/bulk", json=[{"open": True}]).status_code == 422
    for body in ({"type": "a.b", "dedupe_key": "k"}, {"graph": {"tasks": {}}}, [], {}):
        assert admin.post(f"/v1/runs/{run_id}/tasks", json=body).status_code == 422


def test_an_idempotency_key_adds_tasks_once(admin: TestClient) -> None:
    run_id = admin.post("/v1/runs", json={"open": True}).json()["id"]
    path, headers = f"/v1/runs/{run_id}/tasks", {"Idempotency-Key": "once"}

    first = admin.post(path, json={"type": "shop.send"}, headers=headers).json()
    assert admin.post(path, json={"type": "shop.send"}, headers=headers).json() == first
    assert admin.get(f"/v1/runs/{run_id}").json()["total_tasks"] == 1


def test_clients_make_ids_and_repeat_them(admin: TestClient) -> None:
    graph = {"graph": {"tasks": {"a": {"type": "shop.send"}}}, "input": {"day": 1}}
    for body in ({"type": "shop.send"}, graph, {"open": True}):
        id = str(uuid4())
        first = admin.post("/v1/runs", json={**body, "id": id})
        assert first.status_code == 201, first.text
        assert first.json() == {"id": id, "status": "pending", "created": True}
        again = [admin.post("/v1/runs", json={**body, "id": id}).json()]
        if "open" not in body:
            again += admin.post("/v1/runs/bulk", json=[{**body, "id": id}]).json()["items"]
        assert [run["created"] for run in again] == [False] * len(again)
        assert admin.get(f"/v1/runs/{id}").json()["input"] == body.get("input", {} if "type" in body else None)
    assert admin.post("/v1/runs", json={"type": "shop.send", "id": "x"}).status_code == 422
    bad = admin.post("/v1/runs", json={**graph, "input": {"$pickle": "x"}})
    assert (bad.status_code, "reserved" in bad.json()["detail"]) == (422, True)


def test_tasks_are_found_by_their_external_id(admin: TestClient) -> None:
    ids = [
        admin.post("/v1/runs", json={"type": type, "external_id": "job 7"}).json()["id"]
        for type in ("a.b", "a.c", "a.b")
    ]
    admin.post("/v1/runs", json={"type": "a.b", "external_id": "job 8"})

    def listed(**params: str | int) -> list[str]:
        found = admin.get("/v1/tasks", params={"external_id": "job 7", **params})
        assert found.status_code == 200, found.text
        return [task["id"] for task in found.json()["items"]]

    assert listed() == ids[::-1]
    assert (listed(limit=1), listed(before=ids[2])) == ([ids[2]], [ids[1], ids[0]])
    assert (listed(sort="created_at"), listed(type="a.b"), listed(status="failed")) == (ids, [ids[2], ids[0]], [])
    assert listed(run_id=ids[1]) == [ids[1]]
    assert admin.get("/v1/tasks", params={"external_id": "job 7", "count": True}).status_code == 422
