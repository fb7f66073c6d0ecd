"""Tasks over HTTP."""

import psycopg
from psycopg.types.json import Jsonb
from starlette.testclient import TestClient

from tests.support.database.tasks import a_worker, call, start_one


def test_tasks_are_listed_by_what_they_are(admin: TestClient, db: psycopg.Connection) -> None:
    start_one(db, kind={"type": "shop.send", "queue": "mail"})
    pay = start_one(db, kind={"type": "shop.pay"})

    found = admin.get("/v1/tasks", params={"type": "shop.pay"}).json()

    assert [task["id"] for task in found["items"]] == [str(pay)]
    assert admin.get("/v1/tasks", params={"color": "red"}).json()["code"] == "invalid_input"


def test_attempts_logs_and_the_tree_of_a_task_can_be_read(admin: TestClient, db: psycopg.Connection) -> None:
    task = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    line = {"task_id": str(held.task_id), "attempt": 1, "line_no": 1, "message": "hello"}
    call(db, "write_logs", **worker.fence, lines=Jsonb([line]))
    worker.complete(held)

    assert [one["outcome"] for one in admin.get(f"/v1/tasks/{task}/attempts").json()["items"]] == ["completed"]
    assert [one["message"] for one in admin.get(f"/v1/tasks/{task}/logs").json()["items"]] == ["hello"]
    assert admin.get(f"/v1/tasks/{task}/tree").status_code == 200
    assert "completed" in admin.get(f"/v1/tasks/{task}/why").json()["why"]


def test_a_task_is_cancelled_by_a_patch(admin: TestClient, db: psycopg.Connection) -> None:
    task = start_one(db)

    assert admin.patch(f"/v1/tasks/{task}", json={"status": "cancelled"}).status_code == 204
    assert admin.get(f"/v1/tasks/{task}").json()["status"] == "cancelled"
