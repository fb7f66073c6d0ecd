"""`tenuto types`, `limits` and `dispatchers` with real commands."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start
from tests.support.database.users import a_worker_key, an_api_key
from tests.support.http.both_ways import run_here as tenuto

Asked = Callable[..., Any]
SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}}}


def test_types_limits_and_dispatchers_are_listed_and_shown(db: Db, database: str, asked: Asked) -> None:
    worker = a_worker(db)
    session = {"session_id": worker.session_id, "token": worker.token}
    call(db, "declare_types", **session, types={"a.b": {"kind": {"queue": "mail"}}}, schemas={"a.b": SCHEMA})
    start(db, 1, details=Jsonb([{"task": 0, "limits": [{"scope": "key", "key": "eu", "size": 2}]}]))
    call(db, "follow_arrivals")
    call(db, "beat_dispatcher", id=uuid4(), address="here", port=9)

    assert [row["type"] for row in asked("types", "list")["types"]] == ["a.b"]
    assert asked("types", "show", "a.b")["input_schema"] == SCHEMA
    text = tenuto("types", "show", "a.b", TENUTO_DATABASE_URL=database).stdout
    assert '"to": {' in text
    assert [(row["key"], row["used"]) for row in asked("limits", "list", "--scope", "key")["limits"]] == [("eu", 1)]
    assert asked("limits", "list", "--after", "key:eu")["limits"] == []
    assert asked("limits", "show", "key", "eu")["size"] == 2
    assert asked("limits", "set", "key", "eu", "3") == {"scope": "key", "key": "eu", "size": 3}
    call(db, "follow_arrivals")
    assert [asked("limits", "show", "key", "eu")[name] for name in ("size", "overridden")] == [3, True]
    assert asked("limits", "reset", "key", "eu")["reset"] is True
    assert [row["address"] for row in asked("dispatchers", "list")["dispatchers"]] == ["here"]
    refused = tenuto("types", "show", "x.y", TENUTO_DATABASE_URL=database)
    assert (refused.returncode, "no worker declared the task type x.y" in refused.stderr) == (2, True)


def test_objects_are_listed_held_and_released(db: Db, database: str, asked: Asked) -> None:
    (run_id,) = start(db, 1)
    id = str(call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x"))
    assert asked("objects", "list")["objects"][0]["collect_at"]
    for holder in (("--run", str(run_id)), ("--group", "default")):
        asked("objects", "reference", id, *holder)
    assert [row["id"] for row in asked("objects", "list", "--held-by", str(run_id))["objects"]] == [id]
    assert asked("objects", "list", "--group", "default")["objects"][0]["reference_count"] == 2
    assert [asked("objects", "release", id, "--group", "default")["released"] for _ in range(2)] == [True, False]
    assert [row["position"] for row in asked("runs", "inputs", str(run_id))["inputs"]] == [0]
    wrong = tenuto("objects", "release", id, TENUTO_DATABASE_URL=database)
    assert (wrong.returncode, "either --run or --group" in wrong.stderr) == (2, True)


def test_run_data_is_listed_and_shown(db: Db, database: str, asked: Asked) -> None:
    (run_id,) = (str(id) for id in start(db, 1))
    for values in ({"score.a": 1, "note": "x"}, {"score.a": 2}):
        call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values=values, tags=["t"])

    shown = asked("runs", "data", run_id)["values"]
    assert [(row["key"], row["value"], row["tags"]) for row in shown] == [("note", "x", ["t"]), ("score.a", 2, ["t"])]
    assert [row["key"] for row in asked("runs", "data", run_id, "--glob", "score.*")["values"]] == ["score.a"]
    assert asked("runs", "data", run_id, "note")["value"] == "x"
    text = tenuto("runs", "data", run_id, TENUTO_DATABASE_URL=database).stdout
    assert "score.a" in text
    missing = tenuto("runs", "data", run_id, "other", TENUTO_DATABASE_URL=database)
    assert (missing.returncode, "has no data other" in missing.stderr) == (2, True)


def test_keys_schedules_groups_and_workers_are_shown_and_changed(db: Db, database: str, asked: Asked) -> None:
    key = an_api_key(db, "abcdefghijkl")
    worker_key = a_worker_key(db, "mnopqrstuvwx")
    at = datetime.now(UTC)
    call(db, "put_schedule", org_id=DEFAULT_ORG, name="n", kind={"type": "a.b"}, cron="0 3 * * *", next_at=at)
    a_worker(db)

    asked("keys", "update", "abcdefghijkl", "--inactive", "--name", "old", "--expires", "30d")
    shown = asked("keys", "show", str(key))
    assert (shown["name"], shown["disabled_at"] is None, shown["expires_at"] is None) == ("old", False, False)
    asked("keys", "update", str(key), "--active", "--expires", "never")
    shown = asked("keys", "show", "abcdefghijkl")
    assert (shown["disabled_at"], shown["expires_at"]) == (None, None)
    assert asked("worker-keys", "show", "mnopqrstuvwx")["id"] == str(worker_key)
    assert asked("groups", "show", "default")["weight"] == 1
    shown = asked("workers", "show", "w")
    assert (shown["status"], shown["health_status"], len(shown["history"])) == ("active", "healthy", 1)
    call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id="w", logs=Jsonb([{"message": "hello", "level": "warning"}]))
    (line,) = asked("workers", "logs", "w")["lines"]
    assert (line["line_no"], line["level"], line["message"]) == (1, "warning", "hello")
    assert asked("workers", "logs", "w", "--after", "1")["lines"] == []
    asked("schedules", "update", "n", "--cron", "0 4 * * *", "--jitter", "5s")
    schedule = asked("schedules", "show", "n")
    assert (schedule["cron"], schedule["jitter_seconds"]) == ("0 4 * * *", 5)
    assert asked("schedules", "run", "n")["run_id"]
    actions = [entry["action"] for entry in asked("audit", "list", "--since", "1h")["entries"]]
    assert actions[:4] == ["fire", "update", "update", "update"]
    assert asked("audit", "list", "--until", "1h", "--ip", "10.0.0.1")["entries"] == []
    for wrong in (("keys", "update", str(key)), ("schedules", "update", "n"), ("schedules", "show", "x")):
        assert tenuto(*wrong, TENUTO_DATABASE_URL=database).returncode == 2
