"""Waits for a run in a test. Raises an error if no worker runs, instead of waiting forever."""

import asyncio
from collections.abc import Callable
from uuid import UUID

from tenuto.db import monitoring
from tenuto.model.monitoring import FINAL, RunResult
from tenuto.sdk.client.run_watcher import Watcher
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.errors import WaitTimeout

NO_WORK_SECONDS = 2.0  # of the real clock: another asyncio task may be about to call tn.work()
INLINE_WORKER = "test"


class NotEnded(WaitTimeout):
    """The test waits for a run that has not ended, while no worker runs."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(run_id, NO_WORK_SECONDS)
        self.args = (
            f"run {run_id} has not ended, and no worker runs: call `tn.work()` first; "
            "if the run waits for a time, move the clock first: `tn.clock.advance(…)`",
        )


class IsolatedWatcher(Watcher):
    """Waits for the end of a run while a worker runs: `tn.work()`, or a real worker on the same database. If none runs,
    raises NotEnded."""

    def __init__(self, transport: SqlTransport, works: Callable[[], bool]) -> None:
        super().__init__(transport)
        self._sql, self._works = transport, works

    async def ended(self, run_id: UUID) -> RunResult:
        waiting = asyncio.ensure_future(super().ended(run_id))
        try:
            while not (await asyncio.wait({waiting}, timeout=NO_WORK_SECONDS))[0]:
                if not (self._works() or await self._other_workers() or await self._has_ended(run_id)):
                    raise NotEnded(run_id)
            return waiting.result()
        finally:
            waiting.cancel()

    async def _has_ended(self, run_id: UUID) -> bool:
        run = await self._sql.pool.call(monitoring.get_run, org_id=self._sql.org_id, run_id=run_id)
        return run.status in FINAL

    async def _other_workers(self) -> bool:
        workers = await self._sql.pool.call(monitoring.list_workers, org_id=self._sql.org_id, status="active", limit=2)
        return any(worker.id != INLINE_WORKER for worker in workers)
