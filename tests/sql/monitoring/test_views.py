"""The monitoring views, as a reader of one org sees them."""

from typing import Any, LiteralString
from uuid import UUID

import pytest
from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.dags import deploy
from tests.support.database.loops import an_org
from tests.support.database.orgs import acting_for
from tests.support.database.outbox import publish
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph, start_one
from tests.support.database.workers import a_worker_that_is

OF_ORGS = (
    "orchestrator_status", "active_workers_health", "recent_task_activity", "worker_performance",
    "task_queue_analysis", "pointer_history", "outbox_health",
)  # fmt: skip
OF_THE_DATABASE = ("table_sizes", "index_usage", "slow_queries")


def view(db: Db, name: LiteralString, org_id: UUID = DEFAULT_ORG, order: LiteralString = "1") -> list[dict[str, Any]]:
    with db.cursor(row_factory=dict_row) as cursor:
        query = sql.SQL("select * from tenuto.{} where org_id = %s order by {}").format(
            sql.Identifier(name), sql.SQL(order)
        )
        return cursor.execute(query, [org_id]).fetchall()


def roll_up(db: Db, clock: Clock) -> None:
    clock.advance(seconds=1)
    call(db, "roll_up_activity")


def work(db: Db, clock: Clock, seconds: float, **more: Any) -> None:
    """One task that runs for a while and completes."""
    start_one(db, **more)
    worker = a_worker(db)
    claim = worker.claim_one()
    clock.advance(seconds=seconds)
    worker.complete(claim)


def test_the_status_counts_tasks_by_their_status(db: Db, clock: Clock) -> None:
    work(db, clock, 1)
    worker = a_worker(db)
    start_one(db)
    worker.fail(worker.claim_one(), final=True)
    start_one(db, kind={"backoff_seconds": 60})
    worker.fail(worker.claim_one())
    start_one(db)
    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 3600})
    start(db, 1, 2)
    worker.claim_one()
    start_graph(db, 2, [(0, 1)])
    limit = [{"scope": "key", "key": "k", "size": 1}]
    start(db, 1, 2, details=Jsonb([{"task": 0, "limits": limit}, {"task": 1, "limits": limit}]))
    start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    roll_up(db, clock)

    (row,) = view(db, "orchestrator_status")

    live = dict(
        db.execute(
            "select status, count(*) from tenuto.task_status where status not in ('completed', 'failed') group by 1"
        ).fetchall()
    )
    assert {status: row[f"{status}_tasks"] for status in live} == live
    assert set(live) == {"pending", "queued", "running", "retrying", "waiting"}
    assert (row["completed_tasks"], row["failed_tasks"], row["cancelled_tasks"]) == (1, 1, 0)
    assert (row["active_workers"], row["healthy_workers"], row["stuck_tasks"]) == (1, 1, 0)


def test_the_status_counts_workers_and_their_health(db: Db, clock: Clock) -> None:
    call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id="external")
    clock.advance(seconds=301)
    for state in ("starting", "active", "draining", "error", "terminated"):
        a_worker_that_is(db, state, state)

    (row,) = view(db, "orchestrator_status")

    workers = {name: row[f"{name}_workers"] for name in ("starting", "active", "draining", "error", "terminated")}
    assert workers == {"starting": 1, "active": 2, "draining": 1, "error": 1, "terminated": 1}
    assert (row["external_workers"], row["stale_workers"], row["no_heartbeat_workers"]) == (1, 1, 1)
    assert (row["healthy_workers"], row["dead_workers"]) == (2, 1)


def test_the_overview_has_the_numbers_of_the_status(db: Db, clock: Clock) -> None:
    work(db, clock, 1)
    start(db, 1, 2, 3)
    a_worker(db, "busy").claim_one()
    roll_up(db, clock)

    (row,) = view(db, "orchestrator_status")
    (overview,) = call(db, "get_overview", org_id=DEFAULT_ORG)

    assert (overview["ready"], overview["running"], overview["completed"]) == (2, 1, 1)
    assert (row["ready_tasks"], row["running_tasks"], row["completed_tasks"]) == (2, 1, 1)
    assert (overview["workers"], overview["health"]) == ({"active": 2}, {"healthy": 2})
    assert overview["rolled_up_until"] == row["rolled_up_until"]


