"""Child tasks: tasks that a running task starts and whose results it can await."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from tenuto.sdk.task import Task

if TYPE_CHECKING:
    from tenuto.sdk.context.context import Context

R = TypeVar("R")


class ChildFailed(Exception):
    """A child task did not complete. `status` tells how it ended, `error` why."""

    def __init__(self, task: str, task_id: str, status: str, error: Any) -> None:
        reason: Any = cast("Any", error).get("message") if isinstance(error, dict) else error
        super().__init__(f"child {task} ({task_id}) {status}" + (f": {reason}" if reason else ""))
        self.task_id = task_id
        self.status = status
        self.error: Any = error  # pyright: ignore[reportUnknownMemberType]


@dataclass(frozen=True)
class Child(Generic[R]):
    """A child task that was started."""

    task_id: str
    task: Task[..., R]


class Starting(Generic[R]):
    """A child task that is not started yet. Await it to start it now, or pass it to `ctx.gather`, which starts all at
    once."""

    def __init__(self, context: "Context", task: Task[..., R], input: str, detail: dict[str, Any]) -> None:
        self.context = context
        self.task = task
        self.input = input
        self.detail = detail  # the child's entry of `p_details`

    def __await__(self) -> Generator[Any, Any, Child[R]]:
        return self._start().__await__()

    async def _start(self) -> Child[R]:
        (child,) = await self.context.start_all([self])
        return child
