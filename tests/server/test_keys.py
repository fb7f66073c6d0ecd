"""API keys over HTTP: what they let in, and how they are made and ended."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.keys import WORKER, make_key, make_token, token_hash
from tenuto.server.app import create_app
from tenuto.server.settings import RateLimit, ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.audit import entries_of_requests
from tests.support.database.tasks import DEFAULT_ORG, call, start_one
from tests.support.database.users import a_user


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_a_key_is_shown_once_and_lets_in_until_it_is_revoked(admin: TestClient, db: psycopg.Connection) -> None:
    made = admin.post("/v1/keys", json={"name": "ci", "permissions": ["runs:read"]}).json()
    mine = bearer(made["key"])

    assert admin.get("/v1/runs", headers=mine).status_code == 200
    listed = admin.get("/v1/keys")
    assert made["key"] not in listed.text
    assert "hash" not in listed.text
    assert admin.delete(f"/v1/keys/{made['id']}").status_code == 204
    refused = admin.get("/v1/runs", headers=mine)
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")
    assert "was revoked" in refused.json()["detail"]
    assert made["key"] not in str(entries_of_requests(db))


@pytest.mark.parametrize(
    ("path", "entity", "said"),
    [("/v1/keys", "api_key", {"permissions": ["*"]}), ("/v1/worker-keys", "worker_key", {"queues": ["mail"]})],
)
def test_revoking_twice_is_fine_and_written_down_once(
    admin: TestClient, db: psycopg.Connection, path: str, entity: str, said: dict[str, Any]
) -> None:
    made = admin.post(path, json={"name": "ci", **said}).json()["id"]

    public = admin.get(f"{path}/{made}").json()["key_id"]
    assert [key["id"] for key in admin.get(path, params={"key_id": public}).json()["items"]] == [made]
    assert admin.get(path, params={"key_id": "nobodynobody"}).json()["items"] == []
    assert [admin.delete(f"{path}/{made}").status_code for _ in range(2)] == [204, 204]
    entries = entries_of_requests(db, entity=entity)
    assert [entry["action"] for entry in entries if entry["entity_id"] == made] == ["revoke", "create"]


def test_nobody_makes_a_key_that_may_more_than_they_do(api: TestClient, make_headers: MakeKey) -> None:
    mine = make_headers("keys:write", "runs:read")

    refused = api.post("/v1/keys", json={"name": "more", "permissions": ["runs:*"]}, headers=mine)

    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "runs:*" in refused.json()["detail"]


def test_who_may_not_everything_cannot_take_over_another_key_by_rotating_it(
    admin: TestClient, make_headers: MakeKey
) -> None:
    (master,) = admin.get("/v1/keys").json()["items"]

    refused = admin.post(f"/v1/keys/{master['id']}/rotate", json={}, headers=make_headers("keys:*"))

    assert refused.status_code == 403


def test_a_rotated_key_and_its_successor_are_both_good_for_the_overlap(admin: TestClient) -> None:
    old = admin.post("/v1/keys", json={"name": "ci", "permissions": ["runs:read"]}).json()

    new = admin.post(f"/v1/keys/{old['id']}/rotate", json={"overlap_seconds": 3600}).json()

    assert admin.get("/v1/runs", headers=bearer(old["key"])).status_code == 200
    assert admin.get("/v1/runs", headers=bearer(new["key"])).status_code == 200


def test_a_credential_that_is_none_is_refused_with_what_to_send(api: TestClient, make_headers: MakeKey) -> None:
    good = make_headers("runs:read")["Authorization"].removeprefix("Bearer ")
    mistyped = good[:-1] + ("A" if good[-1] != "A" else "B")

    for sent in ({}, bearer(""), bearer(mistyped), bearer("x" * 5000), {"Authorization": f"Basic {good}"}):
        refused = api.get("/v1/runs", headers=sent)
        assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized"), sent
        assert refused.headers["www-authenticate"] == "Bearer"
        assert "Authorization: Bearer" in refused.json()["hint"]


def test_what_is_wrong_with_a_credential_is_said(api: TestClient, make_headers: MakeKey) -> None:
    good = make_headers("runs:read")["Authorization"].removeprefix("Bearer ")
    said = {
        "`Bearer ` is missing before the credential": [{"Authorization": good}, {"Authorization": f"Token {good}"}],
        "this is a worker key (tnw_…), which": [bearer(make_key(WORKER, "test").text)],
        "no credential was sent": [{}, bearer("")],
    }

    for detail, headers in said.items():
        for sent in headers:
            assert api.get("/v1/runs", headers=sent).json()["detail"].startswith(detail), sent
    not_a_worker = api.post("/internal/sessions", headers=bearer(good), json={"name": "far"})
    assert not_a_worker.json()["detail"] == "this is an API key (tn_…), which is not valid for workers"


def test_a_key_that_has_expired_lets_nobody_in(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    headers = make_headers("runs:read", expires_at=datetime.now(UTC) + timedelta(hours=1))
    db.execute("update tenuto.api_keys set expires_at = now() - interval '1 second'")

    refused = api.get("/v1/runs", headers=headers)

    assert (refused.status_code, "has expired" in refused.json()["detail"]) == (401, True)


def test_a_key_without_the_permission_is_told_which_one(api: TestClient, make_headers: MakeKey) -> None:
    refused = api.get("/v1/workers", headers=make_headers("runs:*"))

    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "workers:read" in refused.json()["detail"]


def test_what_belongs_to_another_org_is_not_found(
    api: TestClient, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    task = start_one(db)
    stranger = make_headers("*", org_id=call(db, "create_org", slug="other"))

    for method, path in (
        ("GET", f"/v1/runs/{task}"), ("DELETE", f"/v1/runs/{task}"), ("POST", f"/v1/runs/{task}/cancel"),
        ("GET", f"/v1/runs/{task}/data"), ("GET", f"/v1/tasks/{task}"), ("GET", f"/v1/tasks/{task}/logs"),
        ("GET", f"/v1/tasks/{task}/attempts"), ("GET", f"/v1/tasks/{task}/tree"), ("GET", f"/v1/tasks/{task}/why"),
    ):  # fmt: skip
        answer = api.request(method, path, headers=stranger)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), path
    assert api.get("/v1/runs", headers=stranger).json()["items"] == []


def test_who_asks_too_often_is_told_when_to_ask_again(settings: ServerSettings, make_headers: MakeKey) -> None:
    slow = ServerSettings(
        settings.database_url,
        settings.role,
        settings.peppers,
        key_limit=RateLimit(0.01, 2),
        org_limit=RateLimit(100, 100),
    )
    with TestClient(create_app(slow), headers=make_headers("runs:read")) as api:
        answers = [api.get("/v1/runs") for _ in range(3)]

    assert [one.status_code for one in answers] == [200, 200, 429]
    assert answers[2].json()["code"] == "rate_limited"
    assert 1 <= int(answers[2].headers["retry-after"]) <= 101


def test_a_key_that_expires_makes_rotates_and_revokes_none_that_lives_longer(
    admin: TestClient, make_headers: MakeKey
) -> None:
    end = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    mine = make_headers("*", expires_at=end)
    lasting = admin.post("/v1/keys", json={"name": "ci", "permissions": ["runs:read"]}).json()["id"]
    fleet = admin.post("/v1/worker-keys", json={"name": "fleet"}).json()["id"]

    for method, path, body in (
        ("POST", "/v1/keys", {"name": "x", "permissions": ["*"]}), ("POST", "/v1/worker-keys", {"name": "x"}),
        ("POST", f"/v1/keys/{lasting}/rotate", {}), ("DELETE", f"/v1/keys/{lasting}", None),
        ("POST", f"/v1/worker-keys/{fleet}/rotate", {}), ("DELETE", f"/v1/worker-keys/{fleet}", None),
    ):  # fmt: skip
        refused = admin.request(method, path, json=body, headers=mine)
        assert (refused.status_code, "expire later" in refused.json()["detail"]) == (403, True), path
    said = {"name": "x", "permissions": ["*"], "expires_at": end.isoformat()}
    assert admin.post("/v1/keys", json=said, headers=mine).status_code == 201


def test_an_admin_makes_keys_that_outlive_their_login(api: TestClient, db: psycopg.Connection) -> None:
    cookie = make_token()
    user = a_user(db, platform_role="admin")
    call(db, "open_login", org_id=DEFAULT_ORG, user_id=user, hash=token_hash(cookie))
    page = {"Cookie": f"__Host-tenuto={cookie}", "Origin": "http://testserver"}
    page["X-CSRF-Token"] = api.get("/auth/me", headers=page).json()["csrf_token"]

    made = api.post("/v1/keys", json={"name": "ci", "permissions": ["*"]}, headers=page)

    assert made.status_code == 201
