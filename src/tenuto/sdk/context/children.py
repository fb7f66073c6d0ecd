"""Child tasks: tasks that a running task starts and whose results it can await."""

from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from tenuto.model.json import Json
from tenuto.model.stored_errors import describe_error
from tenuto.sdk.task import Task

if TYPE_CHECKING:
    from tenuto.sdk.context.context import Context

R = TypeVar("R")


class ChildFailed(Exception):
    """A child task did not complete. `status` tells how it ended, `error` why."""

    def __init__(self, task: str, task_id: str, status: str, error: Any) -> None:
        details = cast("Json", error)
        reason = details.get("message") if isinstance(details, dict) else None
        reason = reason or describe_error(details)
        super().__init__(f"child {task} ({task_id}) {status}" + (f": {reason}" if reason else ""))
        self.task_id = task_id
        self.status = status
        self.error: Any = error  # pyright: ignore[reportUnknownMemberType]


@dataclass(frozen=True)
class ChildStep:
    """The recorded step that started children. `handled`: an earlier attempt continued after a child of the step had
    failed."""

    no: int
    name: str
    handled: bool


@dataclass(frozen=True)
class Child(Generic[R]):
    """A child task that was started. `await child` waits for it and returns its result."""

    task_id: str
    task: Task[..., R]
    context: "Context" = field(repr=False, compare=False)
    step: ChildStep = field(repr=False, compare=False)

    def __await__(self) -> Generator[Any, Any, R]:
        return self._result().__await__()

    async def _result(self) -> R:
        (result,) = await self.context.gather(self)
        return result


class Starting(Generic[R]):
    """A child task that is not started yet. Await it to start it and wait for its result, or pass it to `ctx.gather`,
    which starts several children at once."""

    def __init__(self, context: "Context", task: Task[..., R], input: str, detail: dict[str, Any]) -> None:
        self.context = context
        self.task = task
        self.input = input
        self.detail = detail  # the child's entry of `p_details`

    def __await__(self) -> Generator[Any, Any, R]:
        return self._result().__await__()

    async def _result(self) -> R:
        (result,) = await self.context.gather(self)
        return result

    async def started(self) -> Child[R]:
        """Start the child now and return it without waiting for its result."""
        (child,) = await self.context.start_all([self])
        return child


@dataclass(frozen=True)
class SyncChild(Generic[R]):
    """A child task that was started by a plain function."""

    child: Child[R] = field(repr=False)
    wait: Callable[[Coroutine[Any, Any, list[R]]], list[R]] = field(repr=False, compare=False)

    @property
    def task_id(self) -> str:
        return self.child.task_id

    @property
    def task(self) -> Task[..., R]:
        return self.child.task

    def result(self) -> R:
        """Wait for the child and return its result. The waiting task occupies no worker slot."""
        (result,) = self.wait(self.child.context.gather(self.child))
        return result
