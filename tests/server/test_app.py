"""The server around its routes: what it refuses, how it says so, and what every answer carries."""

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.keys import Peppers
from tenuto.server.app import create_app
from tenuto.server.http.route_table import PUBLIC, TASK, WORKER, RouteTable, UndeclaredRoute
from tenuto.server.settings import ServerSettings

NOWHERE = ServerSettings("postgresql://nobody@127.0.0.1:1/none?connect_timeout=2", None, Peppers((b"p" * 32,)))


def test_a_route_without_a_permission_keeps_the_server_from_being_made() -> None:
    for permission in (None, "runs:reed"):
        table = RouteTable("new")
        table.add("GET", "/v1/new", permission=permission)(lambda: None)

        with pytest.raises(UndeclaredRoute, match="GET /v1/new declares the permission"):
            create_app(NOWHERE, tables=[table])


def test_every_answer_has_an_id_and_keeps_browsers_careful(api: TestClient) -> None:
    answer = api.get("/healthz", headers={"X-Request-Id": "<script>", "Origin": "https://evil.example"})

    assert answer.json() == {"status": "ok"}
    assert answer.headers["x-request-id"] != "<script>"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in answer.headers


def test_a_mistake_of_ours_has_an_id_too_and_says_nothing_else(
    admin: TestClient, db: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    db.execute("alter function tenuto.list_roles rename to hidden")

    answer = admin.get("/v1/roles", headers={"X-Request-Id": "mine"})

    assert (answer.status_code, answer.json()["code"], answer.json()["request_id"]) == (500, "internal", "mine")
    assert answer.headers["x-request-id"] == "mine"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "list_roles" not in answer.text
    assert "request mine" in caplog.text


def test_a_site_that_was_named_may_ask(settings: ServerSettings) -> None:
    named = ServerSettings(settings.database_url, settings.role, settings.peppers, cors_origins=("https://a.example",))
    with TestClient(create_app(named)) as api:
        origins = [
            api.get("/healthz", headers={"Origin": origin}).headers.get("access-control-allow-origin")
            for origin in ("https://a.example", "https://b.example")
        ]

    assert origins == ["https://a.example", None]


def test_what_is_not_there_is_a_problem_with_a_code(api: TestClient) -> None:
    missing, wrong = api.get("/v1/nothing"), api.put("/healthz")

    assert missing.headers["content-type"] == "application/problem+json"
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert missing.json()["request_id"] == missing.headers["x-request-id"]
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b'{"type": "a.b", "type": "c.d"}', "'type' twice"),
        (b'{"type": "a.b", "input": {"x": NaN}}', "NaN"),
        (b'{"type": "a.b", "input": {"x": 1e999}}', "too large"),
        (b'{"type": "a.b", "input": {"x": "a\\u0000b"}}', "NUL"),
        (b'{"type": "a.b", "input": {"x": "\\ud800"}}', "surrogate"),
        (b'{"type": "a.b", "input": ' + b"[" * 40 + b"]" * 40 + b"}", "32 deep"),
        (b"[" * 100_000, "32 deep"),
        (b'{"type": "a.b", "color": "red"}', "color"),
        (b'{"type": "a.b", "priority": true}', "priority"),
        (b'{"type": "a.b", "priority": 99999999999}', "priority"),
        (b'{"type": "a.b", "available_at": 5}', "available_at"),
        (b'{"type": "a.b", "input": {"x": {"$pickle": "gASV"}}}', "$pickle"),
        (b'{"type": 7}', "type"),
        (b"[]", "send a list of starts to POST /v1/runs/bulk"),
    ],
)
def test_a_body_that_cannot_be_is_refused_with_what_and_where(admin: TestClient, body: bytes, said: str) -> None:
    refused = admin.post("/v1/runs", content=body, headers={"Content-Type": "application/json"})

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input"), refused.text
    assert said in refused.text


def test_a_body_over_its_bound_is_refused_and_a_bulk_route_takes_it(admin: TestClient) -> None:
    starts = [{"type": "a.b", "input": ["x" * 700_000]}] * 4

    assert admin.post("/v1/runs", json=starts).json()["code"] == "too_large"
    assert admin.post("/v1/runs/bulk", json=starts).status_code == 201


def test_large_answers_are_compressed(admin: TestClient) -> None:
    assert admin.get("/openapi.json").headers["content-encoding"] == "gzip"


def test_the_description_says_everything_in_openapi_3_1(api: TestClient) -> None:
    described = api.get("/openapi.json").json()

    assert described["openapi"].startswith("3.1")
    for path, methods in described["paths"].items():
        for method, one in methods.items():
            assert one["summary"], (method, path)
            scheme = {WORKER: "worker_key", TASK: "task_token"}.get(one["x-permission"], "api_key")
            assert one["x-permission"] == PUBLIC or one["security"] == [{scheme: []}], (method, path)
