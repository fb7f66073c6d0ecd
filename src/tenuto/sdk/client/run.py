"""Handle of a started run: wait for it, read its result and progress, cancel it, retry it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, overload
from uuid import UUID

from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import TooLarge
from tenuto.model.json import Json
from tenuto.model.monitoring import FINAL, RunResult, RunStatus, TaskSummary
from tenuto.sdk.client.run_data import RemoteRunData
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.errors import RunCancelled, RunFailed, WaitTimeout
from tenuto.sdk.values.data_objects import follow

if TYPE_CHECKING:
    from tenuto.sdk.client.client import Client

R = TypeVar("R")


@dataclass(frozen=True)
class Progress:
    """Progress of a run: the number of tasks per outcome and the fraction that has ended."""

    status: str
    total: int
    completed: int
    failed: int
    cancelled: int
    skipped: int

    @property
    def fraction(self) -> float:
        """The fraction of tasks that have ended, from 0 to 1."""
        ended = self.completed + self.failed + self.cancelled + self.skipped
        return ended / self.total if self.total else 0.0

    @property
    def over(self) -> bool:
        """Whether the run has ended."""
        return self.status in FINAL


class Run(Generic[R]):
    """Handle of a run, created by `tn.start` or `tn.run(id)`."""

    def __init__(
        self, client: "Client", id: UUID, read: Callable[[Json], R], *, created: bool = True, known: bool = True
    ) -> None:
        self.client = client
        self.id = id
        self.created = created  # False: a run with this dedupe key already existed, and this is it
        self._read = read
        self._known = known  # False: check first that the run exists, instead of waiting forever

    def __repr__(self) -> str:
        return f"<run {self.id}>"

    async def wait(self, timeout: Duration | None = None) -> str:
        """Wait until the run ends. Return its status: completed, failed or cancelled."""
        return (await self._ended(timeout)).status

    async def result(self, timeout: Duration | None = None) -> R:
        """Wait for the run and return its result. Raises RunFailed, RunCancelled, WaitTimeout, or
        TooLarge for outputs of more than 16 MB together."""
        end = await self._ended(timeout)
        if end.status == "failed":
            raise RunFailed(self.id, end.error)
        if end.status == "cancelled":
            raise RunCancelled(self.id, end.error)
        if end.output_omitted:
            raise TooLarge(
                f"the outputs of run {self.id} have more than 16 MB together",
                "read those of its tasks one by one, or return data objects",
            )
        return self._read(await follow(end.output, self.client.transport.get_object))

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
        """Return the run's current status, task counts and times."""
        return await self.client.transport.get_run(self.id)

    async def status(self) -> str:
        """Return the run's current status."""
        return (await self.info()).status

    async def tasks(self) -> list[TaskSummary]:
        """Return the run's tasks, in the order of the graph."""
        tasks: list[TaskSummary] = []
        page: list[TaskSummary] | None = None
        while page is None or len(page) == PAGE:
            before = page[-1].id if page else None
            page = await self.client.transport.list_tasks(run_id=self.id, before=before, limit=PAGE)
            tasks.extend(page)
        return sorted(tasks, key=lambda task: (task.position, task.id))

    async def progress(self, every: Duration = 0.2) -> AsyncIterator[Progress]:
        """Yield the progress each time it changes, until the run ends: `async for step in run.progress(): …`."""
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
        """Data that the tasks of the run share: `await run.data["key"]`."""
        return RemoteRunData(self.client, self.id)

    async def cancel(self, reason: str | None = None) -> None:
        """Cancel the run and all its tasks, including child tasks."""
        await self.client.transport.cancel_run(self.id, reason)

    async def retry(self, *, reuse: bool = True) -> "Run[R]":
        """Start a new run of the same graph. Completed tasks keep their outputs unless `reuse` is False."""
        id = await self.client.transport.retry_run(self.id, reuse=reuse)
        return Run(self.client, id, self._read)

    async def delete(self) -> None:
        """Delete an ended run with its tasks, outputs and data."""
        await self.client.transport.delete_run(self.id)

    async def signal(self, name: str, value: object = None) -> None:
        """Send a signal to the run. A task receives it with `ctx.wait(name)`, even if it only starts waiting later."""
        await self.client.signal(self, name, value)


class Runs(Sequence[Run[R]]):
    """The runs of one `start_many`, in the order of the items."""

    def __init__(self, client: "Client", ids: Sequence[UUID | str], read: Callable[[Json], R]) -> None:
        self._client, self._ids, self._read = client, ids, read

    @property
    def ids(self) -> list[UUID]:
        """The ids of the runs, in order."""
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
        """Wait for all runs and return their results, in order. Raises the error of the first run found to have
        failed."""
        return await asyncio.gather(*(run.result(timeout) for run in self))


def _uuid(id: UUID | str) -> UUID:
    return id if isinstance(id, UUID) else UUID(id)
