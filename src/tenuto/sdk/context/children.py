"""Tasks that a running task starts and owns, and what became of them."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from tenuto.sdk.task import Task

if TYPE_CHECKING:
    from tenuto.sdk.context.context import Context

R = TypeVar("R")


class ChildFailed(Exception):
    """A child did not complete; `status` says how it ended, `error` why."""

    def __init__(self, task: str, task_id: str, status: str, error: Any) -> None:
        reason: Any = cast("Any", error).get("message") if isinstance(error, dict) else error
        super().__init__(f"child {task} ({task_id}) {status}" + (f": {reason}" if reason else ""))
        self.task_id = task_id
        self.status = status
        self.error: Any = error  # pyright: ignore[reportUnknownMemberType]


@dataclass(frozen=True)
class Child(Generic[R]):
    """A child that was started."""

    task_id: str
    task: Task[..., R]


class Starting(Generic[R]):
    """A child about to be started: await it to start it now, or hand it to `ctx.gather`, which starts all at once."""

    def __init__(self, context: "Context", task: Task[..., R], input: str, detail: dict[str, Any]) -> None:
        self.context = context
        self.task = task
        self.input = input
        self.detail = detail  # what only this child has, as `p_details` takes it

    def __await__(self) -> Generator[Any, Any, Child[R]]:
        return self._start().__await__()

    async def _start(self) -> Child[R]:
        (child,) = await self.context.start_all([self])
        return child
