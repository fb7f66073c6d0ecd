"""Events of datasets over HTTP: emitted under the token of an attempt, and listed with what they did."""

from uuid import uuid4

import psycopg
from starlette.testclient import TestClient

from tests.server.test_task_files import Attempt
from tests.support.database.events import a_reader, readers, route
from tests.support.database.jobs import deployed, trigger
from tests.support.http.worker_requests import HttpWorker


def test_an_attempt_emits_events_and_they_are_listed(
    db: psycopg.Connection, worker: HttpWorker, admin: TestClient
) -> None:
    deployed(db, readers(*(a_reader(name, execution_strategy="PerUpdate") for name in ("each", "other"))))
    trigger(db)
    attempt = Attempt(worker)
    event = {"output": "raw", "data": {"order": 7}, "partition": "mon", "key": "7"}
    emitted = [attempt.api.post("/v1/task/events", json=event, headers=attempt.headers) for _ in range(2)]
    wrong = attempt.api.post("/v1/task/events", json={"output": "per_day"}, headers=attempt.headers)
    route(db)

    assert [response.status_code for response in emitted] == [200, 200]
    assert emitted[0].json() == emitted[1].json()
    assert (wrong.status_code, "has no output" in wrong.json()["detail"]) == (422, True)
    (listed,) = admin.get("/v1/events", params={"dataset": "raw"}).json()["items"]
    assert (listed["id"], listed["data"], listed["partition"]) == (emitted[0].json()["id"], {"order": 7}, "mon")
    page = admin.get(f"/v1/events/{listed['id']}/reactions", params={"limit": 1}).json()
    rest = admin.get(f"/v1/events/{listed['id']}/reactions", params={"after": page["next"]}).json()
    reactions = [*page["items"], *rest["items"]]
    assert {(row["job"], row["reaction"]) for row in reactions} == {("each", "triggered"), ("other", "triggered")}
    of_job = admin.get("/v1/jobs/sales/each/reactions").json()["items"]
    assert [row["event_id"] for row in of_job] == [listed["id"]]


def test_unknown_events_datasets_and_jobs_are_not_found(admin: TestClient) -> None:
    for path in (f"/v1/events/{uuid4()}/reactions", "/v1/events?dataset=raw", "/v1/jobs/sales/each/reactions"):
        assert admin.get(path).status_code == 404
    assert admin.get("/v1/events?before=x").status_code == 422
    assert admin.get("/v1/jobs/sales/each/reactions?after=x").status_code == 422
