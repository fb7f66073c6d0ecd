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
