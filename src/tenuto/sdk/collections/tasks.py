"""Tasks: `await tn.tasks(status="failed")` lists them, `await tn.tasks.get(id)` returns one."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tenuto.model.counts import Count
from tenuto.model.filters import TaskListFilter
from tenuto.model.json import Json
from tenuto.model.monitoring import TaskStatus, TaskSummary
from tenuto.model.run_data import LogLine
from tenuto.model.tasks import TreeNode
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.client.run import Run
from tenuto.sdk.client.run_collection import Since, Statuses, as_metadata, read_statuses, read_time
from tenuto.sdk.client.sync_run import SyncRun
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.collections.pages import all_pages, read_uuid

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations


class TaskCollection:
    """The tasks of an org: `await tn.tasks(status="failed")` lists them. `status`: one status, or several, of which a
    task must have one. `job`: only tasks of this job, as DAG/JOB. `since`: only tasks created within this duration
    before now, or at this datetime or later. `until`: only tasks created before this time (a duration before now, or a
    datetime)."""

    def __init__(self, operations: "Operations", run_of: "Callable[[UUID], Run[Any]]") -> None:
        self._operations, self._run_of = operations, run_of

    async def __call__(
        self,
        *,
        run_id: UUID | str | None = None,
        status: Statuses | None = None,
        queue: str | None = None,
        type: str | None = None,
        job: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        since: Since | None = None,
        until: Since | None = None,
        most: int = PAGE,
    ) -> list[TaskSummary]:
        """Return up to `most` tasks of the org or of a run, newest first. `metadata`: keys and values that the metadata
        of each task must contain."""
        chosen = replace(
            _filter(run_id, status, queue, type, job, since, until),
            external_id=external_id,
            metadata=as_metadata(metadata),
        )
        return await all_pages(
            lambda last: self._operations.list_tasks(chosen, before=last and last.id, limit=min(PAGE, most)),
            most=most,
        )

    async def count(
        self,
        *,
        run_id: UUID | str | None = None,
        status: Statuses | None = None,
        queue: str | None = None,
        type: str | None = None,
        job: str | None = None,
        since: Since | None = None,
        until: Since | None = None,
    ) -> Count:
        """Return how many tasks match. Up to 10,000 the number is exact, above it is an estimate."""
        return await self._operations.count_tasks(_filter(run_id, status, queue, type, job, since, until))

    async def get(self, id: UUID | str) -> TaskStatus:
        """Return a task with its input, output, error and times."""
        return await self._operations.get_task(_task(id))

    async def tree(self, id: UUID | str) -> list[TreeNode]:
        """Return a task and all tasks below it: its children, their children and so on."""
        return await self._operations.get_task_tree(_task(id))

    async def logs(self, id: UUID | str) -> list[LogLine]:
        """Return all log lines of a task, without the log lines of its children."""
        lines: list[LogLine] = []
        page: list[LogLine] | None = None
        while page is None or page:
            attempt, line = (page[-1].attempt, page[-1].line_no) if page else (0, 0)
            page = await self._operations.read_logs(_task(id), after_attempt=attempt, after_line=line)
            lines += page
        return lines

    async def why(self, id: UUID | str) -> str:
        """Explain in one sentence why a task is not running."""
        return await self._operations.explain_task(_task(id))

    async def retry(self, id: UUID | str, *, force: bool = False) -> "Run[Any]":
        """Retry the ended run of a task as a new run, which reuses the completed tasks. Raises Conflict if that run was
        retried before, unless `force` is True."""
        run_id = (await self.get(id)).run_id
        retry = await self._operations.retry_run(run_id, reuse=True, force=force, from_name=None)
        return self._run_of(retry)

    async def cancel(self, id: UUID | str, reason: str | None = None) -> None:
        """Cancel a task and all tasks that it started, except tasks that have ended."""
        await self._operations.cancel_task(_task(id), reason)

    async def set_metadata(self, id: UUID | str, changes: Mapping[str, Json]) -> None:
        """Set keys of a task's metadata; None removes a key, and the other keys stay. The worker that runs the task
        does not receive these changes, only the metadata of the start."""
        await self._operations.set_task_metadata(_task(id), as_metadata(changes) or {})

    async def delete(self, id: UUID | str) -> None:
        """Delete a task of an ended run with the tasks that it started, their data and the run data that they wrote.
        The run cannot be retried any more. Raises Conflict for the task with which the run was started."""
        await self._operations.delete_task(_task(id))


class SyncTaskCollection:
    """The tasks of an org, for synchronous code. See TaskCollection."""

    def __init__(self, tasks: TaskCollection, wait: Wait, run_of: "Callable[[UUID], SyncRun[Any]]") -> None:
        self._tasks, self._wait, self._run_of = tasks, wait, run_of

    def __call__(
        self,
        *,
        run_id: UUID | str | None = None,
        status: Statuses | None = None,
        queue: str | None = None,
        type: str | None = None,
        job: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        since: Since | None = None,
        until: Since | None = None,
        most: int = PAGE,
    ) -> list[TaskSummary]:
        """Return up to `most` tasks of the org or of a run, newest first. `metadata`: keys and values that the metadata
        of each task must contain."""
        return self._wait(
            self._tasks(
                run_id=run_id,
                status=status,
                queue=queue,
                type=type,
                job=job,
                external_id=external_id,
                metadata=metadata,
                since=since,
                until=until,
                most=most,
            )
        )

    def count(
        self,
        *,
        run_id: UUID | str | None = None,
        status: Statuses | None = None,
        queue: str | None = None,
        type: str | None = None,
        job: str | None = None,
        since: Since | None = None,
        until: Since | None = None,
    ) -> Count:
        """Return how many tasks match. Up to 10,000 the number is exact, above it is an estimate."""
        return self._wait(
            self._tasks.count(run_id=run_id, status=status, queue=queue, type=type, job=job, since=since, until=until)
        )

    def get(self, id: UUID | str) -> TaskStatus:
        """Return a task with its input, output, error and times."""
        return self._wait(self._tasks.get(id))

    def tree(self, id: UUID | str) -> list[TreeNode]:
        """Return a task and all tasks below it: its children, their children and so on."""
        return self._wait(self._tasks.tree(id))

    def logs(self, id: UUID | str) -> list[LogLine]:
        """Return all log lines of a task, without the log lines of its children."""
        return self._wait(self._tasks.logs(id))

    def why(self, id: UUID | str) -> str:
        """Explain in one sentence why a task is not running."""
        return self._wait(self._tasks.why(id))

    def retry(self, id: UUID | str, *, force: bool = False) -> "SyncRun[Any]":
        """Retry the ended run of a task as a new run, which reuses the completed tasks. Raises Conflict if that run was
        retried before, unless `force` is True."""
        return self._run_of(self._wait(self._tasks.retry(id, force=force)).id)

    def cancel(self, id: UUID | str, reason: str | None = None) -> None:
        """Cancel a task and all tasks that it started, except tasks that have ended."""
        self._wait(self._tasks.cancel(id, reason))

    def set_metadata(self, id: UUID | str, changes: Mapping[str, Json]) -> None:
        """Set keys of a task's metadata; None removes a key, and the other keys stay. The worker that runs the task
        does not receive these changes, only the metadata of the start."""
        self._wait(self._tasks.set_metadata(id, changes))

    def delete(self, id: UUID | str) -> None:
        """Delete a task of an ended run with the tasks that it started, their data and the run data that they wrote.
        The run cannot be retried any more. Raises Conflict for the task with which the run was started."""
        self._wait(self._tasks.delete(id))


def _task(id: UUID | str) -> UUID:
    return read_uuid(id, "a task")


def _filter(
    run_id: UUID | str | None,
    status: Statuses | None,
    queue: str | None,
    type: str | None,
    job: str | None,
    since: Since | None,
    until: Since | None,
) -> TaskListFilter:
    return TaskListFilter(
        run_id=None if run_id is None else read_uuid(run_id, "a run"),
        statuses=read_statuses(status),
        queue=queue,
        type=type,
        job=job,
        since=read_time(since, "since"),
        until=read_time(until, "until"),
    )
