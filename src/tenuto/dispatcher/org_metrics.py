"""Updates the metrics of parked rows, and of the tasks, workers, queues and side effects of an org."""

from typing import get_args
from uuid import UUID

from tenuto.db import counts, maintenance, monitoring, pools
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.metric_labels import OTHER
from tenuto.model.metrics import (
    MAX_QUEUES,
    OLDEST_READY,
    OUTBOX,
    PARKED_ROWS,
    POOL_PROBLEM,
    POOL_READY,
    POOL_WANTED,
    POOL_WORKERS,
    QUEUE_SECONDS,
    QUEUE_TASKS,
    ROLLUP_AGE,
    STUCK_TASKS,
    TASKS_BLOCKED,
    TASKS_FINISHED,
    TASKS_OPEN,
    TYPE_ERROR_RATE,
    TYPE_OLDEST,
    TYPE_RUN_SECONDS,
    TYPE_TASKS,
    UNSERVED_TASKS,
    WORKER_HEALTH,
    WORKERS,
)
from tenuto.model.monitoring import QueueStatus
from tenuto.model.statuses import WorkerHealth

MEASURE_SECONDS = 5.0  # between two measurements
STATES = ("ready", "running", "delayed", "waiting")
HEALTH = get_args(WorkerHealth)


async def update_metrics(pool: ConnectionPool, org_id: UUID | None) -> None:
    """Updates the metrics of parked rows and, if `org_id` is set, of that org."""
    PARKED_ROWS.clear()
    for count in await pool.call(monitoring.count_parked):
        PARKED_ROWS.labels(count.loop).set(count.parked)
    if org_id is not None:
        await measure_org(pool, org_id)


async def measure_org(pool: ConnectionPool, org_id: UUID) -> None:
    """Query the state of the org and set its gauges."""
    overview = await pool.call(monitoring.get_overview, org_id=org_id)
    for state in (*STATES, "pending"):
        TASKS_OPEN.labels(state).set(getattr(overview, state))
    TASKS_BLOCKED.set(overview.blocked)
    for status in ("starting", "active", "draining", "error"):
        WORKERS.labels(status).set(overview.workers.get(status, 0))
    for health in HEALTH:
        WORKER_HEALTH.labels(health).set(overview.health.get(health, 0))
    STUCK_TASKS.set(overview.stuck_tasks)
    for status in ("completed", "failed", "cancelled", "skipped"):
        TASKS_FINISHED.labels(status).set(getattr(overview, status))
    ROLLUP_AGE.set((await pool.call(maintenance.now) - overview.rolled_up_until).total_seconds())
    OUTBOX.labels("pending").set(overview.outbox_pending)
    OUTBOX.labels("dead").set(overview.outbox_dead)
    await _measure_queues(pool, org_id)
    await _measure_types(pool, org_id)
    await _measure_pools(pool, org_id)


async def _measure_types(pool: ConnectionPool, org_id: UUID) -> None:
    types = await pool.call(counts.list_type_activity, org_id=org_id, limit=MAX_QUEUES)
    for gauge in (TYPE_TASKS, TYPE_OLDEST, TYPE_ERROR_RATE, TYPE_RUN_SECONDS):
        gauge.clear()
    for entry in types:
        TYPE_TASKS.labels(entry.type, "queued").set(entry.queued)
        TYPE_TASKS.labels(entry.type, "running").set(entry.running)
        TYPE_OLDEST.labels(entry.type).set(entry.oldest_queued_seconds or 0.0)
        TYPE_ERROR_RATE.labels(entry.type).set(entry.error_rate_percent or 0.0)
        for quantile, seconds in (
            ("0.5", entry.p50_seconds), ("0.95", entry.p95_seconds), ("0.99", entry.p99_seconds),
        ):  # fmt: skip
            TYPE_RUN_SECONDS.labels(entry.type, quantile).set(seconds or 0.0)


async def _measure_pools(pool: ConnectionPool, org_id: UUID) -> None:
    listed = await pool.call(pools.list_pools, org_id=org_id, limit=MAX_QUEUES)
    for gauge in (POOL_WORKERS, POOL_WANTED, POOL_READY, POOL_PROBLEM):
        gauge.clear()
    for entry in listed:
        for status in ("starting", "active", "busy", "draining", "error"):
            POOL_WORKERS.labels(entry.name, status).set(getattr(entry, status))
        POOL_WANTED.labels(entry.name).set(entry.wanted or 0)
        POOL_READY.labels(entry.name).set(entry.ready)
        POOL_PROBLEM.labels(entry.name).set(0 if entry.problem is None else 1)


async def _measure_queues(pool: ConnectionPool, org_id: UUID) -> None:
    queues = await pool.call(monitoring.list_queues, org_id=org_id)
    unserved = await pool.call(monitoring.list_unserved, org_id=org_id)
    times = await pool.call(monitoring.sample_queue_times, org_id=org_id, seconds=MEASURE_SECONDS)
    # Cleared only after the queries, because a scrape during the queries would see only some of the queues.
    QUEUE_TASKS.clear()
    OLDEST_READY.clear()
    UNSERVED_TASKS.clear()
    queues.sort(key=lambda queue: -(queue.ready + queue.running + queue.delayed + queue.waiting))
    for queue in queues[:MAX_QUEUES]:
        _show(queue.name, [queue])
    if len(queues) > MAX_QUEUES:
        _show(OTHER, queues[MAX_QUEUES:])
    for tasks in unserved:
        UNSERVED_TASKS.labels(tasks.queue, tasks.type).inc(tasks.tasks)
    for time in times:
        QUEUE_SECONDS.observe(time.queue, time.type, time.seconds)


def _show(name: str, queues: list[QueueStatus]) -> None:
    for state in STATES:
        QUEUE_TASKS.labels(name, state).set(sum(getattr(queue, state) for queue in queues))
    OLDEST_READY.labels(name).set(max(queue.oldest_ready_seconds or 0.0 for queue in queues))
