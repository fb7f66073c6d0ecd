"""DAGs, jobs and datasets over HTTP."""

import json
from typing import Any

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.dag.documents import a_document, with_job
from tests.server.conftest import MakeKey
from tests.support.database.dags import cutover, deploy, set_status
from tests.support.database.functions import serve_functions
from tests.support.database.tasks import DEFAULT_ORG, call


@pytest.fixture(autouse=True)
def _functions(db: psycopg.Connection) -> None:
    serve_functions(db)


def yaml(**config: Any) -> dict[str, str]:
    return {"yaml": json.dumps(with_job("daily", config=config) if config else a_document())}


def test_a_version_is_planned_deployed_cut_over_and_rolled_back(admin: TestClient) -> None:
    first = admin.post("/v1/dags/orders/versions", json={**yaml(), "cutover": True})
    again = admin.post("/v1/dags/orders/versions", json=yaml())
    plan = admin.post("/v1/dags/orders/plan", json=yaml(sql="select 2")).json()
    second = admin.post("/v1/dags/orders/versions", json=yaml(sql="select 2")).json()
    moved = admin.post("/v1/dags/orders/cutover", json={"expected": 1}).json()
    late = admin.post("/v1/dags/orders/cutover", json={"version": 1, "expected": 1})
    back = admin.post("/v1/dags/orders/rollback").json()

    assert (first.status_code, first.json()["version"], first.json()["status"]) == (201, 1, "current")
    assert (again.json()["version"], again.json()["created"]) == (1, False)
    assert (plan["current_version"], [change["job"] for change in plan["jobs"]]) == (1, ["daily", "report"])
    assert (second["version"], second["status"]) == (2, "ready")
    assert (moved["version"], moved["from_version"], back["version"], back["from_version"]) == (2, 1, 1, 2)
    assert (late.status_code, late.json()["detail"][:27]) == (409, "version 2 is current, not 1")
    listed = admin.get("/v1/dags/orders/versions", params={"limit": 1}).json()
    assert ([row["version"] for row in listed["items"]], listed["next"]) == ([2], "2")
    rest = admin.get("/v1/dags/orders/versions", params={"before": listed["next"]}).json()["items"]
    assert [(row["version"], row["status"]) for row in rest] == [(1, "current")]
    assert json.loads(admin.get("/v1/dags/orders/versions/1").json()["yaml"]) == a_document()
    compared = admin.get("/v1/dags/orders/diff", params={"old": 1, "new": 2}).json()
    assert [(change["job"], change["kind"]) for change in compared["jobs"]] == [("daily", "data"), ("report", "data")]
    history = admin.get("/v1/dags/orders/history").json()["items"]
    assert [entry["action"] for entry in history] == ["rollback", "cutover", "deploy", "cutover", "deploy"]
    assert [(dag["name"], dag["version"]) for dag in admin.get("/v1/dags").json()["items"]] == [("orders", 1)]


def test_every_problem_of_a_document_is_listed_with_its_line_and_column(admin: TestClient) -> None:
    wrong = {"yaml": "version: 1\nname: orders\njbos: []\njobs:\n- name: a b\n"}

    for path in ("plan", "versions"):
        refused = admin.post(f"/v1/dags/orders/{path}", json=wrong)
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
        first = refused.json()["errors"][0]
        assert (first["where"], first["line"], first["column"]) == ("jbos", 3, 1)
        assert "did you mean jobs?" in first["what"]
        assert len(refused.json()["errors"]) > 1
    for path in ("plan", "versions", "graph"):
        refused = admin.post(f"/v1/dags/orders/{path}", json={"yaml": json.dumps(with_job("report", runtime="lambda"))})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
        assert "tasks are not sent to AWS Lambda yet" in refused.json()["errors"][0]["what"]
    other = admin.post("/v1/dags/sales/versions", json=yaml())
    assert (other.status_code, other.json()["detail"]) == (422, "the document is of the DAG orders, not sales")
    assert admin.get("/v1/dags").json()["items"] == []


def test_what_does_not_exist_is_not_found(admin: TestClient, db: psycopg.Connection) -> None:
    deploy(db)
    for path in (
        "dags/sales", "dags/sales/versions", "dags/orders/versions/7", "dags/orders/diff?old=1&new=7", "jobs/orders/x",
        "datasets/x", "datasets/x/versions",
    ):  # fmt: skip
        assert admin.get(f"/v1/{path}").status_code == 404, path
    for path in ("dags/sales/cutover", "dags/sales/rollback", "jobs/orders/x/pause", "jobs/orders/x/resume"):
        assert admin.post(f"/v1/{path}").status_code == 404, path
    assert admin.post("/v1/datasets/orders_raw/grant", json={"role": "nobody"}).status_code == 404
    assert admin.get("/v1/dags/orders/diff", params={"old": 0, "new": 1}).status_code == 422


