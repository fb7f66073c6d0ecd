"""What has ended stays as it ended: no PATCH opens it again."""

from typing import Any

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.support.database.tasks import a_worker, call

STATES = ["pending", "queued", "running", "waiting", "retrying", "completed", "failed", "cancelled", "skipped"]


def ended(api: TestClient, db: psycopg.Connection, how: str) -> str:
    """The id of a run of one task that ended like this."""
    run_id = api.post("/v1/runs", json={"type": "a.b", "max_attempts": 1}).json()["id"]
    worker = a_worker(db)
    if how == "cancelled":
        assert api.patch(f"/v1/runs/{run_id}", json={"status": "cancelled"}).status_code == 204
    elif how == "completed":
        worker.complete(worker.claim_one(), outputs=[1])
    else:
        worker.fail(worker.claim_one())
    return run_id


def seen(api: TestClient, run_id: str) -> tuple[Any, ...]:
    return api.get(f"/v1/runs/{run_id}").json(), api.get(f"/v1/tasks/{run_id}").json()


@pytest.mark.parametrize("how", ["completed", "failed", "cancelled"])
def test_no_patch_opens_what_has_ended(admin: TestClient, db: psycopg.Connection, how: str) -> None:
    run_id = ended(admin, db, how)
    before = seen(admin, run_id)

    for status in STATES:
        for path in (f"/v1/runs/{run_id}", f"/v1/tasks/{run_id}"):
            answer = admin.patch(path, json={"status": status})
            assert answer.status_code == (409 if status == "cancelled" else 422), (path, status, answer.text)

    assert seen(admin, run_id) == before
    assert before[0]["status"] == before[1]["status"] == how
    assert a_worker(db, "second").claim(10) == []


@pytest.mark.parametrize("how", ["completed", "failed", "cancelled"])
def test_trying_again_makes_a_new_run_and_leaves_the_old_one(
    admin: TestClient, db: psycopg.Connection, how: str
) -> None:
    run_id = ended(admin, db, how)
    before = seen(admin, run_id)

    again = admin.post(f"/v1/runs/{run_id}/retry", json={"reuse": False}).json()["id"]

    assert again != run_id
    run, *tasks = seen(admin, run_id)
    assert [{**run, "retried_by": None}, *tasks] == [*before]
    assert run["retried_by"] == again
    assert admin.get(f"/v1/runs/{again}").json()["retry_of"] == run_id


def test_a_task_that_was_skipped_stays_so(admin: TestClient, db: psycopg.Connection) -> None:
    graph = {"tasks": {"a": {"type": "g.a"}, "b": {"type": "g.b", "after": [{"task": "a", "on": "failed"}]}}}
    run_id = admin.post("/v1/runs", json={"graph": graph}).json()["id"]
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    call(db, "fold_runs")
    (skipped,) = admin.get("/v1/tasks", params={"run_id": run_id, "status": "skipped"}).json()["items"]

    answers = [admin.patch(f"/v1/tasks/{skipped['id']}", json={"status": status}).status_code for status in STATES]

    assert set(answers) <= {409, 422}
    assert admin.get(f"/v1/tasks/{skipped['id']}").json()["status"] == "skipped"
    assert worker.claim(10) == []


@pytest.mark.parametrize("body", [{}, {"status": "cancelled", "priority": 5}, {"output": 1}, {"status": None}, []])
def test_nothing_else_can_be_set(admin: TestClient, db: psycopg.Connection, body: object) -> None:
    run_id = admin.post("/v1/runs", json={"type": "a.b"}).json()["id"]

    for path in (f"/v1/runs/{run_id}", f"/v1/tasks/{run_id}"):
        assert admin.patch(path, json=body).status_code == 422
    assert admin.get(f"/v1/runs/{run_id}").json()["status"] == "pending"
