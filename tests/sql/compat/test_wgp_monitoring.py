"""The monitoring views of Headless-WGP, in its words."""

from typing import Any

import pytest

from tests.support.clock import Clock
from tests.support.database.compat import (
    beat_wgp,
    claim_wgp,
    complete_wgp,
    fail_wgp,
    insert_wgp,
    refused,
    reset_wgp,
    rows,
)
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

VIEWS = (
    "orchestrator_status", "active_workers_health", "recent_task_activity", "worker_performance", "task_queue_analysis",
)  # fmt: skip


def read(db: Db, view: str) -> list[dict[str, Any]]:
    return rows(db, f"select * from tenuto_compat_wgp.{view}")


def test_the_fleet_is_shown_at_a_glance(db: Db) -> None:
    insert_wgp(db)
    insert_wgp(db)
    claim_wgp(db)
    beat_wgp(db, "home")
    call(db, "expect_worker", org_id=DEFAULT_ORG, worker_id="gpu-2", instance_type="A100")
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="home")

    (status,) = read(db, "orchestrator_status")

    assert (status["queued_tasks"], status["running_tasks"], status["stuck_tasks"]) == (1, 1, 0)
    assert (status["active_workers"], status["inactive_workers"], status["terminated_workers"]) == (2, 1, 0)


def test_a_worker_is_shown_with_its_task_and_health(db: Db, clock: Clock) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db)
    beat_wgp(db, "gpu-1", 100, 25)
    clock.advance(seconds=30)

    (worker,) = read(db, "active_workers_health")

    assert (worker["id"], worker["status"], worker["health_status"]) == ("gpu-1", "active", "HEALTHY")
    assert (worker["current_task_id"], worker["current_task_status"]) == (task_id, "In Progress")
    assert (worker["vram_usage_percent"], worker["task_runtime_seconds"]) == (25, 30)


def test_a_dead_worker_is_stale_in_the_words_of_the_seed(db: Db) -> None:
    a_worker(db, "gpu-1")
    call(db, "fail_worker", org_id=DEFAULT_ORG, worker_id="gpu-1", error="it crashed")

    (worker,) = read(db, "active_workers_health")
    assert worker["health_status"] == "STALE_HEARTBEAT"
    (status,) = read(db, "orchestrator_status")
    assert (status["inactive_workers"], status["stale_workers"]) == (1, 1)


def test_recent_tasks_and_types_are_shown_in_the_words_of_the_seed(db: Db) -> None:
    done, failed = insert_wgp(db, "travel"), insert_wgp(db, "edit")
    claim_wgp(db)
    complete_wgp(db, done)
    claim_wgp(db)
    fail_wgp(db, failed, "out of memory")

    recent = {row["id"]: row for row in read(db, "recent_task_activity")}

    assert (recent[done]["status"], recent[failed]["status"]) == ("Complete", "Queued")
    assert recent[failed]["error_message"] == "out of memory"
    assert "edit" in {row["task_type"] for row in read(db, "task_queue_analysis")}


def test_a_lost_or_failed_task_counts_for_its_worker(db: Db, clock: Clock) -> None:
    failed = insert_wgp(db)
    insert_wgp(db)
    claim_wgp(db, "gpu-1")
    fail_wgp(db, failed)
    claim_wgp(db, "gpu-2")
    reset_wgp(db, "gpu-2")
    clock.advance(seconds=1)
    call(db, "roll_up_activity")

    shown = {row["worker_id"]: row["failed_tasks"] for row in read(db, "worker_performance")}

    assert shown == {"gpu-1": 1, "gpu-2": 1}


@pytest.mark.parametrize("view", VIEWS)
def test_the_views_show_one_org_and_refuse_writes(db: Db, view: str) -> None:
    insert_wgp(db)
    claim_wgp(db)
    org = call(db, "create_org", slug="theirs")

    with refused("TN003", "shows counts and times"):
        db.execute(f"delete from tenuto_compat_wgp.{view}".encode())
    db.execute("select set_config('tenuto.org_id', %s, false)", [str(org)])
    shown = read(db, view)
    assert len(shown) == (1 if view == "orchestrator_status" else 0)
    db.execute("select set_config('tenuto.org_id', '', false)")
