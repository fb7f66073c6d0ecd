"""Handle of a started run: wait for it, read its result and progress, cancel it, retry it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, overload
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.db.connection.errors import Away, Unreachable
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.model.filters import TaskListFilter
from tenuto.model.json import Json
from tenuto.model.monitoring import FINAL, RunInput, RunResult, RunStatus, TaskSummary
from tenuto.model.run_data import RunLogLine
from tenuto.sdk.client.open_runs import add_statement, build_additions
from tenuto.sdk.client.run_collection import as_metadata
from tenuto.sdk.client.run_data import RemoteRunData
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.errors import RunCancelled, RunFailed, WaitTimeout
from tenuto.sdk.graphs.compose import Composition
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.option_types import ManyOptions, StartOptions, shows_options
from tenuto.sdk.other_projects import describe_others
from tenuto.sdk.task import AnyTask
from tenuto.sdk.task_reference import named_task
from tenuto.sdk.values.data_objects import follow

if TYPE_CHECKING:
    from tenuto.sdk.client.client import Client

MAX_EXPLAINED_TASKS = 20  # that `run.why()` explains
OPEN = "the run is open: it ends when it is closed and its tasks have ended"
R = TypeVar("R")


@dataclass(frozen=True)
class Progress:
    """Progress of a run: the number of tasks per outcome, the fraction that is done and the latest message. Tasks that
    report their progress with `ctx.progress` count with the fraction that they reported last."""

    status: str
    total: int
    completed: int
    failed: int
    cancelled: int
    skipped: int
    fraction: float
    message: str | None

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
        """The id of the run."""
        self.created = created
        """Whether the call that returned this handle created the run. False if a run with this dedupe key or id existed
        before; this is then the handle of that run."""
        self._read = read
        self._known = known  # False: check first that the run exists, instead of waiting forever

    def __repr__(self) -> str:
        return f"<run {self.id}>"

    async def wait(self, timeout: Duration | None = None) -> str:
        """Wait until the run ends. Return its status: completed, failed or cancelled."""
        return (await self._ended(timeout)).status

    async def result(self, timeout: Duration | None = None) -> R:
        """Wait for the run and return its result. Raises RunFailed, RunCancelled, WaitTimeout, or TooLarge if its
        outputs have more than 16 MB together."""
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
                    await self._check()
                    self._known = True
                return await self.client.watcher.ended(self.id)
        except WaitTimeout:
            raise
        except TimeoutError as error:
            if problem := self.client.transport.problem:
                raise Away(f"it is not known whether run {self.id} has ended: {problem}") from error
            raise WaitTimeout(self.id, limit or 0, describe_others(self.client.embedded)) from error

    async def _check(self) -> None:
        """Raise NotFound if there is no such run."""
        try:
            await self.info()
        except Unreachable:  # the connection broke in an earlier outage; the next call uses a new one
            await self.info()

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
            page = await self.client.transport.list_tasks(TaskListFilter(self.id), before=before)
            tasks.extend(page)
        return sorted(tasks, key=lambda task: (task.position, task.id))

    async def logs(self) -> list[RunLogLine]:
        """Return the log lines of all tasks of the run, by time."""
        lines = page = await self.client.operations.read_run_logs(self.id)
        while page:
            last = page[-1]
            page = await self.client.operations.read_run_logs(
                self.id,
                after=last.logged_at,
                after_task=last.task_id,
                after_attempt=last.attempt,
                after_line=last.line_no,
            )
            lines = lines + page
        return lines

    async def inputs(self) -> list[RunInput]:
        """Return the inputs of the tasks that depend on no other task, in the order of the graph."""
        inputs: list[RunInput] = []
        page: list[RunInput] | None = None
        while page is None or len(page) == PAGE:
            page = await self.client.transport.list_run_inputs(self.id, after=len(inputs) - 1, limit=PAGE)
            inputs.extend(page)
        return inputs

    async def why(self) -> list[str]:
        """Return one sentence for each of the 20 newest tasks that have not ended: why it has not. For an open run, one
        more sentence says that it waits to be closed."""
        tasks = await self.client.transport.list_tasks(TaskListFilter(self.id))
        waiting = [task.id for task in tasks if task.completed_at is None][:MAX_EXPLAINED_TASKS]
        reasons = [await self.client.transport.explain_task(task_id) for task_id in waiting]
        return [*reasons, OPEN] if (await self.info()).open else reasons

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
                info.fraction,
                info.message,
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

    async def retry(self, *, reuse: bool = True, force: bool = False, from_: str | None = None) -> "Run[R]":
        """Start a new run of the same graph. Completed tasks keep their outputs unless `reuse` is False. `from_`: the
        name or type of completed tasks, or the name of a completed step, to run again. Raises Conflict if this run was
        retried before, unless `force` is True."""
        id = await self.client.transport.retry_run(self.id, reuse=reuse, force=force, from_name=from_)
        return Run(self.client, id, self._read)

    async def set_metadata(self, changes: Mapping[str, Json]) -> None:
        """Set keys of the run's metadata, even after it has ended; None removes a key, and the other keys stay."""
        await self.client.transport.set_run_metadata(self.id, as_metadata(changes) or {})

    async def delete(self) -> None:
        """Delete an ended run with its tasks, outputs and data."""
        await self.client.transport.delete_run(self.id)

    @shows_options(StartOptions)
    async def add(self, task: AnyTask | Graph | Composition | str, /, *args: object, **kwargs: object) -> list[UUID]:
        """Add a task, a graph, a chain or a group to the open run, and return the ids of the tasks, in order. With
        `task_id=`, a UUID that you made, repeated calls add the task only once. Raises Conflict if the run is not
        open."""
        return await self.add_request(*self.client.build_addition(task, args, kwargs))

    @shows_options(ManyOptions)
    async def add_many(
        self, task: AnyTask | str, items: Iterable[object], /, **options: Unpack[ManyOptions]
    ) -> list[UUID]:
        """Add a task per item to the open run, all or none. Items are passed as to `tn.start_many`."""
        return await self.add_request(*self.build_many(task, items, options))

    def build_many(
        self, task: AnyTask | str, items: Iterable[object], options: ManyOptions
    ) -> tuple[StartRequest, object]:
        """Return the request to add a task per item, and the caller's connection, or None without a connection."""
        known = named_task(self.client.app, task) if isinstance(task, str) else task
        connection = options.pop("connection", known.start_options.get("connection"))
        return build_additions(known, items, options), connection

    async def add_request(self, request: StartRequest, connection: object = None) -> list[UUID]:
        """Add the requested tasks. With a connection, they are added in the current transaction of this connection."""
        if connection is None:
            return await self.client.transport.add_tasks(self.id, request)
        statement = add_statement(request, self.client.direct.org_id, self.id)
        return [added.run_id for added in await start_statements.execute_start(connection, statement)]

    async def close(self, *, connection: object = None) -> None:
        """Close the open run: no more tasks can be added, and it ends when its tasks have ended."""
        if connection is None:
            await self.client.transport.close_run(self.id)
        else:
            statement = start_statements.close_run(org_id=self.client.direct.org_id, run_id=self.id)
            await start_statements.execute_start(connection, statement)

    async def release(self) -> bool:
        """Release a run that was started or opened with `hold=True`, so that its tasks can start. Return whether the
        run was held: a second call returns False. Raises Conflict if the run was cancelled while it was held."""
        return await self.client.transport.release_run(self.id)

    async def signal(self, name: str, value: object = None) -> None:
        """Send a signal to the run. A task receives it with `ctx.wait(name)`, even if it only starts waiting later."""
        await self.client.signal(self, name, value)


