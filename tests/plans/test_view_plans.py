"""Monitoring views read rollups and open tasks, not the history, among 20,000 tasks."""

from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from tests.plans.crowd import routes_of
from tests.plans.plans import explained
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start

HISTORY = ("task_attempts", "tasks", "runs")


def finished(crowded: psycopg.Connection, count: int) -> None:
    start(crowded, *range(count), kind={"type": "app.mine"})
    worker = a_worker(crowded)
    worker.complete(*worker.claim(count, routes=routes_of(crowded, "app.mine")))


@pytest.mark.parametrize(
    ("view", "most"),
    [
        ("orchestrator_status", 0),
        ("active_workers_health", 0),
        ("worker_performance", 0),
        ("task_queue_analysis", 0),
        ("outbox_health", 0),
        ("recent_task_activity", 6000),
    ],
)
def test_a_view_reads_little_of_the_history(crowded: psycopg.Connection, view: LiteralString, most: int) -> None:
    finished(crowded, 200)
    query = sql.SQL("select * from tenuto.{} where org_id = %s").format(sql.Identifier(view))
    crowded.execute(query, [DEFAULT_ORG])

    with explained(crowded) as plans:
        crowded.execute(query, [DEFAULT_ORG])

    assert sum(plans.read(table) for table in HISTORY) <= most, [n for n in plans.nodes if n.read > 400]
    assert plans.scans_of_all(*HISTORY) == []


def test_a_rollup_reads_what_ended_since_the_last_one(crowded: psycopg.Connection) -> None:
    finished(crowded, 200)
    crowded.execute("update tenuto.rollup_position set rolled_up = now()")
    call(crowded, "roll_up_activity")

    with explained(crowded) as plans:
        call(crowded, "roll_up_activity")

    assert plans.scans_of_all(*HISTORY) == []
    assert plans.read("tasks") == 0


def test_health_reads_the_open_sessions_and_not_those_of_earlier_lives(crowded: psycopg.Connection) -> None:
    a_worker(crowded, "here")
    crowded.execute(
        "insert into tenuto.sessions"
        " (org_id, worker_id, token, lease_seconds, started_at, expires_at, ended_at, end_reason)"
        " select org_id, id, gen_random_uuid(), 60, now(), now(), now(), 'replaced'"
        " from tenuto.workers, generate_series(1, 20000) where id = 'here'"
    )
    crowded.execute("analyze tenuto.sessions, tenuto.workers")
    query = "select * from tenuto.active_workers_health where org_id = %s"
    crowded.execute(query, [DEFAULT_ORG])

    with explained(crowded) as plans:
        crowded.execute(query, [DEFAULT_ORG])

    # the other reads, by key, are those of the sessions that hold running tasks
    leases = [node for node in plans.nodes if node.table == "sessions" and node.index != "sessions_pkey"]
    assert 0 < sum(node.read for node in leases) < 100, leases
