"""Steps with options: functions inside a task that have retries and a timeout of their own."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

from tenuto.model.durations import Duration
from tenuto.model.errors import InvalidInput
from tenuto.sdk.context.control import Fail, Retry
from tenuto.sdk.options import check_retry, check_shared
from tenuto.sdk.retries import NEVER, RetryPolicy, pause_after
from tenuto.sdk.values.codecs import result_codec

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

DEFAULT_MAX_ATTEMPTS = 3  # the same as for a task


@dataclass(frozen=True)
class Step(Generic[P, R_co]):
    """A function with options for `ctx.step`, created by `@step(…)`. Calling it runs the function directly."""

    function: Callable[P, R_co]
    max_attempts: int = 1
    retry: RetryPolicy | None = None
    timeout: float | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        return self.function(*args, **kwargs)

    def pause_after(self, error: Exception, tries: int) -> float | None:
        """Return the seconds until the step is tried again after this many failed tries, or None for no further try."""
        if tries >= self.max_attempts or isinstance(error, Fail):
            return None
        if isinstance(error, Retry) and error.after is not None:
            return error.after
        pause = pause_after(self.retry, error, tries)
        return None if pause == NEVER else pause


def step(
    *, max_attempts: int | None = None, retry: RetryPolicy | None = None, timeout: Duration | None = None
) -> Callable[[Callable[P, R]], Step[P, R]]:
    """Give a function options for `ctx.step`: `@step(max_attempts=5, retry=Fixed("10s"), timeout="30s")`. The options
    mean the same as for a task. The task occupies no worker slot between two tries."""

    def declare(function: Callable[P, R]) -> Step[P, R]:
        what = f"step function {getattr(function, '__name__', repr(function))}"
        given = {"max_attempts": max_attempts, "timeout": timeout}
        options = check_shared(what, {name: value for name, value in given.items() if value is not None})
        check_retry(what, retry)
        is_async: bool = inspect.iscoroutinefunction(function)
        if timeout is not None and not is_async:
            raise InvalidInput(
                f"{what}: timeout needs an async function, because a plain function cannot be interrupted",
                "write `async def`, or set the timeout of the task",
            )
        result_codec(function, what)  # raises for a return type that has no JSON form
        return Step(function, options.get("max_attempts", DEFAULT_MAX_ATTEMPTS), retry, options.get("timeout"))

    return declare
