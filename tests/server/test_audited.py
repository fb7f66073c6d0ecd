"""Every route by which a person or key changes something leaves an entry in the audit log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from starlette.testclient import TestClient

from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_user
from tests.support.http.worker_requests import open_worker, worker_headers
from tests.support.processes.bundles import a_bundle, hash_of

MATRIX: dict[str, str] = json.loads((Path(__file__).parent / "matrix.json").read_text())["routes"]
UNWRITTEN = {
    "POST /v1/runs/wait": "it only looks",
    "POST /auth/logout": "one ends one's own visit; its beginning is written down",
}
OF_WORKERS = {"PUT /internal/schedules"}  # the rest of what they do is kept as attempts and sessions
Deed = tuple[str, str, dict[str, Any]]


def must_be_written() -> set[str]:
    changing = {route for route in MATRIX if route.split()[0] not in ("GET", "HEAD")}
    by_others = {route for route in changing if MATRIX[route] in ("worker", "task")}
    return changing - by_others - set(UNWRITTEN) | OF_WORKERS


def deeds(api: TestClient, db: Db) -> Iterator[Deed]:
    """A request by each route that does something, and how it is sent."""
    yield from of_runs(api, db)
    yield from of_keys(api)
    yield from of_people(db)
    yield from of_things(api, db)


def of_runs(api: TestClient, db: Db) -> Iterator[Deed]:
    def a_run() -> str:
        return api.post("/v1/runs", json={"type": "shop.send"}).json()["id"]

    yield "POST /v1/runs", "/v1/runs", {"json": {"type": "shop.send"}}
    yield "POST /v1/runs/bulk", "/v1/runs/bulk", {"json": [{"type": "shop.send"}]}
    yield "PATCH /v1/runs/{run_id}", f"/v1/runs/{a_run()}", {"json": {"status": "cancelled"}}
    run = a_run()
    yield "POST /v1/runs/{run_id}/signals", f"/v1/runs/{run}/signals", {"json": {"name": "go"}}
    yield "PUT /v1/runs/{run_id}/data", f"/v1/runs/{run}/data", {"json": {"values": {"k": 1}}}
    (value,) = call(db, "get_run_data", org_id=DEFAULT_ORG, run_id=run)
    yield "PATCH /v1/data/{data_id}/tags", f"/v1/data/{value['id']}/tags", {"json": {"add": ["x"]}}
    yield "DELETE /v1/runs/{run_id}/data", f"/v1/runs/{run}/data?key=k", {}
    yield "POST /v1/runs/{run_id}/cancel", f"/v1/runs/{run}/cancel", {}
    yield "POST /v1/runs/{run_id}/retry", f"/v1/runs/{run}/retry", {}
    gone = a_run()
    api.post(f"/v1/runs/{gone}/cancel")
    yield "DELETE /v1/runs/{run_id}", f"/v1/runs/{gone}", {}
    yield "PATCH /v1/tasks/{task_id}", f"/v1/tasks/{a_run()}", {"json": {"status": "cancelled"}}
    yield "POST /v1/tasks/{task_id}/cancel", f"/v1/tasks/{a_run()}/cancel", {}


def of_keys(api: TestClient) -> Iterator[Deed]:
    for path, more in (("/v1/keys", {"permissions": ["runs:read"]}), ("/v1/worker-keys", {})):
        yield f"POST {path}", path, {"json": {"name": "ci", **more}}
        id = api.get(path).json()["items"][0]["id"]
        yield f"POST {path}/{{id}}/rotate", f"{path}/{id}/rotate", {"json": {}}
        yield f"DELETE {path}/{{id}}", f"{path}/{id}", {}


def of_people(db: Db) -> Iterator[Deed]:
    ann = a_user(db)
    yield "POST /v1/users", "/v1/users", {"json": {"issuer": "here", "subject": "bob"}}
    yield "PATCH /v1/users/{user_id}", f"/v1/users/{ann}", {"json": {"platform_role": "writer"}}
    yield "POST /v1/roles", "/v1/roles", {"json": {"name": "finance"}}
    yield "PUT /v1/roles/{name}/members/{user_id}", f"/v1/roles/finance/members/{ann}", {}
    yield "DELETE /v1/roles/{name}/members/{user_id}", f"/v1/roles/finance/members/{ann}", {}
    yield "DELETE /v1/roles/{name}", "/v1/roles/finance", {}
    yield "PATCH /v1/orgs/{slug}", "/v1/orgs/default", {"json": {"name": "Ours"}}


def of_things(api: TestClient, db: Db) -> Iterator[Deed]:
    bundle, object_id = a_bundle(), uuid4()
    zipped = {"content": bundle, "headers": {"Content-Type": "application/zip"}}
    yield "POST /v1/bundles", "/v1/bundles", zipped
    yield "DELETE /v1/bundles/{sha256}", f"/v1/bundles/{hash_of(bundle)}", {}
    yield "POST /v1/objects", "/v1/objects", {"content": b"x"}
    yield "PUT /v1/objects/{object_id}", f"/v1/objects/{object_id}", {"content": b"x"}
    yield "DELETE /v1/objects/{object_id}", f"/v1/objects/{object_id}", {}
    daily = {"type": "shop.send", "cron": "0 9 * * *"}
    yield "PUT /v1/schedules/{name}", "/v1/schedules/daily", {"json": daily}
    yield "POST /v1/schedules/{name}/pause", "/v1/schedules/daily/pause", {}
    yield "POST /v1/schedules/{name}/resume", "/v1/schedules/daily/resume", {}
    yield "DELETE /v1/schedules/{name}", "/v1/schedules/daily", {}
    yield "POST /v1/outbox/replay", "/v1/outbox/replay", {"json": {"all": True}}
    yield "POST /v1/queues/{name}/pause", "/v1/queues/mail/pause", {}
    yield "POST /v1/queues/{name}/resume", "/v1/queues/mail/resume", {}
    yield "PUT /v1/groups/{name}", "/v1/groups/reports", {"json": {"weight": 2}}
    fleet = worker_headers(db)
    open_worker(api, fleet, "far")
    yield "POST /v1/workers/{name}/drain", "/v1/workers/far/drain", {}
    schedule = {"name": "a.report", "kind": {"type": "a.report"}, "cron": "0 9 * * *"}
    yield (
        "PUT /internal/schedules",
        "/internal/schedules",
        {"json": {"types": [], "schedules": [schedule]}, "headers": fleet},
    )


def test_every_change_by_a_person_or_key_is_written_down(admin: TestClient, db: psycopg.Connection) -> None:
    def entries() -> int:
        return db.execute("select count(*) from tenuto.audit_log").fetchall()[0][0]

    done, unwritten = set(), []
    for route, path, sent in deeds(admin, db):
        before = entries()
        answer = admin.request(route.split()[0], path, **sent)
        assert answer.is_success, (route, answer.text)
        done.add(route)
        if entries() != before + 1:
            unwritten.append(route)

    assert unwritten == []
    assert done == must_be_written()
