"""Handles of started runs for synchronous code."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar, Unpack, overload
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.model.durations import Duration
from tenuto.model.json import Json
from tenuto.model.monitoring import RunInput, RunStatus, TaskSummary
from tenuto.model.run_data import RunLogLine
from tenuto.sdk.client.open_runs import add_statement
from tenuto.sdk.client.run import Progress, Run, Runs
from tenuto.sdk.client.run_data import RemoteRunData, SyncRemoteRunData
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.graphs.compose import Composition
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.option_types import ManyOptions, StartOptions, shows_options
from tenuto.sdk.task import AnyTask

if TYPE_CHECKING:
    from tenuto.sdk.client.sync import SyncClient

R = TypeVar("R")


class SyncRun(Generic[R]):
    """Handle of a run, for synchronous code."""

    def __init__(self, client: "SyncClient", run: Run[R]) -> None:
        self.client, self._run, self._wait = client, run, client.wait_for
        self.id, self.created = run.id, run.created
        self.data = SyncRemoteRunData(RemoteRunData(client.client, run.id), client.wait_for)

    def __repr__(self) -> str:
        return repr(self._run)

    def wait(self, timeout: Duration | None = None) -> str:
        """Wait until the run ends. Return its status: completed, failed or cancelled."""
        return self._wait(self._run.wait(timeout))

    def result(self, timeout: Duration | None = None) -> R:
        """Wait for the run and return its result. Raises RunFailed, RunCancelled, WaitTimeout, or TooLarge if its
        outputs have more than 16 MB together."""
        return self._wait(self._run.result(timeout))

    def info(self) -> RunStatus:
        """Return the run's current status, task counts and times."""
        return self._wait(self._run.info())

    def status(self) -> str:
        """Return the run's current status."""
        return self._wait(self._run.status())

    def tasks(self) -> list[TaskSummary]:
        """Return the run's tasks, in the order of the graph."""
        return self._wait(self._run.tasks())

    def logs(self) -> list[RunLogLine]:
        """Return the log lines of all tasks of the run, by time."""
        return self._wait(self._run.logs())

    def why(self) -> list[str]:
        """Return one sentence for each task that has not ended. The sentence explains why. Only the 20 newest of these
        tasks get a sentence. For an open run, one more sentence says that it waits to be closed."""
        return self._wait(self._run.why())

    def inputs(self) -> list[RunInput]:
        """Return the inputs of the run by position: the inputs of the tasks that depend on no other task, in the order
        of the graph."""
        return self._wait(self._run.inputs())

    def progress(self, every: Duration = 0.2) -> Iterator[Progress]:
        """Yield the progress each time it changes, until the run ends."""
        steps = self._run.progress(every)
        while (step := self._wait(_next(steps))) is not None:
            yield step

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the run and all its tasks, including child tasks."""
        self._wait(self._run.cancel(reason))

    def retry(self, *, reuse: bool = True, force: bool = False, from_: str | None = None) -> "SyncRun[R]":
        """Start a new run of the same graph. Completed tasks keep their outputs unless `reuse` is False. `from_`: the
        name or type of completed tasks, or the name of a completed step, to run again. Raises Conflict if this run was
        retried before, unless `force` is True."""
        return SyncRun(self.client, self._wait(self._run.retry(reuse=reuse, force=force, from_=from_)))

    def set_metadata(self, changes: Mapping[str, Json]) -> None:
        """Set keys of the run's metadata, even after it has ended; None removes a key, and the other keys stay."""
        self._wait(self._run.set_metadata(changes))

    def delete(self) -> None:
        """Delete an ended run with its tasks, outputs and data."""
        self._wait(self._run.delete())

    @shows_options(StartOptions)
    def add(self, task: AnyTask | Graph | Composition | str, /, *args: object, **kwargs: object) -> list[UUID]:
        """Add a task, a graph, a chain or a group to the open run, and return the ids of the tasks, in order. With
        `task_id=`, a UUID that you made, repeated calls add the task only once. Raises Conflict if the run is not
        open."""
        return self._add(*self.client.client.build_addition(task, args, kwargs))

    @shows_options(ManyOptions)
    def add_many(self, task: AnyTask | str, items: Iterable[object], /, **options: Unpack[ManyOptions]) -> list[UUID]:
        """Add a task to the open run for each item. Items are passed as to `tn.start_many`. Either all tasks are added
        or none."""
        return self._add(*self._run.build_many(task, items, options))

    def _add(self, request: StartRequest, connection: object) -> list[UUID]:
        if connection is None:
            return self._wait(self._run.add_request(request))
        statement = add_statement(request, self.client.client.direct.org_id, self.id)
        return [added.run_id for added in start_statements.execute_start_sync(connection, statement)]

    def close(self, *, connection: object = None) -> None:
        """Close the open run: no more tasks can be added, and it ends when its tasks have ended."""
        if connection is None:
            self._wait(self._run.close())
        else:
            statement = start_statements.close_run(org_id=self.client.client.direct.org_id, run_id=self.id)
            start_statements.execute_start_sync(connection, statement)

    def release(self) -> bool:
        """Release a run that was started or opened with `hold=True`, so that its tasks can start. Return whether the
        run was held: a second call returns False. Raises Conflict if the run was cancelled while it was held."""
        return self._wait(self._run.release())

    def signal(self, name: str, value: object = None) -> None:
        """Send a signal to the run. A task receives it with `ctx.wait(name)`, even if it only starts waiting later."""
        self._wait(self._run.signal(name, value))


class SyncRuns(Sequence[SyncRun[R]]):
    """The runs of one `start_many`, in the order of the items."""

    def __init__(self, client: "SyncClient", runs: Runs[R]) -> None:
        self._client, self._runs = client, runs

    @property
    def ids(self) -> list[UUID]:
        return self._runs.ids

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> SyncRun[R]: ...
    @overload
    def __getitem__(self, index: slice) -> "SyncRuns[R]": ...
    def __getitem__(self, index: int | slice) -> "SyncRun[R] | SyncRuns[R]":
        if isinstance(index, slice):
            return SyncRuns(self._client, self._runs[index])
        return SyncRun(self._client, self._runs[index])

    def results(self, timeout: Duration | None = None) -> list[R]:
        """Wait for all runs and return their results, in order. As soon as one run is found to have failed, raises its
        error without waiting for the others."""
        return self._client.wait_for(self._runs.results(timeout))


async def _next(steps: AsyncIterator[Progress]) -> Progress | None:
    return await anext(steps, None)
