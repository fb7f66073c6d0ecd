"""How things are at a glance: numbers for `top` and for the line that `up` keeps alive."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.cli.output import cell, table

if TYPE_CHECKING:
    from tenuto.db.connection.pool import ConnectionPool
    from tenuto.model.monitoring import Overview, QueueStatus, WorkerStatus

COUNTS = ("ready", "running", "delayed", "waiting", "pending")
QUEUE_COLUMNS = ("queue", "ready", "running", "delayed", "waiting", "waiting_seconds", "paused_at")
WORKER_COLUMNS = ("id", "status", "running", "labels", "last_heartbeat")


@dataclass(frozen=True)
class OverviewPage:
    """One look; counts have bounds, so that a queue of millions costs no more than one of thousands."""

    at: float
    per_second: float | None
    overview: "Overview"
    queues: "list[QueueStatus]"
    workers: "list[WorkerStatus]"

    @property
    def line(self) -> str:
        """Everything in one line."""
        seen = self.overview
        parts = [f"{name} {getattr(seen, name):,}" for name in COUNTS]
        parts += [f"{self.per_second:,.0f}/s"] if self.per_second is not None else []
        parts += [f"workers {seen.workers.get('active', 0)}", f"dispatchers {seen.dispatchers}"]
        trouble = {"failed": seen.failed_last_minute, "lost": seen.lost_last_minute, "dead effects": seen.outbox_dead}
        trouble["parked rows"] = seen.parked
        return "  ".join(parts + [f"{name} {count:,}" for name, count in trouble.items() if count])

    @property
    def page(self) -> str:
        """Everything on one page."""
        parts = [self.line]
        for columns, items in ((QUEUE_COLUMNS, self.queues), (WORKER_COLUMNS, self.workers)):
            rows = [[cell(getattr(item, column)) for column in columns] for item in items]
            parts.append(table(columns, rows))
        return "\n\n".join(parts)


async def fetch_overview(pool: "ConnectionPool", org_id: UUID, before: OverviewPage | None = None) -> OverviewPage:
    """How it is now, and how many attempts ended a second since the look before."""
    from tenuto.db import monitoring

    async with pool.connection() as conn:
        at, seen = time.monotonic(), await monitoring.get_overview(conn, org_id=org_id)
        rate = (seen.ended - before.overview.ended) / (at - before.at) if before else None
        queues = await monitoring.list_queues(conn, org_id=org_id)
        workers = await monitoring.list_workers(conn, org_id=org_id, limit=200)
    return OverviewPage(at, rate, seen, queues, workers)
