"""Workers that do not start, fall silent or have failed go on by themselves, after documented times."""

from uuid import uuid4

import pytest

from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one, status
from tests.support.database.workers import a_worker_that_is, worker_row


def beat(db: Db, worker: str = "w", **more: object) -> str:
    return call(db, "beat_worker", **{"org_id": DEFAULT_ORG, "worker_id": worker, **more})


def expire(db: Db, **more: object) -> int:
    return call(db, "expire_workers", **more)


def set_times(db: Db, **settings: object) -> None:
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings=settings)


def test_a_worker_that_does_not_register_in_time_fails_and_is_terminated_after_the_grace(db: Db, clock: Clock) -> None:
    a_worker_that_is(db, "starting")
    clock.advance(seconds=599)
    assert expire(db) == 0
    clock.advance(seconds=1)

    assert expire(db) == 1

    row = worker_row(db)
    assert (row["status"], row["error"], row["error_at"]) == ("error", "it did not register within 600 s", clock.now)
    clock.advance(seconds=599)
    assert expire(db) == 0
    clock.advance(seconds=1)
    assert expire(db) == 1
    row = worker_row(db)
    assert (row["status"], row["terminated_at"]) == ("terminated", clock.now)
    assert row["error"] == "it did not register within 600 s"
    assert expire(db) == 0


@pytest.mark.parametrize("state", ["active", "draining"])
def test_an_external_worker_that_falls_silent_fails(db: Db, clock: Clock, state: str) -> None:
    beat(db)
    if state == "draining":
        call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="w")
    clock.advance(seconds=400)
    beat(db)
    clock.advance(seconds=400)
    assert expire(db) == 0
    clock.advance(seconds=200)

    assert expire(db) == 1

    assert (worker_row(db)["status"], worker_row(db)["error"]) == ("error", "it sent no heartbeat for 600 s")
    assert beat(db) == "error"  # it learns of it, and stays so


def test_a_worker_whose_lease_expired_is_terminated_after_the_grace_and_pruned(db: Db, clock: Clock) -> None:
    task = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    clock.advance(seconds=61)
    call(db, "expire_sessions")
    call(db, "expire_attempts")
    assert (worker_row(db)["status"], worker_row(db)["error_at"]) == ("error", clock.now)
    assert status(db, task) == "retrying"
    clock.advance(seconds=600)

    assert expire(db) == 1

    assert worker_row(db)["status"] == "terminated"
    clock.advance(days=15)
    (pruned,) = call(db, "prune_workers")
    assert (pruned["workers"], worker_row(db)) == (1, {})


def test_a_worker_with_an_open_session_is_judged_by_its_lease_alone(db: Db, clock: Clock) -> None:
    a_worker(db, lease="1 day")
    clock.advance(hours=3)

    assert expire(db) == 0
    assert worker_row(db)["status"] == "active"


def test_a_failed_worker_that_registers_again_is_as_new(db: Db, clock: Clock) -> None:
    a_worker_that_is(db, "error")
    clock.advance(seconds=300)
    a_worker(db)
    clock.advance(seconds=400)

    assert expire(db) == 0
    assert (worker_row(db)["status"], worker_row(db)["error_at"]) == ("active", None)


def test_a_second_failure_does_not_prolong_the_grace(db: Db, clock: Clock) -> None:
    a_worker_that_is(db, "error")
    clock.advance(seconds=500)
    call(db, "fail_worker", org_id=DEFAULT_ORG, worker_id="w", error="again")
    clock.advance(seconds=100)

    assert expire(db) == 1


def test_each_org_has_its_own_times(db: Db, clock: Clock) -> None:
    other = an_org(db, "patient", silent_worker_seconds=3600)
    set_times(db, silent_worker_seconds=30, error_grace_seconds=0)
    beat(db)
    beat(db, org_id=other)
    clock.advance(seconds=31)

    assert expire(db) == 1
    assert expire(db) == 1  # error -> terminated without a grace
    assert expire(db) == 0

    rows = db.execute("select org_id, status from tenuto.workers").fetchall()
    assert dict(rows) == {DEFAULT_ORG: "terminated", other: "active"}


def test_only_as_many_as_the_limit_go_at_once_and_with_keys_only_these(db: Db, clock: Clock) -> None:
    for name in ("a", "b", "c"):
        beat(db, name)
    clock.advance(seconds=601)

    assert expire(db, keys=[f"{DEFAULT_ORG}:b", f"{uuid4()}:a"]) == 1
    assert worker_row(db, "b")["status"] == "error"
    assert expire(db, limit=1) == 1
    assert expire(db, limit=10) == 1


@pytest.mark.parametrize("value", [[""], ["a", 1], "video.*", {"a": 1}, [str(n) for n in range(101)]])
def test_types_that_are_never_stuck_are_a_list_of_names(db: Db, value: object) -> None:
    with pytest.raises(Exception, match="never_stuck_types is"):
        set_times(db, never_stuck_types=value)
