"""How things are at a glance: numbers for `top` and for the line that `up` keeps alive."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.cli.output import cell, table

if TYPE_CHECKING:
    from tenuto.db.pool import Pool
    from tenuto.model.monitoring import QueueStatus, WorkerStatus

QUEUE_COLUMNS = ("queue", "ready", "running", "delayed", "waiting", "waiting_seconds", "paused_at")
WORKER_COLUMNS = ("id", "status", "running", "labels", "last_heartbeat")

ALIVE = timedelta(seconds=30)  # since its last beat: three are missing


@dataclass(frozen=True)
class Glance:
    """One look; counts have bounds, so that a queue of millions costs no more than one of thousands."""

    dispatchers: int
    queues: "list[QueueStatus]"
    workers: "list[WorkerStatus]"

    def total(self, column: str) -> int:
        return sum(getattr(queue, column) for queue in self.queues)

    @property
    def line(self) -> str:
        """Everything in one line."""
        counts = "  ".join(f"{column} {self.total(column):,}" for column in ("ready", "running", "delayed", "waiting"))
        return f"{counts}  workers {len(self.workers)}  dispatchers {self.dispatchers}"

    @property
    def page(self) -> str:
        """Everything on one page."""
        parts = [self.line]
        for columns, items in ((QUEUE_COLUMNS, self.queues), (WORKER_COLUMNS, self.workers)):
            rows = [[cell(getattr(item, column)) for column in columns] for item in items]
            parts.append(table(columns, rows))
        return "\n\n".join(parts)


async def look(pool: "Pool", org_id: UUID) -> Glance:
    from tenuto.db import monitoring, upkeep

    async with pool.connection() as conn:
        now = await upkeep.now(conn)
        alive = await monitoring.list_dispatchers(conn)
        return Glance(
            sum(now - one.heartbeat < ALIVE for one in alive),
            await monitoring.list_queues(conn, org_id=org_id),
            await monitoring.list_workers(conn, org_id=org_id, limit=200),
        )
