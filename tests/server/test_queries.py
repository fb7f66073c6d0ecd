"""Queries over HTTP: what is read, by whom, and what the response says."""

import io
import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pyarrow.ipc
import pytest
from starlette.testclient import TestClient

from tenuto.server.settings import Oidc, RateLimit, ServerSettings
from tenuto.storage import open_store
from tests.server.conftest import MakeKey
from tests.support.database.audit import entries_of_requests
from tests.support.database.dags import rollback
from tests.support.database.jobs import trigger
from tests.support.database.published import deploy_orders, publish_orders
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.oidc_issuer import AUDIENCE, IssuerServer
from tests.support.http.worker_requests import HttpWorker
from tests.support.sandbox.availability import require_full_sandbox

FIRST = [(1, "eu", "10.50"), (2, "us", "20.00"), (3, "eu", "0.25")]
SECOND = [(9, "asia", "1.00")]
TOTALS = "select region, sum(amount) as total from orders group by 1 order by 1"


@pytest.fixture(autouse=True)
def sandboxed() -> None:
    require_full_sandbox()


def ask(client: TestClient, sql: str, *, headers: dict[str, str] | None = None, **more: Any) -> Any:
    return client.post("/v1/query", json={"sql": sql, **more}, headers=headers)


def export(client: TestClient, sql: str, format: str) -> Any:
    return client.post("/v1/query/export", json={"sql": sql, "format": format})


def rows(client: TestClient, sql: str, **more: Any) -> Any:
    response = ask(client, sql, **more)
    assert response.status_code == 200, response.text
    return response.json()["rows"]


def test_a_query_returns_rows_in_three_formats_and_names_what_it_read(
    admin: TestClient, db: psycopg.Connection, settings: ServerSettings
) -> None:
    deploy_orders(db, open_store(settings.storage), FIRST)

    response = ask(admin, TOTALS)
    body = response.json()
    assert body["columns"] == [{"name": "region", "type": "string"}, {"name": "total", "type": "decimal128(38, 2)"}]
    assert body["rows"] == [["eu", "10.75"], ["us", "20.00"]]
    assert (body["row_count"], body["truncated"]) == (2, False)
    (version,) = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name="orders")
    read = [{"dataset": "orders", "version_id": str(version["id"]), "dag": "shop", "dag_version": 1}]
    assert body["versions"] == read == json.loads(response.headers["Tenuto-Versions"])

    csv = export(admin, TOTALS, "csv")
    assert (csv.headers["content-type"], csv.text) == ("text/csv; charset=utf-8", "region,total\neu,10.75\nus,20.00\n")
    arrow = export(admin, "select id from orders order by id", "arrow")
    assert pyarrow.ipc.open_stream(io.BytesIO(arrow.content)).read_all().to_pydict() == {"id": [1, 2, 3]}
    assert json.loads(arrow.headers["Tenuto-Versions"]) == read

    cut = ask(admin, "select id from orders order by id", max_rows=2).json()
    assert (cut["rows"], cut["row_count"], cut["truncated"]) == ([[1], [2]], 2, True)


def test_as_of_reads_the_version_that_it_names(
    admin: TestClient, db: psycopg.Connection, settings: ServerSettings
) -> None:
    store = open_store(settings.storage)
    deploy_orders(db, store, FIRST)
    publish_orders(db, store, [*FIRST, (4, "us", "1.00")])
    (version,) = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name="orders")
    ((between,),) = db.execute("select clock_timestamp()").fetchall()
    deploy_orders(db, store, SECOND, note="second", expected=1)
    count = "select count(*) from orders"

    assert rows(admin, count) == [[1]]
    assert rows(admin, count, as_of="2") == [[1]]
    for as_of in ("1", "shop@1", str(version["id"]), between.isoformat()):
        assert rows(admin, count, as_of=as_of) == [[4]]
    rollback(db, 2, name="shop")
    assert rows(admin, count) == [[4]]
    assert rows(admin, count, as_of="shop@2") == [[1]]

    refused = {
        "3": 404, "other@1": 422, "00000000-0000-7000-8000-000000000000": 422, "2020-01-01T00:00:00Z": 404,
        "2026-01-01T00:00:00": 422, "2999-01-01T00:00:00Z": 422, "yesterday": 422,
    }  # fmt: skip
    assert {as_of: ask(admin, count, as_of=as_of).status_code for as_of in refused} == refused


def test_rows_in_postgres_are_read_beside_files(
    admin: TestClient, db: psycopg.Connection, settings: ServerSettings
) -> None:
    store = open_store(settings.storage)
    deploy_orders(db, store, FIRST)
    deploy_orders(db, store, SECOND, storage="postgres", dataset="stock", name="depot")

    sql = "select s.region, s.amount, count(o.id) from stock s left join orders o on o.region <> s.region group by all"
    assert rows(admin, sql) == [["asia", "1.00", 3]]
    assert rows(admin, "select count(*) from stock, orders", as_of="depot@1") == [[3]]
    unclear = ask(admin, "select count(*) from stock, orders", as_of="1")
    assert (unclear.status_code, "depot, shop" in unclear.json()["detail"]) == (422, True)