def test_jobs_and_datasets_are_listed_read_and_changed(admin: TestClient, db: psycopg.Connection) -> None:
    deploy(db)
    cutover(db)
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")

    page = admin.get("/v1/jobs", params={"limit": 2}).json()
    assert ([job["name"] for job in page["items"]], page["next"]) == (["daily", "extract"], "orders/extract")
    rest = admin.get("/v1/jobs", params={"dag": "orders", "after": page["next"]}).json()
    assert ([job["name"] for job in rest["items"]], rest["next"]) == (["report"], None)
    assert admin.get("/v1/jobs", params={"after": "orders"}).status_code == 422
    assert admin.post("/v1/jobs/orders/daily/pause", json={"reason": "wrong totals"}).status_code == 204
    assert admin.get("/v1/jobs/orders/daily").json()["pause_reason"] == "wrong totals"
    assert admin.post("/v1/jobs/orders/daily/resume").status_code == 204
    assert admin.post("/v1/datasets/orders_raw/grant", json={"role": "finance"}).status_code == 204
    dataset = admin.get("/v1/datasets/orders_raw").json()
    assert (dataset["read_roles"], dataset["job"]) == (["finance"], "extract")
    (version,) = admin.get("/v1/datasets/orders_raw/versions").json()["items"]
    assert (version["id"], version["is_current"], version["dag_versions"]) == (dataset["version_id"], True, [1])
    assert admin.post("/v1/datasets/orders_raw/revoke", json={"role": "finance"}).status_code == 204
    assert "orders_raw" in [row["name"] for row in admin.get("/v1/datasets").json()["items"]]


def test_another_org_sees_nothing_and_a_writer_deploys_but_grants_nothing(
    admin: TestClient, db: psycopg.Connection, make_headers: MakeKey
) -> None:
    deploy(db)
    other = call(db, "create_org", slug="other")
    stranger = make_headers("*", org_id=other)
    writer = make_headers("dags:write", "datasets:read")

    for path in ("dags", "jobs", "datasets"):
        assert admin.get(f"/v1/{path}", headers=stranger).json()["items"] == []
    assert admin.get("/v1/dags/orders/versions", headers=stranger).status_code == 404
    assert admin.post("/v1/dags/orders/cutover", headers=stranger).status_code == 404
    assert admin.post("/v1/dags/orders/cutover", headers=writer).status_code == 200
    refused = admin.post("/v1/datasets/orders_raw/grant", json={"role": "finance"}, headers=writer)
    assert refused.status_code == 403
    alone = admin.post("/v1/dags/orders/versions", json=yaml(), headers=stranger)
    assert (alone.status_code, "did you mean" in alone.text) == (422, False)
    serve_functions(db, org_id=other)
    own = admin.post("/v1/dags/orders/versions", json=yaml(), headers=stranger)
    assert (own.status_code, own.json()["version"]) == (201, 1)


def test_only_admins_force_a_cutover(admin: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    deploy(db)
    set_status(db, 1, "failed")
    writer = make_headers("dags:*")

    refused = admin.post("/v1/dags/orders/cutover", json={"version": 1, "force": True}, headers=writer)
    late = admin.post("/v1/dags/orders/cutover", json={"version": 1})
    unnamed = admin.post("/v1/dags/orders/cutover", json={"force": True})
    forced = admin.post("/v1/dags/orders/cutover", json={"version": 1, "force": True})

    assert (refused.status_code, "datasets:write" in refused.json()["detail"]) == (403, True)
    assert (late.status_code, unnamed.status_code, forced.json()["status"]) == (409, 422, "current")
    (entry,) = admin.get("/v1/audit", params={"entity": "dag", "action": "cutover"}).json()["items"]
    assert entry["changes"] == {"version": {"new": 1}, "forced": {"new": True}}


def test_the_graph_of_a_document_has_its_jobs_with_what_they_read_and_publish(admin: TestClient) -> None:
    graph = admin.post("/v1/dags/orders/graph", json=yaml()).json()
    wrong = {"yaml": "version: 1\nname: orders\njbos: []\njobs:\n- name: a b\n"}
    refused = admin.post("/v1/dags/orders/graph", json=wrong)

    extract, daily, report = graph["jobs"]
    assert (extract["datasets"], extract["reads"]) == (["orders_raw"], [])
    assert daily["reads"] == [{"job": "extract", "dataset": "orders_raw", "triggers": True}]
    assert (report["datasets"], report["reads"][0]["dataset"]) == ([], "orders_daily")
    assert (refused.status_code, refused.json()["errors"][0]["line"]) == (422, 3)
    assert admin.get("/v1/dags").json()["items"] == []
