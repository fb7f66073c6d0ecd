"""Webhooks over HTTP: signed, fresh, once."""

import json
import time
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.deliveries import signature
from tests.sql.reactions.test_webhooks import a_dag, current
from tests.support.database.tasks import a_worker

BODY = json.dumps({"order": 7}).encode()


@pytest.fixture
def hook(db: psycopg.Connection, admin: TestClient) -> dict[str, Any]:
    """A webhook with two parts in its path."""
    current(db, a_dag(new="/orders/new"))
    return admin.get("/v1/jobs/shop/new/webhook").json()


def send(api: TestClient, hook: dict[str, Any], body: bytes = BODY, **changes: Any) -> Any:
    at = int(changes.get("at", time.time()))
    signed = changes.get("signed", signature(changes.get("secret", hook["secret"]), at, body))
    headers = {"Content-Type": changes.get("type", "application/json"), "Tenuto-Timestamp": str(at)}
    if signed:
        headers["Tenuto-Signature"] = signed
    return api.post(changes.get("path", hook["url_path"]), content=body, headers=headers)


def test_a_signed_request_starts_one_task(api: TestClient, hook: dict[str, Any], db: psycopg.Connection) -> None:
    now = time.time()

    first, again = send(api, hook, at=now), send(api, hook, at=now)

    assert (first.status_code, first.json()["created"]) == (202, True)
    assert (again.status_code, again.json()) == (200, {"task_id": first.json()["task_id"], "created": False})
    (claim,) = a_worker(db).claim(10)
    assert claim.input["job"]["source"]["body"] == {"order": 7}


def test_a_received_request_is_in_the_audit_log_once(api: TestClient, admin: TestClient, hook: dict[str, Any]) -> None:
    now = time.time()

    sent = [send(api, hook, at=now).json()["task_id"] for _ in range(2)]

    (entry,) = admin.get("/v1/audit", params={"entity": "run"}).json()["items"]
    assert (entry["action"], entry["entity_id"]) == ("start", sent[0])
    assert (entry["actor_kind"], entry["actor_id"], entry["ip"]) == ("system", "webhook /orders/new", "testclient")


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"signed": ""}, 401, "not signed"),
        ({"signed": "v1=" + "0" * 64}, 401, "signature is wrong"),
        ({"signed": "v1=é".encode()}, 401, "signature is wrong"),
        ({"secret": "tnh_other"}, 401, "signature is wrong"),
        ({"at": 1_000_000}, 401, "more than 300 seconds"),
        ({"at": 99_999_999_999}, 401, "more than 300 seconds"),
        ({"body": b"{"}, 422, "not JSON"),
        ({"type": "text/plain"}, 415, "content type"),
        ({"body": b'"' + b"x" * 1_100_000 + b'"'}, 413, ""),
        ({"path": f"/v1/webhooks/{uuid4()}/orders/new"}, 404, "no such webhook"),
    ],
)
def test_a_request_that_cannot_be_accepted_is_refused(
    api: TestClient, hook: dict[str, Any], db: psycopg.Connection, changes: dict[str, Any], status: int, said: str
) -> None:
    refused = send(api, hook, **changes)

    assert (refused.status_code, said in refused.json()["detail"]) == (status, True), refused.text
    assert a_worker(db).claim(10) == []


def test_a_rotated_secret_ends_the_old_one(api: TestClient, admin: TestClient, hook: dict[str, Any]) -> None:
    rotated = admin.post("/v1/jobs/shop/new/webhook/rotate").json()

    assert send(api, hook).status_code == 401
    assert send(api, rotated).status_code == 202
    (entry,) = admin.get("/v1/audit", params={"entity": "job"}).json()["items"]
    assert (entry["action"], entry["entity_id"]) == ("rotate_webhook", "shop/new")
    assert rotated["secret"] not in json.dumps(admin.get("/v1/audit").json())
    assert admin.get("/v1/jobs/shop/gone/webhook").status_code == 404
