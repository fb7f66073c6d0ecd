"""The short way of starting one task writes what the long way writes, and refuses what it refuses."""

import json
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

SOUND: list[dict[str, Any]] = [
    {"type": "a.b"},
    {"type": "a.b", "queue": "mail", "priority": -3},
    {"type": "a.b", "language": "cpp", "labels": ["eu", "gpu"]},
    {"type": "a.b", "labels": ["gpu", "eu", "gpu"]},
    {"type": "a.b", "max_attempts": 7, "max_losses": 9, "backoff_seconds": 0.5, "optional": True},
    {"type": "a.b", "timeout_seconds": 30, "heartbeat_timeout_seconds": 1.5},
    {"type": "a.b", "priority": None, "queue": None},
]
WRONG: list[Any] = [
    {},
    {"type": ""},
    {"type": "a.b", "queue": ""},
    {"type": "a" * 300},
    {"type": "a.b", "unknown": 1},
    {"type": "a.b", "priority": "high"},
    {"type": "a.b", "labels": "gpu"},
    {"type": "a.b", "labels": [""]},
    {"type": "a.b", "max_attempts": 0},
    {"type": "a.b", "max_attempts": 101},
    {"type": "a.b", "max_losses": 1001},
    {"type": "a.b", "backoff_seconds": -1},
    {"type": "a.b", "backoff_seconds": "NaN"},
    {"type": "a.b", "timeout_seconds": 0},
    {"type": "a.b", "timeout_seconds": "infinity"},
    {"type": "a.b", "heartbeat_timeout_seconds": 1e12},
    {"type": "a.b", "handler": "completed"},
    "a.b",
    None,
    "inherit",
    ["inherit"],
    {"inherit": True},
]


def start(db: Db, kind: Any, *, long: bool, input: Any = (1, 2), group: str | None = None) -> Any:
    """The id, by one way or the other: only the long way takes the kinds of tasks."""
    id = str(uuid4())
    db.execute(
        "select from tenuto.start_many(%s, %s, array[%s]::jsonb[], array[%s]::uuid[], %s, p_group => %s)",
        (DEFAULT_ORG, json.dumps([kind]), json.dumps(input), id, [0] if long else None, group),
    )
    return id


def written(db: Db, id: str) -> dict[str, Any]:
    """Every row of the task but what differs between any two."""
    rows: dict[str, Any] = {}
    for table in ("runs", "tasks", "ready_tasks"):
        select = f"select to_jsonb(t) - %s::text[] from tenuto.{table} t where id = %s"
        rows[table] = db.execute(select.encode(), (["id", "run_id", "created_at", "queued_at", "seq"], id)).fetchall()
    return rows


@pytest.mark.parametrize("kind", SOUND, ids=[str(no) for no in range(len(SOUND))])
def test_both_ways_write_the_same_rows(db: Db, kind: Any) -> None:
    first = start(db, kind, long=True)  # makes the route, so that the short way finds it
    second = start(db, kind, long=False)

    assert written(db, second) == written(db, first)
    assert all(len(rows) == 1 for rows in written(db, second).values())
    call(db, "follow_arrivals")
    assert db.execute("select count(*) from tenuto.ready_lanes").fetchone() == (1,)


DECLARED = {
    "nothing": None,
    "a kind": {"kind": {"queue": "mail", "max_attempts": 7}},
    "limits": {"kind": {"queue": "mail"}, "limits": [{"scope": "key", "key": "k", "size": 9}]},
}


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
@pytest.mark.parametrize("inherit", [True, False, None, "yes"])
def test_both_ways_inherit_the_same(db: Db, declared: Any, inherit: Any) -> None:
    if declared:
        worker = a_worker(db)
        said = {"session_id": worker.session_id, "token": worker.token}
        call(db, "declare_types", **said, types=Jsonb({"a.b": declared}))
    kind = {"type": "a.b", "priority": 2, "inherit": inherit}
    first = start(db, kind, long=True)

    assert written(db, start(db, kind, long=False)) == written(db, first)


@pytest.mark.parametrize("kind", WRONG, ids=[str(no) for no in range(len(WRONG))])
def test_both_ways_refuse_the_same_kinds_with_the_same_words(db: Db, kind: Any) -> None:
    said: list[str] = []
    for long in (True, False):
        with pytest.raises(psycopg.Error) as refused, db.transaction():
            start(db, kind, long=long)
        said.append(f"{refused.value.sqlstate} {refused.value.diag.message_primary} {refused.value.diag.message_hint}")

    assert said[0] == said[1]
    assert db.execute("select count(*) from tenuto.tasks").fetchone() == (0,)


def test_the_short_way_refuses_a_group_that_is_not_there_as_the_long_way_does(db: Db) -> None:
    start(db, {"type": "a.b"}, long=True)

    for long in (True, False):
        with pytest.raises(psycopg.Error, match="no resource group 'gold'"), db.transaction():
            start(db, {"type": "a.b"}, long=long, group="gold")


def test_the_short_way_refuses_an_input_that_is_too_large_as_the_long_way_does(db: Db) -> None:
    start(db, {"type": "a.b"}, long=True)

    for long in (True, False):
        with pytest.raises(psycopg.Error, match="the input of task 0"), db.transaction():
            start(db, {"type": "a.b"}, long=long, input=[uuid4().hex for _ in range(60_000)])


def test_the_short_way_wakes_the_workers_of_its_queue(db: Db) -> None:
    start(db, {"type": "a.b", "queue": "mail"}, long=True)
    db.execute("listen tenuto_ready")

    start(db, {"type": "a.b", "queue": "mail"}, long=False)

    assert [notice.payload for notice in db.notifies(timeout=60, stop_after=1)] == ["mail"]


@pytest.mark.parametrize("long", [True, False])
def test_nobody_is_woken_where_the_caller_does_not_want_it(db: Db, long: bool) -> None:
    start(db, {"type": "a.b", "queue": "mail"}, long=True)
    db.execute("listen tenuto_ready")
    asked = {"org_id": DEFAULT_ORG, "kinds": Jsonb([{"type": "a.b", "queue": "mail"}]), "inputs": [Jsonb(1)]}

    call(db, "start_many", **asked, ids=[uuid4()], task_kinds=[0] if long else None, wake=False)
    start(db, {"type": "a.b", "queue": "default"}, long=long)

    assert [notice.payload for notice in db.notifies(timeout=60, stop_after=1)] == ["default"]
