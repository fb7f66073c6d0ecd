"""What is wrong with a request, in words that name the field, what is wrong with it and what to write."""

from typing import Any

import pytest
from starlette.testclient import TestClient

ID = "0190a5d0-7c2e-7a50-8c3b-3c2f1e0d9a8b"
MOMENT = "write it as 2026-01-31T12:00:00Z"
KEY = {"name": "ci", "permissions": ["*"]}


@pytest.mark.parametrize(
    ("method", "path", "body", "says"),
    [
        (
            "POST",
            "/v1/runs",
            {"typ": "a.b"},
            ["body.type: is missing", "body.typ: there is no such field; did you mean type?"],
        ),
        ("POST", "/v1/runs", {"type": "a.b", "zzz": 1}, ["body.zzz: there is no such field"]),
        (
            "POST",
            "/v1/runs",
            {"type": "a.b", "input": None},
            ["body.input: is null, not an object or a list or a text or true or false or a whole number or a number"],
        ),
        (
            "POST",
            "/v1/runs",
            {"type": 3, "priority": "x"},
            ["body.type: is 3, not a text", "body.priority: is a text, not a whole number"],
        ),
        ("POST", "/v1/runs", {"type": "a.b", "strict": None}, ["body.strict: is null, not true or false"]),
        ("POST", "/v1/runs", {"type": "a.b", "max_attempts": 0}, ["body.max_attempts: is 0; write 1 or more"]),
        (
            "POST",
            "/v1/runs/bulk",
            [{"type": "a.b"}, {"type": "a.b", "delay": [1]}],
            ["body.1.delay: is a list, not a number or a text"],
        ),
        (
            "POST",
            "/v1/runs",
            {"graph": {"tasks": {"x": {"type": "a.b", "aftr": []}}}},
            ["body.graph.tasks.x.aftr: there is no such field; did you mean after?"],
        ),
        (
            "POST",
            "/v1/runs",
            {"graph": {"tasks": {"x": {"type": "a.b", "handler": "complete"}}}},
            ["body.graph.tasks.x.handler: is not 'completed', 'failed' or 'cancelled'; did you mean completed?"],
        ),
        ("POST", "/v1/runs", 5, ["body: is 5, not an object"]),
        ("POST", "/v1/runs/bulk", [], ["body: has 0 items; write 1 or more"]),
        ("POST", "/v1/runs", None, ["body: is missing"]),
        ("POST", "/v1/keys", {**KEY, "name": "x" * 257}, ["body.name: has more than 256 characters"]),
        (
            "POST",
            "/v1/keys",
            {**KEY, "expires_at": "tomorrow"},
            [f"body.expires_at: is a text, not a time; {MOMENT}"],
        ),
        (
            "POST",
            "/v1/keys",
            {**KEY, "expires_at": "2026-01-01T00:00:00"},
            [f"body.expires_at: has no time zone; {MOMENT}"],
        ),
        (
            "POST",
            "/v1/roles",
            {"name": "Two Words"},
            ["body.name: does not match the pattern ^[a-z0-9][a-z0-9_-]{0,62}$"],
        ),
        (
            "GET",
            "/v1/runs?limit=x&stat=1",
            None,
            ["query.limit: is a text, not a whole number", "query.stat: there is no such field; did you mean status?"],
        ),
        ("GET", "/v1/tasks?limit=9999", None, ["query.limit: is 9999; write 200 or less"]),
        ("GET", f"/v1/runs/{ID}?wait=90", None, ["query.wait: is 90; write 60 or less"]),
        (
            "GET",
            "/v1/runs/7",
            None,
            ["path.run_id: is a text, not an id; write one as 0190a5d0-7c2e-7a50-8c3b-3c2f1e0d9a8b"],
        ),
    ],
)
def test_a_refusal_says_where_and_what(admin: TestClient, method: str, path: str, body: Any, says: list[str]) -> None:
    refused = admin.request(method, path, json=body)

    assert (refused.status_code, refused.json()["detail"]) == (422, "; ".join(says))
    assert [f"{one['where']}: {one['what']}" for one in refused.json()["errors"]] == says


def test_a_text_that_was_sent_in_the_wrong_place_is_not_repeated(admin: TestClient) -> None:
    for body in ({"type": "a.b", "priority": "hunter2"}, {"type": "a.b", "available_at": "hunter2"}):
        assert "hunter2" not in admin.post("/v1/runs", json=body).text


@pytest.mark.parametrize("body", [{"starts": [{"type": "a.b"}]}, {"tasks": {}}, {}])
def test_a_start_without_a_type_is_told_what_a_start_may_be(admin: TestClient, body: Any) -> None:
    hint = admin.post("/v1/runs", json=body).json()["hint"]

    assert ('{"type": "app.task"' in hint, '{"graph": {"tasks": {…}}}' in hint) == (True, True)


def test_a_list_of_starts_is_told_where_to_go(admin: TestClient) -> None:
    refused = admin.post("/v1/runs", json=[{"type": "a.b"}])

    assert (refused.status_code, refused.json()["errors"]) == (
        422,
        [{"where": "body", "what": "is a list; send a list of starts to POST /v1/runs/bulk"}],
    )


def test_null_is_no_body(admin: TestClient) -> None:
    run_id = admin.post("/v1/runs", json={"type": "a.b"}).json()["id"]
    headers = {"Content-Type": "application/json"}

    refused = admin.post(f"/v1/runs/{run_id}/cancel", content=b"null", headers=headers)
    assert (refused.status_code, refused.json()["errors"]) == (
        422,
        [{"where": "body", "what": "is null, not an object"}],
    )
    assert admin.post(f"/v1/runs/{run_id}/cancel", headers=headers).status_code == 204


def test_other_refusals_have_no_hint_about_starts(admin: TestClient) -> None:
    assert "hint" not in admin.post("/v1/runs", json={"type": 3}).json()
    assert "hint" not in admin.post("/v1/runs", json={"graph": {"tasks": {"task": {}}}}).json()


def test_a_duration_that_is_none_is_told_what_json_can_say(admin: TestClient) -> None:
    refused = admin.post("/v1/runs", json={"type": "a.b", "delay": "2 weeks"}).json()

    assert refused["detail"] == "a.b: delay is '2 weeks', not a duration"
    assert refused["hint"] == 'write "500ms", "30s", "5m", "1h30m", "3d" or a number of seconds'
