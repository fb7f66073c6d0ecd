"""Summary of an org for `tenuto top` and for the status line of `tenuto up`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenuto.cli.output import cell, table

if TYPE_CHECKING:
    from tenuto.model.monitoring import QueueStatus, WorkerStatus
    from tenuto.model.overview import OrgStatus
    from tenuto.sdk.operations.base import Operations

COUNTS = ("ready", "running", "delayed", "waiting", "pending")
QUEUE_COLUMNS = ("name", "ready", "running", "delayed", "waiting", "oldest_ready_seconds", "paused_at")
WORKER_COLUMNS = ("id", "status", "health_status", "running", "labels", "last_heartbeat")


@dataclass(frozen=True)
class OverviewPage:
    """One snapshot. Counts have a maximum, so that counting millions of tasks takes no longer than counting
    thousands."""

    overview: "OrgStatus"
    queues: "list[QueueStatus]"
    workers: "list[WorkerStatus]"

    @property
    def page(self) -> str:
        """Return the summary with tables of queues and workers."""
        parts = [status_line(self.overview)]
        for columns, items in ((QUEUE_COLUMNS, self.queues), (WORKER_COLUMNS, self.workers)):
            rows = [[cell(getattr(item, column)) for column in columns] for item in items]
            parts.append(table(columns, rows))
        return "\n\n".join(parts)


def status_line(status: "OrgStatus") -> str:
    """Return the status of an org as one line."""
    if status.copy_problem is not None:
        return f"{status.copy_problem}: nothing runs here; see `tenuto doctor`"
    parts = [f"{name} {getattr(status, name):,}" for name in COUNTS]
    parts += [f"{status.per_second:,.0f}/s"]
    parts += [f"workers {status.workers_alive}", f"dispatchers {status.dispatchers}"]
    trouble = {
        "failed": status.failed_last_minute,
        "lost": status.lost_last_minute,
        "stuck": status.stuck_tasks,
        "dead workers": status.health.get("dead", 0),
        "unhealthy workers": sum(n for health, n in status.health.items() if health not in ("healthy", "dead")),
        "dead effects": status.outbox_dead,
        "parked rows": status.parked,
        "blocked by code": status.blocked,
    }
    return "  ".join(parts + [f"{name} {count:,}" for name, count in trouble.items() if count])


async def fetch_overview(tenuto: "Operations") -> OverviewPage:
    """Fetch a snapshot."""
    return OverviewPage(await tenuto.get_status(), await tenuto.list_queues(), await tenuto.list_workers())
