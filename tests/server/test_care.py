"""Queues, workers, schedules, groups and the org at a glance, over HTTP."""

from datetime import UTC, datetime
from urllib.parse import quote

import psycopg
import pytest
from psycopg.types.json import Jsonb
from starlette.testclient import TestClient

from tests.support.database.schedules import put
from tests.support.database.tasks import a_worker, call, start_one
from tests.support.waiting import wait_until


def test_a_paused_queue_says_so_until_it_is_resumed(admin: TestClient, db: psycopg.Connection) -> None:
    start_one(db)

    assert admin.post("/v1/queues/default/pause").status_code == 204
    (queue,) = admin.get("/v1/queues").json()["items"]
    assert (queue["ready"], queue["paused_at"] is not None) == (1, True)
    assert admin.post("/v1/queues/default/resume").status_code == 204
    assert admin.get("/v1/queues").json()["items"][0]["paused_at"] is None


def test_a_queue_that_nothing_has_named_is_paused_only_as_a_new_one(admin: TestClient, db: psycopg.Connection) -> None:
    start_one(db, kind={"queue": "mail"})

    for verb in ("pause", "resume", "purge"):
        refused = admin.post(f"/v1/queues/emails/{verb}", json={} if verb == "purge" else None)
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
        assert "did you mean mail?" in refused.json()["hint"]
    assert admin.post("/v1/queues/*/pause?new=true").status_code == 422
    assert [queue["name"] for queue in admin.get("/v1/queues").json()["items"]] == ["mail"]

    assert admin.post("/v1/queues/emails/pause?new=true").status_code == 204
    assert admin.post("/v1/queues/emails/resume").status_code == 204


def test_a_worker_is_drained_with_a_reason(admin: TestClient, db: psycopg.Connection) -> None:
    a_worker(db, "w1")

    assert admin.post("/v1/workers/w1/drain", json={"reason": "a new version"}).status_code == 204
    (worker,) = admin.get("/v1/workers", params={"status": "draining"}).json()["items"]
    assert (worker["id"], worker["drain_reason"]) == ("w1", "a new version")


def test_a_worker_has_health_a_log_and_a_history(admin: TestClient, db: psycopg.Connection) -> None:
    worker = a_worker(db, "w1")
    lines = Jsonb([{"message": text, "age_seconds": 1} for text in "abc"])
    call(db, "heartbeat", **worker.fence, task_ids=[], attempts=[], metrics={"cpu_percent": 3}, logs=lines)

    shown = admin.get("/v1/workers/w1").json()
    assert (shown["health_status"], shown["stuck_tasks"], shown["metadata"]["cpu_percent"]) == ("healthy", 0, 3)
    items = admin.get("/v1/workers/w1/logs", params={"limit": 2}).json()["items"]
    assert [(item["line_no"], item["message"]) for item in items] == [(2, "b"), (3, "c")]
    assert admin.get("/v1/workers/w1/logs", params={"after": 3}).json() == {"items": []}
    a_worker(db, "w1")
    first = admin.get("/v1/workers/w1/history", params={"limit": 1}).json()
    assert first["items"][0]["ended_at"] is None
    rest = admin.get("/v1/workers/w1/history", params={"before": first["items"][0]["session_id"]}).json()
    assert [life["end_reason"] for life in rest["items"]] == ["replaced"]
    for path in ("logs", "history"):
        assert admin.get(f"/v1/workers/nobody/{path}").status_code == 404
        assert admin.get(f"/v1/workers/w1/{path}", params={"limit": 0}).status_code == 422


def test_the_status_of_an_org_counts_what_ended_and_who_is_healthy(admin: TestClient, db: psycopg.Connection) -> None:
    start_one(db)
    worker = a_worker(db, "w1")
    worker.complete(worker.claim_one())
    wait_until(lambda: call(db, "roll_up_activity"))

    status = admin.get("/v1/status").json()

    assert (status["completed"], status["failed"], status["health"]) == (1, 0, {"healthy": 1})
    assert (status["stuck_tasks"], status["rolled_up_until"] is not None) == (0, True)


def test_a_schedule_is_paused_resumed_and_deleted(admin: TestClient, db: psycopg.Connection) -> None:
    put(db, datetime.now(UTC))
    (schedule,) = admin.get("/v1/schedules").json()["items"]
    path = f"/v1/schedules/{schedule['name']}"

    assert admin.post(f"{path}/pause").status_code == 204
    assert admin.get("/v1/schedules").json()["items"][0]["paused_at"] is not None
    assert admin.post(f"{path}/resume").json()["next_at"]
    assert admin.delete(path).status_code == 204
    assert admin.post(f"{path}/resume").json()["code"] == "not_found"


def test_a_resource_group_is_made_and_listed(admin: TestClient) -> None:
    assert admin.put("/v1/groups/reports", json={"weight": 3, "quota": 10}).status_code == 200

    groups = admin.get("/v1/groups").json()["items"]

    assert ("reports", 3, 10) in [(one["external_id"], one["weight"], one["quota"]) for one in groups]


def test_a_resource_group_is_deleted_without_open_runs(admin: TestClient, db: psycopg.Connection) -> None:
    admin.put("/v1/groups/reports", json={})
    run_id = admin.post("/v1/runs", json={"type": "a.b", "resource_group": "reports"}).json()["id"]
    refused = admin.delete("/v1/groups/reports")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    admin.post(f"/v1/runs/{run_id}/cancel")
    assert [admin.delete("/v1/groups/reports").status_code for _ in range(2)] == [204, 404]
    assert admin.delete("/v1/groups/default").status_code == 409
    call(db, "advance_requests")
    assert admin.get(f"/v1/runs/{run_id}").status_code == 404


def test_the_org_at_a_glance(admin: TestClient, db: psycopg.Connection) -> None:
    start_one(db)

    status = admin.get("/v1/status").json()
    assert (status["ready"], status["per_second"]) == (1, 0)


@pytest.mark.parametrize("name", ["mail/eu", "a/pause", "/x/", "two words", "50%", "ä\n?#"])
def test_things_are_found_by_any_name_they_may_have(admin: TestClient, db: psycopg.Connection, name: str) -> None:
    start_one(db, kind={"type": "a.b", "queue": name})
    a_worker(db, name)
    part = quote(name, safe="")

    for method, path, body in (
        ("POST", f"queues/{part}/pause", None), ("POST", f"workers/{part}/drain", {}),
        ("PUT", f"groups/{part}", {}), ("PUT", f"schedules/{part}", {"type": "a.b", "cron": "0 9 * * *"}),
        ("POST", f"schedules/{part}/pause", None),
    ):  # fmt: skip
        assert admin.request(method, f"/v1/{path}", json=body).is_success, path

    (queue,) = [one for one in admin.get("/v1/queues").json()["items"] if one["name"] == name]
    assert queue["paused_at"] is not None
    assert admin.get("/v1/workers", params={"status": "draining"}).json()["items"][0]["id"] == name
    assert name in [one["external_id"] for one in admin.get("/v1/groups").json()["items"]]
    assert admin.get("/v1/schedules").json()["items"][0]["name"] == name
    assert admin.post(f"/v1/queues/{part}/resume").status_code == 204
    assert admin.delete(f"/v1/schedules/{part}").status_code == 204