class TestWhoReads:
    @pytest.fixture
    def settings(self, settings: ServerSettings, issuer: IssuerServer) -> ServerSettings:
        return replace(settings, oidc=Oidc(issuer.url, AUDIENCE))

    def test_a_denial_does_not_say_whether_the_dataset_exists(
        self, api: TestClient, db: psycopg.Connection, settings: ServerSettings, make_headers: MakeKey,
        issuer: IssuerServer,
    ) -> None:  # fmt: skip
        deploy_orders(db, open_store(settings.storage), FIRST)
        ann = call(db, "put_user", org_id=DEFAULT_ORG, issuer=issuer.url, subject="ann", platform_role="reader")
        boss = call(db, "put_user", org_id=DEFAULT_ORG, issuer=issuer.url, subject="boss", platform_role="admin")
        other = call(db, "create_org", slug="other")
        callers = {
            "ann": {"Authorization": f"Bearer {issuer.token('k1', 'ann')}"},
            "key": make_headers("query:read"),
            "another org": make_headers("*", org_id=other),
        }
        for who in callers.values():
            problems = [ask(api, f"select * from {name}", headers=who) for name in ("orders", "nothing")]
            assert [answer.status_code for answer in problems] == [404, 404]
            hidden, missing = (answer.json() for answer in problems)
            assert hidden["detail"].replace("orders", "nothing") == missing["detail"]
            assert {*hidden} == {*missing}

        call(db, "create_role", org_id=DEFAULT_ORG, name="finance")
        call(db, "add_member", org_id=DEFAULT_ORG, role="finance", user_id=ann)
        call(db, "grant_dataset", org_id=DEFAULT_ORG, name="orders", role="finance")
        admin = {"Authorization": f"Bearer {issuer.token('k1', 'boss')}"}
        readers = (callers["ann"], admin, make_headers("query:*"))
        assert [rows(api, "select count(*) from orders", headers=who) for who in readers] == [[[3]]] * 3
        assert isinstance(boss, UUID)
        call(db, "remove_member", org_id=DEFAULT_ORG, role="finance", user_id=ann)
        assert ask(api, "select count(*) from orders", headers=callers["ann"]).status_code == 404


def test_every_query_is_audited_without_its_literals(
    admin: TestClient, db: psycopg.Connection, settings: ServerSettings
) -> None:
    deploy_orders(db, open_store(settings.storage), FIRST)
    ask(admin, "select id from orders where region = 'secret' and amount > 42 -- of ann")
    ask(admin, "select * from read_csv('/etc/secret')")
    ask(admin, "delete from orders where region = 'secret'")

    entries = entries_of_requests(db, entity="query")[::-1]
    assert [entry["action"] for entry in entries] == ["run", "deny", "deny"]
    shapes = [entry["changes"]["shape"]["new"] for entry in entries]
    assert shapes == [
        "select id from orders where region = ? and amount > ?", "select * from read_csv(?)",
        "delete from orders where region = ?",
    ]  # fmt: skip
    assert [len(entry["changes"]["versions"]["new"]) for entry in entries] == [1, 0, 0]


class TestRate:
    @pytest.fixture
    def settings(self, settings: ServerSettings) -> ServerSettings:
        return replace(settings, query_limit=RateLimit(0.001, 1))

    def test_queries_have_a_rate_of_their_own(self, admin: TestClient, make_headers: MakeKey) -> None:
        answers = [ask(admin, "select 1") for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 429], answers[0].text
        assert int(answers[1].headers["retry-after"]) > 60
        assert admin.get("/v1/datasets").status_code == 200
        assert ask(admin, "select 1", headers=make_headers("*")).status_code == 200


def test_a_task_queries_its_own_inputs(
    admin: TestClient, worker: HttpWorker, db: psycopg.Connection, settings: ServerSettings
) -> None:
    store = open_store(settings.storage)
    deploy_orders(db, store, FIRST, reader="report")
    trigger(db, "report", dag="shop")
    held = worker.claim_one(tokens=True)
    publish_orders(db, store, SECOND)
    token = {"Authorization": f"Bearer {held['token']}"}

    def asked(sql: str, path: str = "/v1/task/query", **more: Any) -> Any:
        return admin.post(path, json={"sql": sql, **more}, headers=token)

    pinned = asked("select count(*) from orders")
    assert (pinned.status_code, pinned.json()["rows"]) == (200, [[3]])
    exported = asked("select id from orders order by id", "/v1/task/query/export", format="csv")
    assert (exported.headers["content-type"], exported.text) == ("text/csv; charset=utf-8", "id\n1\n2\n3\n")
    assert asked("select count(*) from stock").status_code == 404
    assert asked("select count(*) from orders", as_of="1").status_code == 422
    (entry, *_) = entries_of_requests(db, entity="query")
    assert (entry["actor_kind"], entry["actor_id"]) == ("task", held["task_id"])
