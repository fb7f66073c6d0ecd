"""A row that the database rejects: the response says so, and the next requests of the worker succeed."""

import psycopg
from starlette.testclient import TestClient

from tenuto.db.connection.errors import RowRejected
from tenuto.sdk.client.http_errors import refusal
from tests.support.database.tasks import start, status
from tests.support.faults.failing_rows import poison
from tests.support.http.worker_requests import fence, open_worker, worker_headers


def test_a_task_that_cannot_be_claimed_is_postponed_and_the_next_claim_returns_the_others(
    db: psycopg.Connection, api: TestClient
) -> None:
    tasks = start(db, 1, 2, 3)
    poison(db, "running_tasks", tasks[0], on="insert", column="id")
    worker = open_worker(api, worker_headers(db))

    response = worker.ask("claim", claim_no=1, limit=3)

    assert (response.status_code, response.json()["code"]) == (500, "row_rejected")
    assert "poisoned" not in response.text
    assert [task["task_id"] for task in worker.claim(3)["tasks"]] == [str(task) for task in tasks[1:]]


def test_a_rejected_report_can_be_told_from_an_outage(db: psycopg.Connection, api: TestClient) -> None:
    tasks = start(db, 1, 2)
    worker = open_worker(api, worker_headers(db))
    first, second = worker.claim(2)["tasks"]
    poison(db, "task_attempts", first["task_id"], on="insert", column="task_id")

    response = worker.ask("report", completed=[fence(first), fence(second)])

    assert isinstance(refusal("here", response.status_code, response.content), RowRejected)
    assert worker.ask("report", completed=[fence(second)]).status_code == 200
    assert [status(db, task) for task in tasks] == ["running", "completed"]
