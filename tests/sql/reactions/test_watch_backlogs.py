"""Backpressure: a job with too large a backlog holds the jobs that feed it, until half of it is worked off."""

from typing import Any

import pytest

from tenuto.model.errors import Conflict
from tests.support.clock import Clock
from tests.support.database.builds import advance, compute
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.events import RAW, a_reader, claim_like, commit, reactions, readers, reasons, route
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call


def bounded(**scaling: Any) -> dict[str, Any]:
    """extract -> middle -> last, which bounds its backlog."""
    last = a_reader("last", inputs=[{"from": {"dataset": "out_middle"}}], execution_strategy="PerUpdate",
                    operator="parquet_compact", config={})  # fmt: skip
    return readers(a_reader("middle", execution_strategy="PerUpdate"), {**last, "scaling": scaling})


def watch(db: Db, clock: Clock, seconds: int = 6) -> None:
    clock.advance(seconds=seconds)
    while call(db, "watch_backlogs"):
        pass


def held(db: Db) -> list[str]:
    return [row["name"] for row in call(db, "list_jobs", org_id=DEFAULT_ORG) if row["held_at"]]


def with_backlog(db: Db, tasks: int) -> Worker:
    """`last` has this many tasks queued."""
    worker = a_worker(db)
    add_backlog(worker, *(f"d{number}" for number in range(tasks)))
    return worker


def add_backlog(worker: Worker, *partitions: str) -> None:
    for partition in partitions:
        commit(worker, partition)
        advance(worker.db)
        ((task,),) = worker.db.execute(QUEUED.encode(), ["middle"]).fetchall()
        publish(worker, claim_like(worker, task), partition)
        advance(worker.db)


QUEUED = """select t.id from tenuto.ready_tasks r join tenuto.tasks t on t.id = r.id
where t.input #>> '{job,job}' = %s"""


def test_a_backlog_over_its_depth_holds_what_feeds_it_until_half_is_worked_off(db: Db, clock: Clock):
    deployed(db, bounded(max_queue_depth=2))
    worker = with_backlog(db, 2)
    watch(db, clock)
    assert held(db) == []  # two may wait
    add_backlog(worker, "d2")
    watch(db, clock)

    assert held(db) == ["extract", "middle"]
    with pytest.raises(Conflict, match="held by backpressure: sales/last has"):
        trigger(db)


def test_events_of_a_held_job_wait_and_are_routed_when_it_is_released(db: Db, clock: Clock):
    deployed(db, bounded(max_queue_depth=1))
    worker = with_backlog(db, 2)
    watch(db, clock)
    assert held(db) == ["extract", "middle"]
    (job,) = call(db, "get_job", org_id=DEFAULT_ORG, dag="sales", name="last")
    assert (job["backlog"]["depth"], job["backlog"]["engaged_at"] is not None, job["held_at"]) == (2, True, None)

    trigger(db, force=True)
    ((task,),) = db.execute(QUEUED.encode(), ["extract"]).fetchall()
    publish(worker, claim_like(worker, task), "later")
    route(db)
    assert reactions(db)[-1] == ("middle", "later", "paused")
    assert str(reasons(db)[-1]).startswith("backpressure, sales/last has over 1 tasks queued, the oldest since ")

    worker.claim(9)  # nothing waits any more
    watch(db, clock)
    assert held(db) == []
    route(db)
    assert reactions(db)[-1] == ("middle", "later", "triggered")


def test_an_old_backlog_holds_what_feeds_it(db: Db, clock: Clock):
    deployed(db, bounded(max_queue_age="1m"))
    worker = with_backlog(db, 1)
    watch(db, clock, 50)
    assert held(db) == []
    watch(db, clock, 20)
    assert held(db) == ["extract", "middle"]
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="extract")
    compute(worker)
    watch(db, clock)

    assert held(db) == []
    (job,) = call(db, "get_job", org_id=DEFAULT_ORG, dag="sales", name="extract")
    assert job["paused_at"]  # the pause of a person is another thing


def test_the_times_of_a_held_source_wait_and_are_not_passed_over(db: Db, clock: Clock):
    source = {**RAW, "source": {"kind": "cron", "schedule": "@every 1m"}}
    middle, last = bounded(max_queue_depth=1)["jobs"][1:]
    deployed(db, {"name": "sales", "jobs": [source, middle, last]})
    worker = with_backlog(db, 2)
    watch(db, clock)

    def due() -> int:
        return len(call(db, "list_due_schedules"))

    clock.advance(minutes=3)
    assert (held(db), due()) == (["extract", "middle"], 0)
    compute(worker)
    watch(db, clock)
    assert (held(db), due()) == ([], 1)


def test_a_version_without_bounds_releases_what_was_held(db: Db, clock: Clock):
    deployed(db, bounded(max_queue_depth=1))
    with_backlog(db, 2)
    watch(db, clock)
    deploy(db, bounded(max_concurrency=5))
    cutover(db, 1, 2, name="sales")
    watch(db, clock)
    assert (held(db), db.execute("select count(*) from tenuto.job_backlogs").fetchall()) == ([], [(0,)])

    rollback(db, 2, name="sales")
    watch(db, clock)
    assert held(db) == ["extract", "middle"]


def test_only_jobs_that_are_due_are_looked_at_and_another_org_is_not_held(db: Db, clock: Clock):
    deployed(db, bounded(max_queue_depth=1))
    with_backlog(db, 2)
    clock.advance(seconds=6)

    assert call(db, "watch_backlogs", keys=["no such"]) == 0
    assert (call(db, "watch_backlogs", limit=9), call(db, "watch_backlogs", limit=9)) == (1, 0)
    assert db.execute("select distinct org_id::text from tenuto.job_controls where held_at is not null").fetchall() == [
        (str(DEFAULT_ORG),)
    ]
