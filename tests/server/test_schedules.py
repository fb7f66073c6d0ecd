"""Schedules and the outbox over HTTP."""

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.support.database.tasks import DEFAULT_ORG, call

NIGHTLY = {"type": "shop.report", "input": {"region": "eu"}, "cron": "0 3 * * *", "timezone": "Europe/Berlin"}


def test_a_schedule_is_put_changed_and_held(admin: TestClient) -> None:
    made = admin.put("/v1/schedules/nightly", json={**NIGHTLY, "queue": "mail", "priority": 3}).json()
    again = admin.put("/v1/schedules/nightly", json={**NIGHTLY, "catch_up": "all", "jitter": "5m"}).json()

    assert (made["kind"], made["input"]) == (
        {"type": "shop.report", "inherit": True, "queue": "mail", "priority": 3},
        {"region": "eu"},
    )
    assert (again["next_at"], again["catch_up"], again["jitter_seconds"]) == (made["next_at"], "all", 300)
    assert admin.post("/v1/schedules/nightly/pause").status_code == 204
    assert admin.get("/v1/schedules").json()["items"][0]["paused_at"] is not None
    assert admin.delete("/v1/schedules/nightly").status_code == 204
    assert [one["action"] for one in admin.get("/v1/audit", params={"entity": "schedule"}).json()["items"]] == [
        "delete",
        "pause",
        "put",
        "put",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cron": "at night"}, "cannot be read"),
        ({"timezone": "Europe/Atlantis"}, "is not known"),
        ({"cron": "0 0 30 2 *"}, "day-of-month"),
        ({"jitter": "2d"}, "longer than a day"),
        ({"catch_up": "some"}, "catch_up"),
        ({"input": [{"$pickle": "gASV"}]}, "$pickle"),
        ({"delay": 5}, "delay"),
        ({"max_attempts": 0}, "max_attempts"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(admin: TestClient, change: dict[str, object], said: str) -> None:
    refused = admin.put("/v1/schedules/nightly", json={**NIGHTLY, **change})

    assert (refused.status_code, said in refused.text) == (422, True), refused.text
    assert admin.get("/v1/schedules").json()["items"] == []


def test_dead_side_effects_are_listed_and_tried_again(admin: TestClient, db: psycopg.Connection) -> None:
    for kind in ("deliver", "deliver", "emit_lineage"):
        db.execute(
            "insert into tenuto.outbox (org_id, kind, payload, status, attempts, available_at, created_at, last_error)"
            " values (%s, %s, '{}', 'dead', 20, now(), now(), 'no answer')",
            [DEFAULT_ORG, kind],
        )
    dead = admin.get("/v1/outbox", params={"status": "dead", "limit": 2}).json()
    rest = admin.get("/v1/outbox", params={"status": "dead", "limit": 2, "before": dead["next"]}).json()
    first = rest["items"][0]["id"]

    assert [one["kind"] for one in dead["items"]] == ["emit_lineage", "deliver"]
    assert admin.post("/v1/outbox/replay", json={}).status_code == 422
    assert admin.post("/v1/outbox/replay", json={"ids": [first]}).json() == {"ids": [first]}
    assert len(admin.post("/v1/outbox/replay", json={"all": True}).json()["ids"]) == 2
    assert admin.get("/v1/outbox", params={"status": "dead"}).json()["items"] == []
    assert call(db, "list_effects", org_id=DEFAULT_ORG, status="pending") != []
