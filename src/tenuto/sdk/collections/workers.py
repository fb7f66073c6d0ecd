"""Workers and dispatchers: `await tn.workers.list()`, `await tn.workers.drain("w-1")`."""

from typing import TYPE_CHECKING

from tenuto.model.monitoring import DispatcherInfo, WorkerStatus
from tenuto.model.workers import WorkerLife, WorkerLogEntry
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations


class WorkerCollection:
    """The workers of an org."""

    def __init__(self, operations: "Operations") -> None:
        self._operations = operations

    async def get(self, id: str) -> WorkerStatus:
        """Return a worker with the number of attempts that it holds."""
        return await self._operations.get_worker(id)

    async def logs(self, id: str, *, after: int | None = None, limit: int = 200) -> list[WorkerLogEntry]:
        """Return the newest lines of a worker's log, oldest first, or the lines after line `after`. Lines are kept for
        48 hours."""
        return await self._operations.read_worker_logs(id, after=after, limit=limit)

    async def history(self, id: str) -> list[WorkerLife]:
        """Return the sessions of a worker, newest first: when each began and ended, and why it ended."""
        return await all_pages(lambda last: self._operations.list_worker_history(id, before=last and last.session_id))

    async def drain(self, id: str, reason: str | None = None) -> None:
        """Drain a worker: it finishes the tasks that it runs, claims no more tasks and exits."""
        await self._operations.drain_worker(id, reason)

    async def terminate(self, id: str) -> None:
        """Terminate a worker: its session ends, and other workers get its tasks. If its process is alive, it registers
        again."""
        await self._operations.terminate_worker(id)

    async def list(self, *, status: str | None = None) -> list[WorkerStatus]:
        """Return the workers with this status, by id. Without a status, return all workers that are not terminated."""
        return await all_pages(lambda last: self._operations.list_workers(status=status, after=last and last.id))


class SyncWorkerCollection:
    """The workers of an org, for synchronous code."""

    def __init__(self, workers: WorkerCollection, wait: Wait) -> None:
        self._workers, self._wait = workers, wait

    def get(self, id: str) -> WorkerStatus:
        """Return a worker with the number of attempts that it holds."""
        return self._wait(self._workers.get(id))

    def logs(self, id: str, *, after: int | None = None, limit: int = 200) -> list[WorkerLogEntry]:
        """Return the newest lines of a worker's log, oldest first, or the lines after line `after`. Lines are kept for
        48 hours."""
        return self._wait(self._workers.logs(id, after=after, limit=limit))

    def history(self, id: str) -> list[WorkerLife]:
        """Return the sessions of a worker, newest first: when each began and ended, and why it ended."""
        return self._wait(self._workers.history(id))

    def drain(self, id: str, reason: str | None = None) -> None:
        """Drain a worker: it finishes the tasks that it runs, claims no more tasks and exits."""
        self._wait(self._workers.drain(id, reason))

    def terminate(self, id: str) -> None:
        """Terminate a worker: its session ends, and other workers get its tasks. If its process is alive, it registers
        again."""
        self._wait(self._workers.terminate(id))

    def list(self, *, status: str | None = None) -> list[WorkerStatus]:
        """Return the workers with this status, by id. Without a status, return all workers that are not terminated."""
        return self._wait(self._workers.list(status=status))


class DispatcherCollection:
    """The dispatchers, which serve all orgs."""

    def __init__(self, operations: "Operations") -> None:
        self._operations = operations

    async def list(self) -> list[DispatcherInfo]:
        """Return the dispatchers with a heartbeat in the last hour, latest heartbeat first."""
        return await self._operations.list_dispatchers()


class SyncDispatcherCollection:
    """The dispatchers, for synchronous code."""

    def __init__(self, dispatchers: DispatcherCollection, wait: Wait) -> None:
        self._dispatchers, self._wait = dispatchers, wait

    def list(self) -> list[DispatcherInfo]:
        """Return the dispatchers with a heartbeat in the last hour, latest heartbeat first."""
        return self._wait(self._dispatchers.list())
