"""Jobs over HTTP: trigger them, complete their tasks with what they published, list what is committed."""

from typing import Any
from uuid import UUID

import psycopg
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.database.jobs import deployed, partitions, publication, trigger
from tests.support.database.outbox import take
from tests.support.database.tasks import DEFAULT_ORG, Claim, call, status
from tests.support.http.worker_requests import HttpWorker, fence


def published(task: dict[str, Any], *keys: str | None, **changes: Any) -> list[dict[str, Any]]:
    claim = Claim(UUID(task["task_id"]), task["attempt"], UUID(task["run_id"]), task["input"], None, 0)
    return [publication(claim, key, **changes) for key in keys]


def test_a_job_is_triggered_and_its_partitions_are_listed(
    admin: TestClient, worker: HttpWorker, db: psycopg.Connection
) -> None:
    deployed(db)
    started = admin.post("/v1/jobs/sales/extract/trigger")
    (task,) = started.json()["items"]
    held = worker.claim_one()
    worker.ask("report", completed=[fence(held, published=published(held, None, "mon", "tue"))])

    assert (started.status_code, task["partition"], task["created"]) == (201, None, True)
    page = admin.get("/v1/datasets/raw/partitions", params={"limit": 1}).json()
    assert ([row["partition"] for row in page["items"]], page["next"]) == ([None], "")
    rest = admin.get("/v1/datasets/raw/partitions", params={"after": page["next"]}).json()
    assert ([row["partition"] for row in rest["items"]], rest["next"]) == (["mon", "tue"], None)
    assert {row["task_id"] for row in rest["items"]} == {task["task_id"]}
    daily = {"partitions": ["mon", "tue"], "dedupe_key": "night"}
    first, again = (admin.post("/v1/jobs/sales/daily/trigger", json=daily).json()["items"] for _ in range(2))
    assert [(row["partition"], row["created"]) for row in again] == [("mon", False), ("tue", False)]
    shown = admin.get(f"/v1/tasks/{first[0]['task_id']}").json()
    assert (shown["partitions"], [row["partition"] for row in shown["input_versions"]]) == (["mon"], ["mon"])


def test_every_way_to_complete_commits_or_refuses(worker: HttpWorker, db: psycopg.Connection) -> None:
    deployed(db)
    for _ in range(3):
        trigger(db)
    claimed = worker.claim(3, tokens=True)["tasks"]
    good, bad, code = claimed
    reports = [fence(good, published=published(good, "mon")), fence(bad, published=published(bad, None, output=0))]
    reports[1]["published"][0]["location"] = reports[0]["published"][0]["location"]
    rejected = worker.claim(0, reports=reports)["rejected_reports"]
    headers = {"Authorization": f"Bearer {code['token']}"}
    wrong = {"published": published(code, "tue", checks=[{"name": "ids", "passed": False, "message": "3 nulls"}])}
    answers = [worker.api.post("/v1/task/complete", headers=headers, json=wrong).json() for _ in range(2)]

    assert [(row["task_id"], row["result"]) for row in rejected] == [(bad["task_id"], "refused")]
    assert answers == [{"result": "refused"}, {"result": "refused"}]
    assert partitions(db) == {"mon": UUID(good["task_id"])}
    assert [status(db, UUID(task["task_id"])) for task in claimed] == ["completed", "failed", "failed"]
    malformed = worker.api.post("/v1/task/complete", headers=headers, json={"published": [{"output": "x"}]})
    assert malformed.status_code == 422


def test_lineage_comes_with_what_is_published(worker: HttpWorker, db: psycopg.Connection) -> None:
    deployed(db)
    trigger(db, "daily", "mon", "tue", "wed")
    report, claim, code = worker.claim(3, tokens=True)["tasks"]
    found = {"columns": [{"column": "n", "input": 0, "field": "at"}]}
    unknown = {"columns": [{"column": "n", "input": 7}]}

    worker.ask("report", completed=[fence(report, published=published(report, "mon", lineage=found))])
    assert not worker.claim(0, reports=[fence(claim, published=published(claim, "tue"))])["rejected_reports"]
    headers = {"Authorization": f"Bearer {code['token']}"}
    wrong = {"published": published(code, "wed", lineage=unknown)}
    malformed = {"published": published(code, "wed", lineage={"columns": "n"})}

    assert worker.api.post("/v1/task/complete", headers=headers, json=malformed).status_code == 422
    assert worker.api.post("/v1/task/complete", headers=headers, json=wrong).json() == {"result": "refused"}
    rows = db.execute("select column_name, input_column, kind from tenuto.column_lineage").fetchall()
    assert rows == [("n", "at", "direct")]


def test_alerts_come_with_what_is_published(worker: HttpWorker, db: psycopg.Connection) -> None:
    deployed(db)
    call(db, "put_alert_rule", org_id=DEFAULT_ORG, name="watch", kind="job_alerts")
    trigger(db, "daily", "mon", "tue")
    report, code = worker.claim(2, tokens=True)["tasks"]
    found = {"key": "a", "summary": "a is late", "severity": "critical", "row": {"id": 1}}

    worker.ask("report", completed=[fence(report, published=published(report, "mon", alerts=[found]))])
    headers = {"Authorization": f"Bearer {code['token']}"}
    malformed = {"published": published(code, "tue", alerts=[{**found, "severity": "bad"}])}

    assert worker.api.post("/v1/task/complete", headers=headers, json=malformed).status_code == 422
    assert call(db, "raise_alerts", owner="one", ids=take(db, "one", kinds=("raise_alerts",))) != []
    (row,) = call(db, "list_alerts", org_id=DEFAULT_ORG)
    assert (row["rule"], row["key"], row["details"]["severity"]) == ("watch", "sales/daily mon a", "critical")


def test_a_trigger_that_cannot_be_is_refused(admin: TestClient, db: psycopg.Connection, make_headers: MakeKey) -> None:
    deployed(db)
    stranger = make_headers("*", org_id=call(db, "create_org", slug="other"))
    path = "/v1/jobs/sales/extract/trigger"

    assert admin.post(path, headers=make_headers("jobs:read")).status_code == 403
    assert admin.post(path, headers=stranger).status_code == 404
    assert admin.get("/v1/datasets/raw/partitions", headers=stranger).status_code == 404
    assert admin.post(path, json={"partitions": []}).status_code == 422
    assert admin.post(path, json={"partitions": ["a", "a"]}).status_code == 422
    admin.post("/v1/jobs/sales/extract/pause")
    paused = admin.post(path)
    assert (paused.status_code, paused.json()["detail"]) == (409, "job extract of sales is paused")
    assert admin.post(path, json={"force": True}).status_code == 201
