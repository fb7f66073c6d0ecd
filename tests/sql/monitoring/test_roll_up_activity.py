"""Rollups: what has ended, counted once, by type and by worker."""

from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one
from tests.support.waiting import wait_until

COUNTS = ("completed", "failed", "cancelled", "skipped", "retried", "lost")


def roll_up(db: Db, clock: Clock, **more: object) -> int:
    clock.advance(seconds=1)  # past the quarter of a second that the horizon keeps back
    return call(db, "roll_up_activity", **more)


def rolled_up(db: Db, period: str = "total", dimension: str = "type", name: str = "app.work") -> dict[str, Any]:
    sums = ", ".join(f"coalesce(sum({count}), 0)::int as {count}" for count in COUNTS)
    with db.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            f"select {sums}, sum(run_seconds) as run_seconds, sum(queue_seconds) as queue_seconds,"
            " max(max_run_seconds) as max_run_seconds, max(last_ended_at) as last_ended_at, count(*) as rows"
            " from tenuto.rollups where period = %s and dimension = %s and name = %s",
            [period, dimension, name],
        ).fetchone()
    return row or {}


def counts(db: Db, **where: str) -> dict[str, int]:
    row = rolled_up(db, **where)
    return {count: row[count] for count in COUNTS if row[count]}


def test_every_end_is_counted_once_by_type_and_by_worker(db: Db, clock: Clock) -> None:
    start(db, 1, 2, 3, kind={"max_attempts": 1})
    worker = a_worker(db)
    clock.advance(seconds=4)
    done, failed, cancelled = worker.claim(3)
    clock.advance(seconds=2)
    worker.complete(done)
    worker.fail(failed)
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=cancelled.task_id)
    worker.fail(cancelled)

    assert roll_up(db, clock) == 3
    assert roll_up(db, clock) == 0

    for period in ("minute", "hour", "day", "total"):
        assert counts(db, period=period) == {"completed": 1, "failed": 1, "cancelled": 1}
    assert counts(db, period="day", dimension="worker", name="w") == {"completed": 1, "failed": 1, "cancelled": 1}
    row = rolled_up(db)
    assert (row["run_seconds"], row["max_run_seconds"], row["queue_seconds"]) == (2, 2, 12)


def test_a_failure_and_a_loss_count_for_the_worker_that_had_the_attempt(db: Db, clock: Clock) -> None:
    start_one(db, kind={"backoff_seconds": 0})
    bad = a_worker(db, "bad")
    bad.fail(bad.claim_one())
    call(db, "promote_due")
    lazy = a_worker(db, "lazy")
    lazy.claim_one()
    clock.advance(seconds=61)
    call(db, "expire_sessions")
    call(db, "expire_attempts")
    call(db, "promote_due")
    good = a_worker(db, "good")
    good.complete(good.claim_one())

    roll_up(db, clock)

    assert counts(db, period="hour") == {"completed": 1, "retried": 1, "lost": 1}
    workers = {name: counts(db, period="hour", dimension="worker", name=name) for name in ("bad", "lazy", "good")}
    assert workers == {"bad": {"retried": 1}, "lazy": {"lost": 1}, "good": {"completed": 1}}


def test_ends_in_several_minutes_have_a_row_each(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    for _ in range(3):
        start_one(db)
        worker.complete(worker.claim_one())
        roll_up(db, clock)
        clock.advance(minutes=1)

    assert rolled_up(db, period="minute")["rows"] == 3
    assert counts(db, period="minute") == {"completed": 3}


def test_a_call_stops_after_its_limit_and_the_next_one_goes_on(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    roll_up(db, clock)
    for _ in range(3):
        start(db, 1, 2)
        worker.complete(*worker.claim(2))
        clock.advance(seconds=15)

    assert [roll_up(db, clock, limit=1) for _ in range(4)] == [2, 2, 2, 0]


def test_what_commits_late_is_counted(db: Db, database: str) -> None:
    """The attempt ends before another one that a rollup could count already, and its transaction commits after it."""
    start(db, 1, 2)
    worker = a_worker(db)
    late, early = worker.claim(2)
    with psycopg.connect(database) as other:
        call(other, "complete_tasks", **worker.fence, task_ids=[late.task_id], attempts=[late.attempt])
        worker.complete(early)
        call(db, "roll_up_activity")
        other.commit()

    def is_passed() -> bool:
        call(db, "roll_up_activity")
        query = "select rolled_up > (select max(ended_at) from tenuto.task_attempts) from tenuto.rollup_position"
        return db.execute(query).fetchone() == (True,)

    wait_until(is_passed)
    assert counts(db) == {"completed": 2}


def test_an_open_start_does_not_stop_the_rollups(db: Db, database: str) -> None:
    start_one(db)
    worker = a_worker(db)
    with psycopg.connect(database) as other:
        start_one(other)
        worker.complete(worker.claim_one())

        wait_until(lambda: call(db, "roll_up_activity") == 1)
        other.rollback()


def test_while_another_dispatcher_counts_nothing_happens(db: Db, database: str, clock: Clock) -> None:
    start_one(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.rollup_position for update")
        assert roll_up(db, clock) == 0
        other.rollback()

    assert roll_up(db, clock) == 1


def test_old_rollups_go_and_totals_stay(db: Db, clock: Clock) -> None:
    start_one(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    roll_up(db, clock)
    kept = []
    for hours in (4, 9 * 24, 91 * 24):
        clock.advance(hours=hours)
        roll_up(db, clock)
        kept.append([period for period in ("minute", "hour", "day", "total") if rolled_up(db, period=period)["rows"]])

    assert kept == [["hour", "day", "total"], ["day", "total"], ["total"]]


def test_a_deleted_run_stays_counted(db: Db, clock: Clock) -> None:
    run: UUID = start_one(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    roll_up(db, clock)
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run)

    assert counts(db) == {"completed": 1}
