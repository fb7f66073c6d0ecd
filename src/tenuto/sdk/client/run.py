"""A run that was started: wait for it, stop it, try it again, look at it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload
from uuid import UUID

from tenuto.model.durations import Duration, seconds
from tenuto.model.monitoring import RunResult, RunStatus, TaskSummary
from tenuto.sdk.client.run_data import RemoteRunData
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.errors import RunCancelled, RunFailed, WaitTimeout
from tenuto.sdk.values.data_objects import follow

if TYPE_CHECKING:
    from tenuto.sdk.client.client import Client

R = TypeVar("R")


@dataclass(frozen=True)
class Progress:
    """How far a run is: tasks by how they ended, and the fraction that has."""

    status: str
    total: int
    completed: int
    failed: int
    cancelled: int
    skipped: int

    @property
    def fraction(self) -> float:
        ended = self.completed + self.failed + self.cancelled + self.skipped
        return ended / self.total if self.total else 0.0

    @property
    def over(self) -> bool:
        return self.status in ("completed", "failed", "cancelled")


class Run(Generic[R]):
    """Made by `tn.start` or `tn.run(id)`."""

    def __init__(
        self, client: "Client", id: UUID, read: Callable[[Any], R], *, created: bool = True, known: bool = True
    ) -> None:
        self.client = client
        self.id = id
        self.created = created  # False: a dedupe key was taken, and this is the run that took it
        self._read = read
        self._known = known  # to exist: nobody waits for what never was

    def __repr__(self) -> str:
        return f"<run {self.id}>"

    async def wait(self, timeout: Duration | None = None) -> str:
        """How it ended: completed, failed or cancelled."""
        return (await self._ended(timeout)).status

    async def result(self, timeout: Duration | None = None) -> R:
        """What it returned; raises RunFailed, RunCancelled or WaitTimeout."""
        end = await self._ended(timeout)
        if end.status == "failed":
            raise RunFailed(self.id, end.error)
        if end.status == "cancelled":
            raise RunCancelled(self.id, end.error)
        return self._read(await follow(end.output, self.client.link.get_object))

    async def _ended(self, timeout: Duration | None) -> RunResult:
        limit = None if timeout is None else seconds(timeout, "timeout")
        try:
            async with asyncio.timeout(limit):
                if not self._known:
                    await self.info()
                    self._known = True
                return await self.client.watcher.ended(self.id)
        except TimeoutError as error:
            raise WaitTimeout(self.id, limit or 0) from error

    async def info(self) -> RunStatus:
        """Everything about it now."""
        return await self.client.link.get_run(self.id)

    async def status(self) -> str:
        """Its state now."""
        return (await self.info()).status

    async def tasks(self) -> list[TaskSummary]:
        """Its tasks, in the order of the graph."""
        found: list[TaskSummary] = []
        page: list[TaskSummary] | None = None
        while page is None or len(page) == PAGE:
            before = page[-1].id if page else None
            page = await self.client.link.list_tasks(run_id=self.id, before=before, limit=PAGE)
            found.extend(page)
        return sorted(found, key=lambda task: (task.place, task.id))

    async def progress(self, every: Duration = 0.2) -> AsyncIterator[Progress]:
        """How far it is, whenever that changed, until it is over: `async for step in run.progress(): …`."""
        pause = seconds(every, "every", positive=True)
        last: Progress | None = None
        while last is None or not last.over:
            info = await self.info()
            now = Progress(
                info.status,
                info.total_tasks,
                info.completed_tasks,
                info.failed_tasks,
                info.cancelled_tasks,
                info.skipped_tasks,
            )
            if now != last:
                last = now
                yield now
            else:
                await asyncio.sleep(pause)

    @property
    def data(self) -> RemoteRunData:
        """What its tasks share: `await run.data["key"]`."""
        return RemoteRunData(self.client, self.id)

    async def cancel(self, reason: str | None = None) -> None:
        """Stop it and everything below it."""
        await self.client.link.cancel_run(self.id, reason)

    async def retry(self, *, reuse: bool = True) -> "Run[R]":
        """A new run of the same graph; completed tasks keep their outputs unless `reuse` is False."""
        id = await self.client.link.retry_run(self.id, reuse=reuse)
        return Run(self.client, id, self._read)

    async def delete(self) -> None:
        """Delete it, once it has ended, with everything it has."""
        await self.client.link.delete_run(self.id)

    async def signal(self, name: str, value: Any = None) -> None:
        """Send a message that a task of it waits for, or will wait for."""
        await self.client.signal(self, name, value)


class Runs(Sequence[Run[R]]):
    """The runs of one `start_many`, in order."""

    def __init__(self, client: "Client", ids: Sequence[UUID | str], read: Callable[[Any], R]) -> None:
        self._client, self._ids, self._read = client, ids, read

    @property
    def ids(self) -> list[UUID]:
        return [_uuid(id) for id in self._ids]

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> Run[R]: ...
    @overload
    def __getitem__(self, index: slice) -> "Runs[R]": ...
    def __getitem__(self, index: int | slice) -> "Run[R] | Runs[R]":
        if isinstance(index, slice):
            return Runs(self._client, self._ids[index], self._read)
        return Run(self._client, _uuid(self._ids[index]), self._read)

    def __iter__(self) -> Iterator[Run[R]]:
        return (self[index] for index in range(len(self)))

    async def results(self, timeout: Duration | None = None) -> list[R]:
        """What they returned, in order; the first that failed raises."""
        return await asyncio.gather(*(run.result(timeout) for run in self))


def _uuid(id: UUID | str) -> UUID:
    return id if isinstance(id, UUID) else UUID(id)
