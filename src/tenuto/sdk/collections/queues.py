"""Queues, limits and task types: `await tn.queues.pause("mail")`, `await tn.limits.get("key", "eu")`."""

from typing import TYPE_CHECKING

from tenuto.model.monitoring import QueueStatus
from tenuto.model.queues import LimitStatus
from tenuto.model.task_types import TaskType, TaskTypeSummary
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations


class QueueCollection:
    """The queues of an org. `tn.purge_queue` cancels the tasks that wait in a queue."""

    def __init__(self, operations: "Operations") -> None:
        self._operations = operations

    async def pause(self, name: str, *, new: bool = False) -> None:
        """Pause a queue: workers claim no tasks from it until it is resumed. Raises NotFound for a queue that no task
        and no worker has named so far, unless `new` is True."""
        await self._operations.pause_queue(name, new=new)

    async def resume(self, name: str) -> None:
        """Resume a paused queue."""
        await self._operations.resume_queue(name)

    async def list(self) -> list[QueueStatus]:
        """Return the queues with the number of their tasks in each state."""
        return await self._operations.list_queues()


class SyncQueueCollection:
    """The queues of an org, for synchronous code."""

    def __init__(self, queues: QueueCollection, wait: Wait) -> None:
        self._queues, self._wait = queues, wait

    def pause(self, name: str, *, new: bool = False) -> None:
        """Pause a queue: workers claim no tasks from it until it is resumed. Raises NotFound for a queue that no task
        and no worker has named so far, unless `new` is True."""
        self._wait(self._queues.pause(name, new=new))

    def resume(self, name: str) -> None:
        """Resume a paused queue."""
        self._wait(self._queues.resume(name))

    def list(self) -> list[QueueStatus]:
        """Return the queues with the number of their tasks in each state."""
        return self._wait(self._queues.list())


class LimitCollection:
    """The limits of an org, and how much of each is used. Tasks declare them with `limit=` and `rate=`."""

    def __init__(self, operations: "Operations") -> None:
        self._operations = operations

    async def get(self, scope: str, key: str) -> LimitStatus:
        """Return a limit by its scope (key, queue or rate) and its key."""
        return await self._operations.get_limit(scope, key)

    async def set(self, scope: str, key: str, size: int) -> None:
        """Override the size of a concurrency limit (scope key or queue) until `reset` is called. Until then, workers,
        deploys and starts do not change the size. The limit of a job has the scope key and the key `job:JOB_KEY`."""
        await self._operations.set_limit(scope, key, size)

    async def reset(self, scope: str, key: str) -> None:
        """Undo `set`: remove the override of a limit."""
        await self._operations.reset_limit(scope, key)

    async def list(self, *, scope: str | None = None) -> list[LimitStatus]:
        """Return all limits, or only the limits of one scope, in the order of scope and key."""
        return await all_pages(
            lambda last: self._operations.list_limits(scope=scope, after=last and f"{last.scope}:{last.key}")
        )


class SyncLimitCollection:
    """The limits of an org, for synchronous code."""

    def __init__(self, limits: LimitCollection, wait: Wait) -> None:
        self._limits, self._wait = limits, wait

    def get(self, scope: str, key: str) -> LimitStatus:
        """Return a limit by its scope (key, queue or rate) and its key."""
        return self._wait(self._limits.get(scope, key))

    def set(self, scope: str, key: str, size: int) -> None:
        """Override the size of a concurrency limit (scope key or queue) until `reset` is called. Until then, workers,
        deploys and starts do not change the size. The limit of a job has the scope key and the key `job:JOB_KEY`."""
        self._wait(self._limits.set(scope, key, size))

    def reset(self, scope: str, key: str) -> None:
        """Undo `set`: remove the override of a limit."""
        self._wait(self._limits.reset(scope, key))

    def list(self, *, scope: str | None = None) -> list[LimitStatus]:
        """Return all limits, or only the limits of one scope, in the order of scope and key."""
        return self._wait(self._limits.list(scope=scope))


class TypeCollection:
    """The task types that workers declared or that bundles have."""

    def __init__(self, operations: "Operations") -> None:
        self._operations = operations

    async def get(self, type: str) -> TaskType:
        """Return a task type with its options and the JSON Schema of its arguments."""
        return await self._operations.get_type(type)

    async def list(self) -> list[TaskTypeSummary]:
        """Return all task types, by name."""
        return await all_pages(lambda last: self._operations.list_types(after=last and last.type))


class SyncTypeCollection:
    """The task types, for synchronous code."""

    def __init__(self, types: TypeCollection, wait: Wait) -> None:
        self._types, self._wait = types, wait

    def get(self, type: str) -> TaskType:
        """Return a task type with its options and the JSON Schema of its arguments."""
        return self._wait(self._types.get(type))

    def list(self) -> list[TaskTypeSummary]:
        """Return all task types, by name."""
        return self._wait(self._types.list())
