"""People, roles, the org and keys of workers over HTTP: each change written down, nobody beyond their reach."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.keys import WORKER, key_hashes, parse_key
from tests.server.conftest import PEPPERS, MakeKey
from tests.support.database.audit import entries_of_requests
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.database.users import ISSUER, a_user

ANN = {"issuer": ISSUER, "subject": "ann", "email": "ann@example.com"}


def done(db: psycopg.Connection, entity: str) -> list[str]:
    """What was done to such things, as the audit log has it, oldest first."""
    return [entry["action"] for entry in reversed(entries_of_requests(db, entity=entity))]


def test_a_person_is_let_in_promoted_disabled_and_let_in_again(admin: TestClient, db: psycopg.Connection) -> None:
    ann = admin.post("/v1/users", json=ANN).json()["id"]
    assert admin.post("/v1/users", json={**ANN, "name": "Ann"}).json()["id"] == ann
    assert admin.get(f"/v1/users/{ann}").json()["platform_role"] == "reader"

    for change in ({"platform_role": "admin"}, {"disabled": True}):
        assert admin.patch(f"/v1/users/{ann}", json=change).status_code == 204
    (listed,) = admin.get("/v1/users").json()["items"]
    assert (listed["platform_role"], listed["name"], listed["disabled_at"] is not None) == ("admin", "Ann", True)
    assert admin.patch(f"/v1/users/{ann}", json={"disabled": False}).status_code == 204

    assert admin.get(f"/v1/users/{ann}").json()["disabled_at"] is None
    assert done(db, "user") == ["put", "put", "role", "disable", "enable"]


def test_pages_of_people_go_on_where_the_one_before_ended(admin: TestClient, db: psycopg.Connection) -> None:
    ids = [str(a_user(db, f"u{no}")) for no in range(3)]

    first = admin.get("/v1/users", params={"limit": 2}).json()
    second = admin.get("/v1/users", params={"limit": 2, "before": first["next"]}).json()

    assert [one["id"] for one in first["items"] + second["items"]] == ids[::-1]
    assert second["next"] is None


def test_nobody_makes_or_changes_somebody_who_may_more_than_they(
    api: TestClient, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    clerk = make_headers("users:*", "runs:read")
    boss = a_user(db, "boss", platform_role="admin")

    asked = [
        api.post("/v1/users", json={**ANN, "platform_role": "admin"}, headers=clerk),
        api.post("/v1/users", json=ANN, headers=clerk),
        api.post("/v1/users", json={"issuer": ISSUER, "subject": "boss", "name": "x"}, headers=clerk),
        api.patch(f"/v1/users/{boss}", json={"disabled": True}, headers=clerk),
        api.patch(f"/v1/users/{boss}", json={"platform_role": "reader"}, headers=clerk),
    ]

    assert [one.status_code for one in asked] == [403] * 5
    assert [(one["subject"], one["name"]) for one in call(db, "list_users", org_id=DEFAULT_ORG)] == [("boss", None)]


def test_roles_are_made_given_taken_and_deleted(admin: TestClient, db: psycopg.Connection) -> None:
    ann = a_user(db)
    assert admin.post("/v1/roles", json={"name": "finance", "description": "sees the books"}).status_code == 201
    assert admin.put(f"/v1/roles/finance/members/{ann}").status_code == 204
    assert [one["members"] for one in admin.get("/v1/roles").json()["items"]] == [1]
    assert [one["user_id"] for one in admin.get("/v1/roles/finance/members").json()["items"]] == [str(ann)]
    assert admin.get(f"/v1/users/{ann}").json()["roles"] == ["finance"]

    assert admin.delete(f"/v1/roles/finance/members/{ann}").status_code == 204
    assert admin.delete(f"/v1/roles/finance/members/{ann}").status_code == 404
    assert admin.delete("/v1/roles/finance").status_code == 204

    assert admin.get("/v1/roles").json()["items"] == []
    assert done(db, "role") == ["create", "add", "remove", "delete"]


def test_an_org_sees_and_changes_itself_and_no_other(admin: TestClient, db: psycopg.Connection) -> None:
    call(db, "create_org", slug="other")

    assert [one["slug"] for one in admin.get("/v1/orgs").json()["items"]] == ["default"]
    assert admin.patch("/v1/orgs/default", json={"settings": {"retention_days": 7}}).status_code == 204
    assert admin.get("/v1/orgs/default").json()["settings"] == {"retention_days": 7}
    assert admin.get("/v1/orgs/other").status_code == 404
    assert admin.patch("/v1/orgs/other", json={"name": "mine"}).status_code == 404
    wrong = admin.patch("/v1/orgs/default", json={"settings": {"colour": 1}})
    assert (wrong.status_code, "retention_days" in wrong.json()["hint"]) == (422, True)

    (entry,) = entries_of_requests(db, entity="org")
    assert entry["changes"] == {"settings": {"old": {}, "new": {"retention_days": 7}}}


def test_a_worker_key_is_shown_once_rotated_and_revoked(admin: TestClient, db: psycopg.Connection) -> None:
    made = admin.post("/v1/worker-keys", json={"name": "fleet", "queues": ["mail"]}).json()
    new = admin.post(f"/v1/worker-keys/{made['id']}/rotate", json={"overlap_seconds": 60}).json()
    assert [found(db, one["key"])["queues"] for one in (made, new)] == [["mail"], ["mail"]]
    assert admin.delete(f"/v1/worker-keys/{made['id']}").status_code == 204

    listed = admin.get("/v1/worker-keys")
    assert {one["id"]: one["revoked_at"] is not None for one in listed.json()["items"]} == {
        made["id"]: True,
        new["id"]: False,
    }
    assert new["key"] not in listed.text
    assert "hash" not in listed.text
    assert done(db, "worker_key") == ["create", "rotate", "revoke"]
    assert new["key"] not in str(entries_of_requests(db))


def found(db: psycopg.Connection, key: str) -> dict[str, Any]:
    parsed = parse_key(key)
    assert parsed is not None
    assert parsed.kind == WORKER
    return call(db, "find_worker_key", key_id=parsed.key_id, hashes=key_hashes(PEPPERS, key))[0]


def test_who_looks_after_keys_but_not_workers_makes_no_key_for_one(api: TestClient, make_headers: MakeKey) -> None:
    refused = api.post("/v1/worker-keys", json={"name": "x"}, headers=make_headers("keys:*"))

    assert (refused.status_code, "workers:write" in refused.json()["detail"]) == (403, True)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/users/{ann}", None),
        ("PATCH", "/v1/users/{ann}", {"platform_role": "admin"}),
        ("PUT", "/v1/roles/finance/members/{ann}", None),
        ("DELETE", "/v1/roles/finance", None),
        ("POST", "/v1/worker-keys/{key}/rotate", {}),
        ("DELETE", "/v1/worker-keys/{key}", None),
    ],
)
def test_what_belongs_to_another_org_is_not_found(
    api: TestClient, make_headers: MakeKey, db: psycopg.Connection, method: str, path: str, body: Any
) -> None:
    ann = a_user(db)
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")
    mine = make_headers("*")
    key = api.post("/v1/worker-keys", json={"name": "fleet"}, headers=mine).json()["id"]
    stranger = make_headers("*", org_id=call(db, "create_org", slug="other"))

    answer = api.request(method, path.format(ann=ann, key=key), json=body, headers=stranger)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_wrong_bodies_say_where(admin: TestClient) -> None:
    for method, path, body in (
        ("POST", "/v1/users", {"issuer": "x"}),
        ("POST", "/v1/users", {**ANN, "platform_role": "king"}),
        ("PATCH", f"/v1/users/{uuid4()}", {"disabled": "yes"}),
        ("POST", "/v1/roles", {"name": "Two Words"}),
        ("POST", "/v1/worker-keys", {"name": "x", "queues": []}),
        ("PATCH", "/v1/orgs/default", {"slug": "mine"}),
    ):
        answer = admin.request(method, path, json=body)
        assert (answer.status_code, answer.json()["errors"][0]["where"].startswith("body.")) == (422, True), path