def test_recent_activity_shows_how_a_task_went_from_worker_to_worker(db: Db, clock: Clock) -> None:
    task = start_one(db, kind={"backoff_seconds": 0})
    first = a_worker(db, "first")
    claim = first.claim_one()
    clock.advance(seconds=3)
    first.fail(claim, error="out of memory")
    call(db, "promote_due")
    second = a_worker(db, "second")
    claim = second.claim_one()
    clock.advance(seconds=2)

    (row,) = view(db, "recent_task_activity")
    assert (row["id"], row["status"], row["attempts"], row["worker_id"]) == (task, "running", 2, "second")
    assert (row["processing_duration_seconds"], row["error_message"]) == (2, "out of memory")
    assert (row["worker_status"], row["worker_instance_type"], row["ended_at"]) == ("active", "worker", None)
    second.complete(claim)
    clock.advance(hours=1)
    (row,) = view(db, "recent_task_activity")
    assert (row["status"], row["processing_duration_seconds"]) == ("completed", 2)
    assert sorted(row["worker_ids"]) == ["first", "second"]


def test_recent_activity_agrees_with_the_status_of_every_task(db: Db, clock: Clock) -> None:
    work(db, clock, 1)
    start_graph(db, 3, [(0, 1), (1, 2)])
    start_one(db, kind={"backoff_seconds": 60})
    worker = a_worker(db)
    worker.fail(worker.claim_one())

    shown = {row["id"]: (row["status"], row["attempts"]) for row in view(db, "recent_task_activity")}

    known = db.execute("select id, status, attempt from tenuto.task_status").fetchall()
    assert shown == {id: (status, attempt) for id, status, attempt in known}


def test_recent_activity_ends_after_24_hours_except_for_what_still_runs(db: Db, clock: Clock) -> None:
    start(db, 1, 2)
    worker = a_worker(db, lease="1 day")
    worker.complete(worker.claim_one())
    running = worker.claim_one()
    db.execute(
        "update tenuto.runs set id = tenuto._uuid7_floor(tenuto.now() - interval '25 hours') where id <> %s",
        [running.task_id],
    )

    assert [row["id"] for row in view(db, "recent_task_activity")] == [running.task_id]


def test_the_performance_of_workers_counts_failures_where_they_happened(db: Db, clock: Clock) -> None:
    start(db, 1, 2, 3, 4, kind={"max_attempts": 1})
    worker = a_worker(db)
    claims = worker.claim(4)
    clock.advance(seconds=10)
    worker.complete(*claims[:3])
    worker.fail(claims[3])
    a_worker(db, "idle")
    clock.advance(hours=2)
    roll_up(db, clock)

    idle, busy = view(db, "worker_performance", order="worker_id")

    assert (busy["completed_tasks"], busy["failed_tasks"], busy["total_tasks_processed"]) == (3, 1, 4)
    assert (busy["success_rate_percent"], busy["avg_processing_time_seconds"]) == (75.0, 10.0)
    assert busy["uptime_hours"] == pytest.approx(2, abs=0.01)
    assert (idle["total_tasks_processed"], idle["success_rate_percent"]) == (0, None)
    clock.advance(days=9)
    assert view(db, "worker_performance", order="worker_id")[1]["completed_tasks"] == 0


