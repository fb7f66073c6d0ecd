"""Summary of an org for `tenuto top` and for the status line of `tenuto up`."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.cli.output import cell, table

if TYPE_CHECKING:
    from tenuto.db.connection.pool import ConnectionPool
    from tenuto.model.monitoring import Overview, QueueStatus, WorkerStatus

COUNTS = ("ready", "running", "delayed", "waiting", "pending")
QUEUE_COLUMNS = ("name", "ready", "running", "delayed", "waiting", "oldest_ready_seconds", "paused_at")
WORKER_COLUMNS = ("id", "status", "running", "labels", "last_heartbeat")


@dataclass(frozen=True)
class OverviewPage:
    """One snapshot. Counts are capped, so that a queue of millions costs no more than one of thousands."""

    at: float
    per_second: float | None
    overview: "Overview"
    queues: "list[QueueStatus]"
    workers: "list[WorkerStatus]"

    @property
    def line(self) -> str:
        """Return the summary as one line."""
        overview = self.overview
        parts = [f"{name} {getattr(overview, name):,}" for name in COUNTS]
        parts += [f"{self.per_second:,.0f}/s"] if self.per_second is not None else []
        parts += [f"workers {overview.workers.get('active', 0)}", f"dispatchers {overview.dispatchers}"]
        trouble = {
            "failed": overview.failed_last_minute,
            "lost": overview.lost_last_minute,
            "dead effects": overview.outbox_dead,
        }
        trouble["parked rows"] = overview.parked
        return "  ".join(parts + [f"{name} {count:,}" for name, count in trouble.items() if count])

    @property
    def page(self) -> str:
        """Return the summary with tables of queues and workers."""
        parts = [self.line]
        for columns, items in ((QUEUE_COLUMNS, self.queues), (WORKER_COLUMNS, self.workers)):
            rows = [[cell(getattr(item, column)) for column in columns] for item in items]
            parts.append(table(columns, rows))
        return "\n\n".join(parts)


async def fetch_overview(pool: "ConnectionPool", org_id: UUID, before: OverviewPage | None = None) -> OverviewPage:
    """Fetch a snapshot; with a previous one, also compute how many attempts ended per second since."""
    from tenuto.db import monitoring

    async with pool.connection() as conn:
        at, overview = time.monotonic(), await monitoring.get_overview(conn, org_id=org_id)
        rate = (overview.ended - before.overview.ended) / (at - before.at) if before else None
        queues = await monitoring.list_queues(conn, org_id=org_id)
        workers = await monitoring.list_workers(conn, org_id=org_id, limit=200)
    return OverviewPage(at, rate, overview, queues, workers)
