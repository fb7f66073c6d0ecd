"""Runs over HTTP: started, looked at, stopped, tried again."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from starlette.testclient import TestClient

from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, run_status, start_graph


def start(api: TestClient, **more: object) -> str:
    answer = api.post("/v1/runs", json={"type": "shop.send", "input": {"to": "a@b.c"}, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def test_a_run_that_was_started_can_be_looked_at(admin: TestClient) -> None:
    run_id = start(admin, priority=7, queue="mail", name="hello")

    run = admin.get(f"/v1/runs/{run_id}").json()
    task = admin.get(f"/v1/tasks/{run_id}").json()

    assert (run["type"], run["status"], run["total_tasks"]) == ("shop.send", "pending", 1)
    assert (task["type"], task["priority"], task["queue"], task["name"]) == ("shop.send", 7, "mail", "hello")
    assert task["input"] == {"to": "a@b.c"}
    assert "lease_token" not in task


def test_many_runs_are_started_all_or_none(admin: TestClient) -> None:
    good = {"type": "shop.send", "input": ["a@b.c"]}

    started = admin.post("/v1/runs/bulk", json=[good, good]).json()["items"]
    refused = admin.post("/v1/runs/bulk", json=[good, {**good, "delay": "soon"}])

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
    assert "soon" in refused.json()["detail"]
    listed = admin.get("/v1/runs").json()["items"]
    assert [run["id"] for run in listed] == [run["id"] for run in reversed(started)]


def test_a_list_goes_on_where_the_page_before_ended(admin: TestClient) -> None:
    ids = [start(admin) for _ in range(3)]

    first = admin.get("/v1/runs", params={"limit": 2}).json()
    second = admin.get("/v1/runs", params={"limit": 2, "before": first["next"]}).json()

    assert [run["id"] for run in first["items"] + second["items"]] == ids[::-1]
    assert second["next"] is None


def test_a_dedupe_key_that_is_taken_answers_the_first_run(admin: TestClient) -> None:
    first = start(admin, dedupe_key="order-1")

    again = admin.post("/v1/runs", json={"type": "shop.send", "dedupe_key": "order-1"}).json()

    assert again == {"id": first, "status": "pending", "created": False}


def test_a_start_returns_the_id_and_status_of_its_run(admin: TestClient, db: psycopg.Connection) -> None:
    asked = {"type": "shop.send", "dedupe_key": "order-1"}
    new = admin.post("/v1/runs", json=asked).json()
    drain(db, a_worker(db))
    known = admin.post("/v1/runs", json=asked).json()
    both = admin.post("/v1/runs/bulk", json=[asked, {"type": "shop.pay"}]).json()["items"]

    assert new == {"id": new["id"], "status": "pending", "created": True}
    assert known == both[0] == {"id": new["id"], "status": "completed", "created": False}
    assert both[1] == {"id": both[1]["id"], "status": "pending", "created": True}
    assert admin.get(f"/v1/runs/{new['id']}").json()["status"] == "completed"


def test_a_request_sent_twice_with_its_key_is_done_once(admin: TestClient) -> None:
    body, headers = {"type": "shop.send"}, {"Idempotency-Key": "r-1"}

    first = admin.post("/v1/runs", json=body, headers=headers)
    second = admin.post("/v1/runs", json=body, headers=headers)
    other = admin.post("/v1/runs", json={"type": "shop.other"}, headers=headers)

    assert (second.status_code, second.json()) == (201, first.json())
    assert second.headers["idempotency-replayed"] == "true"
    assert (other.status_code, "another request" in other.json()["detail"]) == (422, True)
    assert len(admin.get("/v1/runs").json()["items"]) == 1


def test_a_run_that_was_cancelled_stays_so(admin: TestClient) -> None:
    run_id = start(admin)

    assert admin.post(f"/v1/runs/{run_id}/cancel", json={"reason": "a mistake"}).status_code == 204
    assert admin.get(f"/v1/runs/{run_id}").json()["status"] == "cancelled"
    for status in ("pending", "running", "completed"):
        assert admin.patch(f"/v1/runs/{run_id}", json={"status": status}).status_code == 422
        assert admin.patch(f"/v1/tasks/{run_id}", json={"status": status}).status_code == 422
    assert admin.get(f"/v1/runs/{run_id}").json()["status"] == "cancelled"


def test_who_waits_for_a_run_gets_it_as_it_ended(admin: TestClient, db: psycopg.Connection) -> None:
    run_id = start(admin)
    drain(db, a_worker(db))

    run = admin.get(f"/v1/runs/{run_id}", params={"wait": 30}).json()
    task = admin.get(f"/v1/tasks/{run_id}", params={"wait": 30}).json()

    assert (run["status"], task["status"]) == ("completed", "completed")


def test_who_waits_for_several_runs_is_told_of_those_that_ended(admin: TestClient, db: psycopg.Connection) -> None:
    ended = start(admin)
    drain(db, a_worker(db))
    other = start(admin)

    told = admin.post("/v1/runs/wait", json={"run_ids": [other, ended], "wait": 30}).json()["items"]
    nothing = admin.post("/v1/runs/wait", json={"run_ids": [other]}).json()["items"]

    assert [(one["id"], one["status"]) for one in told] == [(ended, "completed")]
    assert nothing == []


def test_a_failed_run_is_tried_again_as_a_new_one_and_may_be_deleted(admin: TestClient, db: psycopg.Connection) -> None:
    run_id = start(admin, max_attempts=1)
    worker = a_worker(db)
    worker.fail(worker.claim_one())

    again = admin.post(f"/v1/runs/{run_id}/retry")

    assert (again.status_code, again.json()) == (201, admin.get(f"/v1/runs/{again.json()['id']}").json())
    assert again.json()["retry_of"] == run_id
    assert admin.get(f"/v1/runs/{run_id}").json()["retried_by"] == again.json()["id"]
    assert admin.post(f"/v1/runs/{run_id}/retry").json()["code"] == "conflict"
    assert admin.post(f"/v1/runs/{run_id}/retry", json={"force": True}).status_code == 201
    assert admin.post(f"/v1/runs/{run_id}/retry", json={"force": True, "from": "pay"}).json()["code"] == "invalid_input"
    assert admin.delete(f"/v1/runs/{run_id}").status_code == 204
    assert admin.get(f"/v1/runs/{run_id}").json()["code"] == "not_found"


def test_verbs_on_a_large_run_are_accepted_and_tell_how_far_they_are(admin: TestClient, db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 1001)

    cancelling = admin.post(f"/v1/runs/{run_id}/cancel")
    assert (cancelling.status_code, cancelling.json()) == (202, admin.get(f"/v1/runs/{run_id}").json())
    assert cancelling.json()["progress"] == {"action": "cancel", "done_tasks": 0, "total_tasks": None}
    while call(db, "advance_requests"):
        pass
    assert run_status(db, run_id) == "cancelled"

    copying = admin.post(f"/v1/runs/{run_id}/retry")
    again = copying.json()["id"]
    assert (copying.status_code, copying.json()) == (202, admin.get(f"/v1/runs/{again}").json())
    assert copying.json()["progress"]["action"] == "retry"
    assert admin.delete(f"/v1/runs/{run_id}").status_code == 409
    while call(db, "advance_requests"):
        pass
    seen = admin.get(f"/v1/runs/{run_id}").json()
    deleting = admin.delete(f"/v1/runs/{run_id}")
    assert deleting.status_code == 202
    assert deleting.json() == {**seen, "progress": {"action": "delete", "done_tasks": 0, "total_tasks": None}}
    assert admin.get(f"/v1/runs/{run_id}").status_code == 404


def test_a_signal_reaches_the_run(admin: TestClient) -> None:
    run_id = start(admin)

    sent = admin.post(f"/v1/runs/{run_id}/signals", json={"name": "go", "value": {"n": 1}})

    assert sent.status_code == 201
    assert UUID(sent.json()["id"])


def test_every_change_is_in_the_audit_log_with_who_and_which_request(admin: TestClient) -> None:
    run_id = start(admin)
    cancelled = admin.post(f"/v1/runs/{run_id}/cancel", headers={"X-Request-Id": "req-7"})

    (cancel, began) = admin.get("/v1/audit", params={"entity": "run"}).json()["items"]

    assert cancelled.headers["x-request-id"] == "req-7"
    assert (began["action"], began["entity_id"]) == ("start", run_id)
    assert (cancel["action"], cancel["actor_kind"], cancel["request_id"]) == ("cancel", "api_key", "req-7")
    assert cancel["actor_name"] == "ci"


def test_a_bulk_change_is_one_entry_with_the_number_and_the_first_ids(admin: TestClient) -> None:
    def newest() -> tuple[str, dict[str, Any]]:
        entry = admin.get("/v1/audit", params={"entity": "run", "limit": 1}).json()["items"][0]
        return entry["entity_id"], {field: change["new"] for field, change in entry["changes"].items()}

    for _ in range(12):
        start(admin)
    of_all = {"type": "shop.send"}
    before = len(admin.get("/v1/audit", params={"entity": "run"}).json()["items"])

    ids = admin.post("/v1/runs/cancel", json={**of_all, "reason": "wrong"}).json()["run_ids"]
    assert newest() == (f"{ids[0]} and 11 more", {"runs": 12, "first_ids": ids[:10], "reason": "wrong"})
    retried = admin.post("/v1/runs/retry", json={**of_all, "status": "cancelled"}).json()
    first_ids = {"first_ids": retried["run_ids"][:10], "retried_as": retried["new_run_ids"][:10]}
    assert newest() == (f"{ids[0]} and 11 more", {"runs": 12, **first_ids})
    admin.post("/v1/runs/delete", json={**of_all, "limit": 1})
    assert newest() == (ids[0], {})
    assert admin.post("/v1/runs/delete", json={**of_all, "status": "failed"}).json()["run_ids"] == []
    admin.post("/v1/runs/delete", json={**of_all, "dry_run": True})
    assert len(admin.get("/v1/audit", params={"entity": "run"}).json()["items"]) == before + 3


def test_data_of_a_run_is_found_by_key_tag_and_pattern(admin: TestClient) -> None:
    path = f"/v1/runs/{start(admin)}/data"
    admin.put(path, json={"values": {"a.one": 1, "b.two": [2]}, "tags": ["blue"], "metadata": {"m": 1}})
    (datum,) = admin.get(path, params={"prefix": "a."}).json()["items"]
    assert (datum["metadata"], datum["updated_at"]) == ({"m": 1}, datum["created_at"])

    tags = admin.patch(f"/v1/data/{datum['id']}/tags", json={"add": ["red"], "remove": ["blue"]})

    assert tags.json() == {"tags": ["red"]}
    assert admin.get(f"/v1/data/{datum['id']}").json()["updated_at"] > datum["updated_at"]
    assert [one["value"] for one in admin.get(path, params={"glob": "b.*"}).json()["items"]] == [[2]]
    assert [one["key"] for one in admin.get(path, params={"tags": "red"}).json()["items"]] == ["a.one"]
    assert admin.delete(path, params={"key": "a.one"}).json() == {"deleted": 1}
    assert admin.delete(path).status_code == 422
    assert admin.put(path, json={"values": {"c": 1}, "metadata": [1]}).status_code == 422


def test_a_bulk_start_answers_in_the_order_of_its_list(admin: TestClient) -> None:
    first = start(admin, dedupe_key="k1")
    mixed = [
        {"type": "shop.pay", "input": [1], "delay": "1h"},
        {"type": "shop.send", "dedupe_key": "k1"},
        {"type": "shop.pay", "input": [2], "name": "second"},
        {"type": "shop.pay", "input": [3], "run_attempts": 2},
        {"type": "shop.send", "dedupe_key": "k2"},
    ]

    items = admin.post("/v1/runs/bulk", json=mixed).json()["items"]

    assert [one["created"] for one in items] == [True, False, True, True, True]
    assert items[1]["id"] == first
    assert [admin.get(f"/v1/tasks/{items[no]['id']}").json()["input"] for no in (0, 2)] == [[1], [2]]
    assert admin.get(f"/v1/tasks/{items[0]['id']}").json()["available_at"] is not None
    assert admin.get(f"/v1/tasks/{items[2]['id']}").json()["name"] == "second"
    assert admin.get(f"/v1/runs/{items[3]['id']}").json()["max_attempts"] == 2


def test_a_start_has_the_options_that_the_worker_of_its_type_declared(
    admin: TestClient, db: psycopg.Connection
) -> None:
    types = {"shop.send": {"kind": {"queue": "mail", "max_attempts": 9, "priority": 5}}}
    call(db, "declare_types", **a_worker(db).fence, types=types)
    graph = {"graph": {"tasks": {"first": {"type": "shop.send"}}}}

    def shown(body: object) -> list[object]:
        run_id = admin.post("/v1/runs", json=body).json()["id"]
        (task,) = admin.get("/v1/tasks", params={"run_id": run_id}).json()["items"]
        task = admin.get(f"/v1/tasks/{task['id']}").json()
        return [task["queue"], task["max_attempts"], task["priority"]]

    assert shown({"type": "shop.send"}) == shown(graph) == ["mail", 9, 5]
    assert shown({"type": "shop.send", "priority": 0, "max_attempts": 3}) == ["mail", 3, 0]
    assert shown({"type": "shop.send", "inherit": False}) == ["default", 3, 0]


def test_a_schedule_has_the_options_that_are_declared_when_it_fires(admin: TestClient, db: psycopg.Connection) -> None:
    admin.put("/v1/schedules/nightly", json={"type": "shop.send", "cron": "* * * * *"})
    call(db, "declare_types", **a_worker(db).fence, types={"shop.send": {"kind": {"max_attempts": 9}}})
    (row,) = call(db, "list_schedules", org_id=DEFAULT_ORG)
    db.execute("update tenuto.schedules set next_at = next_at - interval '1 hour'")
    due = row["next_at"] - timedelta(hours=1)

    moments = {"expected": due, "fire_times": [due], "next_at": row["next_at"]}
    (run_id,) = call(db, "fire_schedule", org_id=DEFAULT_ORG, name="nightly", **moments)

    (task,) = admin.get("/v1/tasks", params={"run_id": str(run_id)}).json()["items"]
    assert admin.get(f"/v1/tasks/{task['id']}").json()["max_attempts"] == 9