def test_the_analysis_shows_what_waits_and_how_long_it_takes(db: Db, clock: Clock) -> None:
    for seconds in (1, 1, 1, 100):
        work(db, clock, seconds, kind={"type": "app.render"})
    worker = a_worker(db)
    start_one(db, kind={"type": "app.render", "max_attempts": 1})
    worker.fail(worker.claim_one())
    roll_up(db, clock)
    start(db, 1, kind={"type": "app.render"})
    clock.advance(seconds=10)
    start(db, 1, kind={"type": "app.render"})
    clock.advance(seconds=5)

    (row,) = view(db, "task_queue_analysis")

    assert (row["task_type"], row["queued_tasks"], row["running_tasks"]) == ("app.render", 2, 0)
    assert (row["max_queue_time_seconds"], row["avg_queue_time_seconds"]) == (15, 10)
    assert (row["completed_tasks"], row["failed_tasks"], row["error_count"]) == (4, 1, 1)
    assert (row["error_rate_percent"], row["avg_processing_time_seconds"]) == (20.0, 25.75)
    assert row["p50_processing_time_seconds"] == pytest.approx(1, rel=0.42)
    assert row["p95_processing_time_seconds"] == pytest.approx(100, rel=0.42)
    assert row["max_processing_time_seconds"] == 100
    clock.advance(hours=26)
    assert [row["completed_tasks"] for row in view(db, "task_queue_analysis")] == [0]


def test_percentiles_are_spread_evenly_within_their_bucket(db: Db, clock: Clock) -> None:
    db.execute(
        "insert into tenuto.rollups select %s, 'hour', 'type', date_trunc('hour', tenuto.now(), 'UTC'), 'app.render', "
        "bucket, 1000, 0, 0, 0, 0, 0, 600, 9, 1000, 0, 0, tenuto.now() from unnest('{19,20}'::int[]) bucket",
        [DEFAULT_ORG],
    )

    (row,) = view(db, "task_queue_analysis")

    names = [f"p{share}_processing_time_seconds" for share in (50, 95, 99)]
    assert [row[name] for name in names] == [pytest.approx(seconds, rel=0.01) for seconds in (0.724, 0.994, 1.018)]


def test_the_health_of_the_outbox_shows_what_is_late_and_what_is_dead(db: Db, clock: Clock) -> None:
    publish(db, "a")
    publish(db, "b")
    clock.advance(seconds=30)
    db.execute("update tenuto.outbox set status = 'dead', attempts = 20, last_error = 'gone' where id = 2")

    (row,) = view(db, "outbox_health")

    assert (row["pending"], row["dead"], row["processing"], row["expired_locks"]) == (1, 1, 0, 0)
    assert (row["oldest_due_seconds"], row["last_error"]) == (30, "gone")


def test_the_history_of_pointers_shows_how_long_each_version_was_current(db: Db, clock: Clock) -> None:
    deploy(db)
    call(db, "cutover_dag", org_id=DEFAULT_ORG, name="orders", expected=0, actor="ann")

    (row,) = view(db, "pointer_history")

    assert (row["dag"], row["action"], row["from_version"], row["to_version"]) == ("orders", "cutover", None, 1)
    assert (row["created_by"], row["since"], row["until"]) == ("ann", clock.now, None)


@pytest.mark.parametrize("name", OF_ORGS)
def test_a_reader_sees_the_rows_of_its_org(db: Db, clock: Clock, name: LiteralString) -> None:
    other = an_org(db, "other")
    work(db, clock, 1)
    start_one(db)
    publish(db, "a")
    deploy(db)
    call(db, "cutover_dag", org_id=DEFAULT_ORG, name="orders", expected=0, actor="ann")
    roll_up(db, clock)
    query = sql.SQL("select distinct org_id from tenuto.{}").format(sql.Identifier(name))
    db.execute("set role tenuto_readonly")

    with acting_for(db, DEFAULT_ORG):
        assert db.execute(query).fetchall() == [(DEFAULT_ORG,)]
    with acting_for(db, other):
        seen = db.execute(query).fetchall()
    db.execute("reset role")
    assert seen == ([(other,)] if name == "orchestrator_status" else [])


@pytest.mark.parametrize("name", OF_THE_DATABASE)
def test_a_reader_sees_the_database(db: Db, name: LiteralString) -> None:
    db.execute("set role tenuto_readonly")
    with acting_for(db, DEFAULT_ORG):
        rows = db.execute(sql.SQL("select * from tenuto.{}").format(sql.Identifier(name))).fetchall()
    db.execute("reset role")
    names = {row[0] for row in rows}
    assert name == "slow_queries" or {"tasks", "workers"} <= names
    assert not any(text.startswith("tasks_2") for text in names)
