"""An org at a glance."""

from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.db import monitoring
from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.outbox import publish
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph, start_one
from tests.support.database.wrappers import call_wrapper
from tests.support.waiting import wait_until


def test_nothing_is_zero(db: Db, database: str) -> None:
    seen = call_wrapper(database, monitoring.get_overview, org_id=DEFAULT_ORG)

    numbers = (seen.ready, seen.delayed, seen.waiting, seen.pending, seen.running, seen.dispatchers)
    assert numbers == (0, 0, 0, 0, 0, 0)
    assert (seen.oldest_ready_seconds, seen.oldest_effect_seconds, seen.workers) == (None, None, {})
    assert (seen.failed_last_minute, seen.lost_last_minute, seen.outbox_pending, seen.outbox_dead) == (0, 0, 0, 0)


def test_everything_is_counted_where_it_is(db: Db, clock: Clock) -> None:
    start(db, 1, 2, 3)
    clock.advance(seconds=30)
    start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    start_graph(db, 2, [(0, 1)], kinds=[{"type": "app.graph"}])
    worker = a_worker(db, "busy")
    a_worker(db, "draining")
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="draining")
    worker.claim_one()
    worker.wait(worker.claim_one(), **{"for": "signal", "name": "go"})
    publish(db, 1)
    clock.advance(seconds=5)
    publish(db, 2)
    call(db, "beat_dispatcher", id=uuid4(), address="a", port=1)
    start_one(db, org_id=an_org(db, "other"))

    (seen,) = call(db, "get_overview", org_id=DEFAULT_ORG)

    counted = {name: seen[name] for name in ("ready", "delayed", "waiting", "pending", "running", "dispatchers")}
    assert counted == {"ready": 2, "delayed": 1, "waiting": 1, "pending": 1, "running": 1, "dispatchers": 1}
    assert (seen["oldest_ready_seconds"], seen["outbox_pending"], seen["oldest_effect_seconds"]) == (35, 2, 5)
    assert seen["workers"] == {"active": 1, "draining": 1}


def test_trouble_of_the_last_minute_is_counted(db: Db, clock: Clock) -> None:
    start(db, 1, 2, 3)
    worker = a_worker(db)
    worker.fail(worker.claim_one(), final=True)
    clock.advance(seconds=50)
    worker.fail(worker.claim_one())
    worker.lose(worker.claim_one())
    (now,) = call(db, "get_overview", org_id=DEFAULT_ORG)

    clock.advance(seconds=20)
    (later,) = call(db, "get_overview", org_id=DEFAULT_ORG)

    assert [(seen["failed_last_minute"], seen["lost_last_minute"]) for seen in (now, later)] == [(2, 1), (1, 1)]


def test_what_has_ended_makes_a_rate(db: Db, database: str) -> None:
    db.execute("select pg_stat_force_next_flush()")  # of what tests before this one did
    before = call_wrapper(database, monitoring.get_overview, org_id=DEFAULT_ORG).ended
    start(db, *range(5))
    worker = a_worker(db)
    worker.complete(*worker.claim(5))

    db.execute("select pg_stat_force_next_flush()")
    wait_until(lambda: call_wrapper(database, monitoring.get_overview, org_id=DEFAULT_ORG).ended == before + 5)


def test_attempts_that_ended_lately_are_counted_per_org(db: Db, clock: Clock) -> None:
    start(db, 1, 2, 3)
    worker = a_worker(db)
    worker.complete(*worker.claim(2))
    clock.advance(seconds=4)
    worker.fail(worker.claim_one())

    assert call(db, "count_ended", org_id=DEFAULT_ORG) == 3
    assert call(db, "count_ended", org_id=DEFAULT_ORG, seconds=3) == 1
    assert call(db, "count_ended", org_id=an_org(db, "other")) == 0
    with pytest.raises(InvalidInput, match="61 seconds are not between 0 and 60"):
        call(db, "count_ended", org_id=DEFAULT_ORG, seconds=61)
