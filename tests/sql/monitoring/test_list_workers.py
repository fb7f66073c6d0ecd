"""Workers, queues and dispatchers as people see them."""

from typing import Any
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.db import monitoring
from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.limits import a_key, start_limited
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one
from tests.support.database.workers import STATES, a_worker_that_is
from tests.support.database.wrappers import call_wrapper


def listed(db: Db, **filters: Any) -> list[str]:
    return [row["id"] for row in call(db, "list_workers", org_id=DEFAULT_ORG, **filters)]


def test_workers_are_listed_by_id_page_by_page_and_the_terminated_only_when_asked_for(db: Db) -> None:
    for state in STATES:
        a_worker_that_is(db, state, name=f"is {state}")

    names = ["is active", "is draining", "is error", "is starting"]
    assert listed(db) == names
    assert [listed(db, limit=3), listed(db, limit=3, after=names[2])] == [names[:3], names[3:]]
    assert {state: listed(db, status=state) for state in STATES} == {state: [f"is {state}"] for state in STATES}


def test_a_worker_is_shown_with_what_it_holds(db: Db, clock: Clock, database: str) -> None:
    start(db, 1, 2, 3)
    worker = a_worker(db, lease="30 seconds", labels=["gpu=1"])
    worker.claim(2)
    a_worker(db, "idle")

    idle, busy = call_wrapper(database, monitoring.list_workers, org_id=DEFAULT_ORG)

    assert (idle.running, busy.running) == (0, 2)
    assert busy.labels == ["gpu=1"]
    assert busy.lease_expires_at is not None
    assert (busy.lease_expires_at - clock.now).total_seconds() == 30


def test_workers_of_others_and_statuses_that_none_has_are_not_listed(db: Db) -> None:
    a_worker(db, org_id=an_org(db, "other"))

    assert listed(db) == []
    with pytest.raises(InvalidInput, match="'dead' is not a status of a worker"):
        listed(db, status="dead")
    with pytest.raises(InvalidInput, match="is not between 1 and 200"):
        listed(db, limit=0)


def test_queues_are_shown_with_what_stands_in_them(db: Db, clock: Clock, database: str) -> None:
    start(db, 1, 2, kind={"queue": "mail"})
    clock.advance(seconds=90)
    start(db, 3, kind={"queue": "mail", "type": "app.other"})
    start_one(db, kind={"queue": "mail"}, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    start_limited(db, 2, a_key("k", 1), kind={"queue": "limited"})
    worker = a_worker(db)
    worker.claim(1, routes=worker.routes(["limited"]))
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="idle", new=True)
    start_one(db, org_id=an_org(db, "other"), kind={"queue": "mail"})

    rows = call_wrapper(database, monitoring.list_queues, org_id=DEFAULT_ORG)

    shown = {row.name: (row.ready, row.delayed, row.waiting, row.running) for row in rows}
    assert shown == {"mail": (3, 1, 0, 0), "limited": (0, 0, 1, 1), "idle": (0, 0, 0, 0)}
    by_name = {row["name"]: row for row in call(db, "list_queues", org_id=DEFAULT_ORG)}
    assert by_name["mail"]["oldest_ready_seconds"] == 90
    assert by_name["idle"]["oldest_ready_seconds"] is None
    assert by_name["idle"]["paused_at"] == clock.now


def test_dispatchers_are_listed_and_dead_after_a_minute_without_a_heartbeat(
    db: Db, clock: Clock, database: str
) -> None:
    first, second = uuid4(), uuid4()
    call(db, "beat_dispatcher", id=first, address="a", port=1)
    clock.advance(seconds=1)
    call(db, "beat_dispatcher", id=second, address="b", port=2)

    rows = call_wrapper(database, monitoring.list_dispatchers)

    assert [(row.id, row.address, row.port) for row in rows] == [(second, "b", 2), (first, "a", 1)]
    clock.advance(seconds=59)
    statuses = [(row["id"], row["status"]) for row in call(db, "list_dispatchers")]
    assert statuses == [(second, "active"), (first, "dead")]
    (overview,) = call(db, "get_overview", org_id=DEFAULT_ORG)
    assert overview["dispatchers"] == 1


def test_lists_show_only_the_size_of_large_metadata(db: Db) -> None:
    a_worker(db, metadata=Jsonb({"text": "x" * 900_000}))
    a_worker(db, "small", metadata=Jsonb({"text": "x"}))

    small, large = (row["metadata"] for row in call(db, "list_workers", org_id=DEFAULT_ORG))

    assert (small, list(large)) == ({"text": "x"}, ["cut_bytes"])
