"""The health of workers: five words, by documented thresholds."""

from typing import Any

import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.orgs import acting_for
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one
from tests.support.database.workers import a_worker_that_is


def health(db: Db, worker: str = "w") -> dict[str, Any]:
    with db.cursor(row_factory=dict_row) as cursor:
        query = "select * from tenuto.active_workers_health where org_id = %s and id = %s"
        return cursor.execute(query, [DEFAULT_ORG, worker]).fetchone() or {}


def beat(db: Db, **metrics: object) -> str:
    return call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id="w", metrics=metrics)


def set_times(db: Db, **settings: object) -> None:
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings=settings)


def test_a_worker_is_healthy_until_its_heartbeat_is_five_minutes_old(db: Db, clock: Clock) -> None:
    beat(db)
    clock.advance(seconds=300)
    assert (health(db)["health_status"], health(db)["heartbeat_age_seconds"]) == ("healthy", 300)
    clock.advance(seconds=1)

    assert health(db)["health_status"] == "stale_heartbeat"


def test_a_worker_that_never_sent_a_heartbeat_has_none(db: Db) -> None:
    a_worker_that_is(db, "starting")

    row = health(db)
    assert (row["health_status"], row["heartbeat_age_seconds"], row["status"]) == ("no_heartbeat", None, "starting")


def test_a_stuck_task_is_found_while_its_worker_beats(db: Db, clock: Clock) -> None:
    task = start_one(db)
    worker = a_worker(db)
    claim = worker.claim_one()
    for _ in range(20):
        clock.advance(seconds=30)
        worker.beat(claim)
    row = health(db)
    assert (row["health_status"], row["task_runtime_seconds"]) == ("healthy", 600)
    clock.advance(seconds=1)
    worker.beat(claim)

    row = health(db)
    assert (row["health_status"], row["running_tasks"], row["stuck_tasks"]) == ("stuck_task", 1, 1)
    assert (row["current_task_id"], row["current_task_type"], row["current_task_status"]) == (
        task, "app.work", "running",
    )  # fmt: skip
    (shown,) = call(db, "get_worker", org_id=DEFAULT_ORG, worker_id="w")
    assert (shown["health_status"], shown["stuck_tasks"], shown["current_task_id"]) == ("stuck_task", 1, task)
    worker.complete(claim)
    assert (health(db)["health_status"], health(db)["current_task_id"]) == ("healthy", None)


@pytest.mark.parametrize(
    ("exempt", "word"), [(["app.*"], "healthy"), (["app.work", "x"], "healthy"), (["app_work", "*.w"], "stuck_task")]
)
def test_exempt_types_are_never_stuck(db: Db, clock: Clock, exempt: list[str], word: str) -> None:
    set_times(db, never_stuck_types=exempt, stuck_task_seconds=10)
    start_one(db)
    a_worker(db).claim_one()
    clock.advance(seconds=11)

    assert health(db)["health_status"] == word


def test_a_task_is_judged_by_its_own_timeout_where_it_has_one(db: Db, clock: Clock) -> None:
    set_times(db, stuck_task_seconds=10)
    start_one(db, kind={"timeout_seconds": 30})
    worker = a_worker(db, lease="1 hour")
    worker.claim_one()
    clock.advance(seconds=29)
    assert health(db)["health_status"] == "healthy"
    clock.advance(seconds=120)  # the deadline has a margin for what a claim takes

    assert health(db)["health_status"] == "stuck_task"


def test_a_stale_worker_with_a_stuck_task_is_stale(db: Db, clock: Clock) -> None:
    start_one(db)
    a_worker(db, lease="1 day").claim_one()
    clock.advance(seconds=1000)

    assert (health(db)["health_status"], health(db)["stuck_tasks"]) == ("stale_heartbeat", 1)


def test_a_worker_whose_lease_is_over_is_dead_before_any_loop_has_noticed_it(db: Db, clock: Clock) -> None:
    start_one(db)
    a_worker(db).claim_one()
    clock.advance(seconds=60)
    assert health(db)["health_status"] == "healthy"
    clock.advance(seconds=1)

    row = health(db)
    assert (row["status"], row["health_status"], row["running_tasks"]) == ("active", "dead", 1)
    (shown,) = call(db, "list_workers", org_id=DEFAULT_ORG)
    assert shown["health_status"] == "dead"
    (overview,) = call(db, "get_overview", org_id=DEFAULT_ORG)
    assert overview["health"] == {"dead": 1}

    call(db, "expire_sessions")
    assert (health(db)["status"], health(db)["health_status"]) == ("error", "dead")
    a_worker(db)
    assert (health(db)["status"], health(db)["health_status"]) == ("active", "healthy")


def test_a_worker_whose_processes_have_ended_is_dead_at_once(db: Db, clock: Clock) -> None:
    worker = a_worker(db, metadata=Jsonb({"process": {"host": "here", "ids": ["1"]}}))
    assert call(db, "end_leases", host="here", session_ids=[worker.session_id]) == 1
    clock.advance(seconds=0.001)

    assert health(db)["health_status"] == "dead"


def test_a_dead_worker_with_a_stuck_task_is_dead(db: Db, clock: Clock) -> None:
    set_times(db, stuck_task_seconds=10)
    start_one(db)
    a_worker(db).claim_one()
    clock.advance(seconds=61)

    assert (health(db)["health_status"], health(db)["stuck_tasks"]) == ("dead", 1)


def test_a_worker_that_failed_is_dead_even_if_it_still_beats(db: Db) -> None:
    a_worker_that_is(db, "error")
    beat(db)

    assert health(db)["health_status"] == "dead"


def test_a_worker_is_alive_while_one_of_its_sessions_is(db: Db, clock: Clock) -> None:
    a_worker(db)
    clock.advance(seconds=61)
    a_worker(db)  # ends the session of its earlier life

    assert health(db)["health_status"] == "healthy"


def test_terminated_workers_are_not_listed_and_have_no_health(db: Db) -> None:
    a_worker_that_is(db, "terminated")

    assert health(db) == {}
    (row,) = call(db, "get_worker", org_id=DEFAULT_ORG, worker_id="w")
    assert row["health_status"] is None


def test_the_figures_of_the_last_heartbeat_are_columns(db: Db) -> None:
    beat(db, vram_total_mb=24576, vram_used_mb=6144, vram_timestamp=1640995200.0, cpu_percent=12.5)

    row = health(db)
    assert (row["vram_total_mb"], row["vram_used_mb"], row["vram_usage_percent"]) == (24576, 6144, 25.0)
    assert (row["vram_timestamp"], row["cpu_percent"], row["memory_used_mb"]) == (1640995200.0, 12.5, None)


@pytest.mark.parametrize("value", ["many", None, [1], True, 10**400, "NaN"])
def test_metrics_that_are_no_numbers_spoil_no_view(db: Db, value: object) -> None:
    beat(db, vram_total_mb=value, vram_used_mb=1)

    row = health(db)
    assert (row["vram_total_mb"], row["vram_used_mb"], row["vram_usage_percent"]) == (None, 1, None)


def test_no_total_means_no_percentage(db: Db) -> None:
    beat(db, vram_total_mb=0, vram_used_mb=0)

    assert health(db)["vram_usage_percent"] is None


def test_an_org_sees_its_own_workers_only(db: Db) -> None:
    other = an_org(db, "other")
    beat(db)
    db.execute("set role tenuto_readonly")
    with acting_for(db, other):
        assert health(db) == {}
    with acting_for(db, DEFAULT_ORG):
        assert health(db)["health_status"] == "healthy"
    db.execute("reset role")
