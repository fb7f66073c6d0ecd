"""PUT /internal/schedules: an app's workers say when its tasks run, within the queues of their key."""

from typing import Any

import psycopg
from starlette.testclient import TestClient

from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.worker_requests import worker_headers


def put(api: TestClient, headers: dict[str, str], types: list[str], *schedules: dict[str, Any]) -> Any:
    return api.put("/internal/schedules", headers=headers, json={"types": types, "schedules": list(schedules)})


def a_schedule(name: str = "a.report", queue: str = "mail", **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": {"type": name, "queue": queue}, "cron": "0 9 * * *", **more}


def names(db: psycopg.Connection) -> list[str]:
    return [row["name"] for row in call(db, "list_schedules", org_id=DEFAULT_ORG)]


def test_schedules_are_put_and_those_of_types_without_one_are_gone(api: TestClient, db: psycopg.Connection) -> None:
    headers = worker_headers(db)
    put(api, headers, ["b.other"], a_schedule("b.other"))
    types = ["a.report", "a.tidy"]
    assert put(api, headers, types, a_schedule("a.report"), a_schedule("a.tidy")).status_code == 204

    again = put(api, headers, types, a_schedule("a.report", timezone="Europe/Berlin", jitter_seconds=5))

    assert (again.status_code, names(db)) == (204, ["a.report", "b.other"])
    (row, _) = call(db, "list_schedules", org_id=DEFAULT_ORG)
    assert (row["timezone"], row["jitter_seconds"], row["next_at"] is not None) == ("Europe/Berlin", 5, True)


def test_a_schedule_that_changed_is_in_the_audit_log_and_one_that_stayed_is_not(
    api: TestClient, db: psycopg.Connection
) -> None:
    headers = worker_headers(db)
    for schedules in ([a_schedule()], [a_schedule()], [a_schedule(cron="0 10 * * *")], []):
        assert put(api, headers, ["a.report"], *schedules).status_code == 204

    deleted, changed, made = call(db, "list_audit", org_id=DEFAULT_ORG, entity="schedule")
    (key,) = call(db, "list_worker_keys", org_id=DEFAULT_ORG)
    assert {(one["actor_kind"], one["actor_id"]) for one in (deleted, changed, made)} == {
        ("worker_key", str(key["id"]))
    }
    assert (made["action"], made["changes"]["cron"]) == ("put", {"old": None, "new": "0 9 * * *"})
    assert (changed["action"], changed["changes"]) == ("put", {"cron": {"old": "0 9 * * *", "new": "0 10 * * *"}})
    assert deleted["action"] == "delete"


def test_a_key_for_other_queues_neither_puts_nor_takes_away(api: TestClient, db: psycopg.Connection) -> None:
    put(api, worker_headers(db), ["a.report"], a_schedule())
    gpu = worker_headers(db, "gpu")

    refused = [
        put(api, gpu, [], a_schedule("a.new")),
        put(api, gpu, ["a.report"]),
        put(api, gpu, [], a_schedule(queue="gpu")),
    ]

    assert {one.status_code for one in refused} == {403}
    assert names(db) == ["a.report"]


def test_a_cron_that_cannot_be_is_refused(api: TestClient, db: psycopg.Connection) -> None:
    refused = put(api, worker_headers(db), [], a_schedule(cron="every day"))

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
    assert names(db) == []


def test_no_schedule_starts_with_a_pickle(api: TestClient, db: psycopg.Connection) -> None:
    refused = put(api, worker_headers(db), [], a_schedule(input=[{"$pickle": "gASV"}]))

    assert (refused.status_code, "$pickle" in refused.json()["detail"]) == (422, True)
    assert names(db) == []