class Runs(Sequence[Run[R]]):
    """The runs of one `start_many`, in the order of the items."""

    def __init__(
        self,
        client: "Client",
        ids: Sequence[UUID | str],
        read: Callable[[Json], R],
        *,
        created: Sequence[bool],
        known: bool,
    ) -> None:
        self._client, self._ids, self._read = client, ids, read
        self._created, self._known = created, known  # `created` is empty if all runs are new

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
            ids, created = self._ids[index], self._created[index]
            return Runs(self._client, ids, self._read, created=created, known=self._known)
        created = self._created[index] if self._created else True
        return Run(self._client, _uuid(self._ids[index]), self._read, created=created, known=self._known)

    def __iter__(self) -> Iterator[Run[R]]:
        return (self[index] for index in range(len(self)))

    async def results(self, timeout: Duration | None = None) -> list[R]:
        """Wait for all runs and return their results, in order. As soon as one run is found to have failed, raises its
        error without waiting for the others."""
        return await asyncio.gather(*(run.result(timeout) for run in self))


def as_id(run: Run[Any] | UUID | str) -> UUID:
    """Return the id of a run that was passed as a handle, UUID or text."""
    if isinstance(run, Run):
        return run.id
    try:
        return run if isinstance(run, UUID) else UUID(run)
    except (ValueError, AttributeError, TypeError) as error:
        raise InvalidInput(f"{run!r:.60} is not the id of a run", "pass a run, or its id") from error


def _uuid(id: UUID | str) -> UUID:
    return id if isinstance(id, UUID) else UUID(id)
