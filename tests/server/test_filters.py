"""Lists by several statuses and a range of times, with the number of matches; audit entries by time and address."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.support.clock import Clock
from tests.support.database.jobs import deployed, trigger
from tests.support.database.loops import settle
from tests.support.database.old_runs import ids_at
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start, start_graph


def ids(api: TestClient, path: str, **params: object) -> list[str]:
    response = api.get(path, params=params)  # type: ignore[arg-type] - httpx repeats the items of a list
    assert response.status_code == 200, response.text
    return [item["id"] for item in response.json()["items"]]


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/tasks"])
def test_a_repeated_status_means_any_of_them(admin: TestClient, db: psycopg.Connection, path: str) -> None:
    done, failed, cancelled, pending = (str(id) for id in start(db, 1, 2, 3, 4))
    worker = a_worker(db)
    first, second = worker.claim(2)
    worker.complete(first)
    worker.fail(second, final=True)
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=cancelled)

    assert ids(admin, path, status=["failed", "cancelled"]) == [cancelled, failed]
    assert ids(admin, path, status=["completed", "failed"], sort="created_at") == [done, failed]
    assert ids(admin, path, status=["completed", "completed"]) == [done]
    open_status = "pending" if path == "/v1/runs" else "queued"
    assert ids(admin, path, status=[open_status, "cancelled"]) == [pending, cancelled]
    assert ids(admin, path, status=["failed", "cancelled"], limit=1) == [cancelled]
    assert ids(admin, path, status=["failed", "cancelled"], before=cancelled) == [failed]
    assert admin.get(path, params={"status": "stuck"}).status_code == 422
    repeated = admin.get(f"{path}?type=a&type=b")
    assert (repeated.status_code, "more than once" in repeated.text) == (422, True)


def test_the_tasks_of_a_job_are_listed_and_counted(admin: TestClient, db: psycopg.Connection) -> None:
    start(db, 1)
    deployed(db)
    (started,) = trigger(db, "extract", "mon")
    trigger(db, "daily", "mon")
    task_id = str(started["task_id"])

    assert ids(admin, "/v1/tasks", job="sales/extract") == [task_id]
    assert ids(admin, f"/v1/runs/{task_id}/tasks", job="sales/extract") == [task_id]
    assert ids(admin, f"/v1/runs/{task_id}/tasks", job="sales/daily") == []
    counted = admin.get("/v1/tasks", params={"job": "sales/extract", "count": "true"}).json()
    assert counted["total"] == {"count": 1, "exact": True}
    wrong = [admin.get("/v1/tasks", params={"job": job}) for job in ("extract", "sales/extrac")]
    assert [response.status_code for response in wrong] == [422, 404]
    assert "did you mean sales/extract" in wrong[1].text


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/tasks"])
def test_a_list_is_of_a_range_of_times_and_counted(
    admin: TestClient, db: psycopg.Connection, clock: Clock, path: str
) -> None:
    clock.advance(minutes=-10)
    begin, made = clock.now, []
    for _ in range(4):
        made += [str(id) for id in start(db, 1, ids=ids_at(db, clock.now, 1))]
        clock.advance(minutes=1)
    times = {"since": (begin + timedelta(minutes=1)).isoformat(), "until": (begin + timedelta(minutes=3)).isoformat()}

    assert ids(admin, path, **times) == made[2:0:-1]
    assert ids(admin, path, sort="created_at", **times) == made[1:3]
    assert ids(admin, path, sort="created_at", after=made[1], **times) == made[2:3]
    assert ids(admin, path, before=made[2], **times) == made[1:2]
    counted = admin.get(path, params={**times, "count": "true", "limit": "1"}).json()
    assert (counted["total"], len(counted["items"])) == ({"count": 2, "exact": True}, 1)
    assert admin.get(path).json()["total"] is None
    assert admin.get(path, params={"since": "yesterday"}).status_code == 422


def test_the_tasks_of_a_run_are_filtered_and_counted(admin: TestClient, db: psycopg.Connection) -> None:
    tasks = {name: {"type": f"g.{name}"} for name in "abc"}
    run = admin.post("/v1/runs", json={"graph": {"tasks": tasks}}).json()["id"]
    path = f"/v1/runs/{run}/tasks"

    assert admin.get(path, params={"count": "true"}).json()["total"] == {"count": 3, "exact": True}
    one = admin.get(path, params={"type": "g.b", "status": ["queued", "failed"], "count": "true"}).json()
    assert ([task["type"] for task in one["items"]], one["total"]["count"]) == (["g.b"], 1)
    start(db, 1)
    assert admin.get("/v1/tasks", params={"run_id": run, "count": "true"}).json()["total"]["count"] == 3


def test_audit_entries_are_found_by_time_and_address(admin: TestClient, db: psycopg.Connection) -> None:
    write = {"org_id": DEFAULT_ORG, "entity": "run", "action": "cancel", "actor_kind": "user", "actor_id": "ann"}
    for no, ip in enumerate(("10.0.0.1", "10.0.0.2", None)):
        call(db, "write_audit", **write, entity_id=f"r{no}", ip=ip)
    now = datetime.now(UTC)

    def found(**params: str) -> list[str]:
        return [item["entity_id"] for item in admin.get("/v1/audit", params=params).json()["items"]]

    assert found(ip="10.0.0.2") == ["r1"]
    assert found(since=(now - timedelta(hours=1)).isoformat(), entity="run") == ["r2", "r1", "r0"]
    assert found(until=(now - timedelta(hours=1)).isoformat()) == []


@pytest.mark.parametrize(("input", "stored"), [(5, [5]), ("a", ["a"]), (True, [True]), (1.5, [1.5]), ([1, 2], [1, 2])])
def test_a_scalar_is_the_first_argument(
    admin: TestClient, db: psycopg.Connection, input: object, stored: object
) -> None:
    run = admin.post("/v1/runs", json={"type": "a.b", "input": input}).json()["id"]

    assert admin.get(f"/v1/tasks/{run}").json()["input"] == stored
    assert db


def test_null_is_no_input(admin: TestClient) -> None:
    assert admin.post("/v1/runs", json={"type": "a.b", "input": None}).status_code == 422


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/tasks"])
def test_a_list_by_metadata_and_its_changes(admin: TestClient, db: psycopg.Connection, path: str) -> None:
    first, second, _ = (str(id) for id in start(db, 1, 2, 3))
    patched = admin.patch(f"{path}/{first}", json={"metadata": {"team": "eu", "n": 1}})
    assert (patched.status_code, admin.get(f"{path}/{first}").json()["metadata"]) == (204, {"team": "eu", "n": 1})
    assert admin.patch(f"{path}/{first}", json={"metadata": {"n": None}}).status_code == 204
    both = {"metadata": {"team": "eu"}, "status": "cancelled", "reason": "late"}
    assert admin.patch(f"{path}/{second}", json=both).status_code == 204
    assert admin.get(f"{path}/{second}").json()["status"] == "cancelled"

    assert ids(admin, path, metadata='{"team": "eu"}') == [second, first]
    assert ids(admin, path, metadata='{"team": "eu"}', status="cancelled") == [second]
    assert ids(admin, path, metadata='{"n": 1}') == []
    counted = admin.get(path, params={"metadata": '{"team": "eu"}', "count": "true", "limit": "1"}).json()
    assert counted["total"] == {"count": 2, "exact": True}
    wrong: list[object] = [{}, {"metadata": {}}, {"metadata": [1]}, {"metadata": None}, {"reason": "x"}]
    wrong += [{"metadata": {"a": 1}, "reason": "x"}, {"metadata": {"a": 1}, "status": "failed"}]
    assert {admin.patch(f"{path}/{first}", json=body).status_code for body in wrong} == {422}
    texts = ["x", "[1]", "{}", '{"a": NaN}', '{"a": "\\u0000"}', '{"a": "\\ud800"}', '{"a": 1, "a": 2}', "{" * 99]
    assert {admin.get(path, params={"metadata": text}).status_code for text in texts} == {422}
    assert admin.get(path, params={"metadata": '{"a": 1}', "sort": "created_at"}).status_code == 422
    assert admin.patch(f"{path}/{uuid4()}", json={"metadata": {"a": 1}}).status_code == 404


def test_a_task_is_deleted_and_its_absence_is_said(admin: TestClient, db: psycopg.Connection) -> None:
    run_id, (task_id, _) = start_graph(db, 2)
    path = f"/v1/tasks/{task_id}"
    assert admin.delete(path).status_code == 409
    admin.post(f"/v1/runs/{run_id}/cancel")
    settle(db)

    assert admin.delete(path).status_code == 204
    assert (admin.get(path).status_code, admin.delete(path).status_code) == (404, 404)
    assert admin.get(f"/v1/runs/{run_id}").json()["total_tasks"] == 2
    assert admin.post(f"/v1/runs/{run_id}/retry").status_code == 409
