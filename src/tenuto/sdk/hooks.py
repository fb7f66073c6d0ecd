"""The hooks of an app: functions that its workers call at start-up and shutdown, around attempts and after failures."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from tenuto.model.errors import InvalidInput

if TYPE_CHECKING:
    from tenuto.sdk.context.context import Context
    from tenuto.sdk.context.sync_context import SyncContext

ProcessHook = Callable[[], Awaitable[None] | None]
AsyncMiddleware = Callable[["Context", Callable[[], Awaitable[Any]]], Awaitable[Any]]
SyncMiddleware = Callable[["SyncContext", Callable[[], Any]], Any]
Middleware = AsyncMiddleware | SyncMiddleware
FailureHook = Callable[["TaskFailure"], Awaitable[None] | None]

F = TypeVar("F", bound=Callable[..., object])


class AttemptFailed(Exception):
    """The error of a failed attempt for which the worker's process has no exception: the attempt ran in another
    process, or exceeded its timeout. `type`, `message` and `traceback` describe it."""

    def __init__(self, type: str, message: str, traceback: str | None) -> None:
        super().__init__(f"{type}: {message}")
        self.type = type
        self.message = message
        self.traceback = traceback


@dataclass(frozen=True)
class TaskFailure:
    """A failed attempt, passed to the functions of `@app.on_failure`."""

    task_name: str
    task_id: str
    run_id: str
    attempt: int  # 1 for the first
    max_attempts: int | None
    error: BaseException  # the exception that the function raised, or AttemptFailed
    retry_in: float | None  # seconds until the next attempt; None: there is none

    @property
    def final(self) -> bool:
        """Whether the task has failed for good."""
        return self.retry_in is None


@dataclass(frozen=True)
class Hooks:
    """The hooks of one app or of all apps of a worker, in the order in which they were registered."""

    startup: list[ProcessHook] = field(default_factory=list[ProcessHook])
    shutdown: list[ProcessHook] = field(default_factory=list[ProcessHook])
    middleware: list[Middleware] = field(default_factory=list[Middleware])
    failure: list[FailureHook] = field(default_factory=list[FailureHook])

    def extend(self, other: "Hooks") -> None:
        """Add the hooks of another app."""
        self.startup.extend(other.startup)
        self.shutdown.extend(other.shutdown)
        self.middleware.extend(other.middleware)
        self.failure.extend(other.failure)


NO_HOOKS = Hooks()


def check_hook(where: str, function: F, *parameters: str) -> F:
    """Return the function; raise InvalidInput if it cannot be called with these parameters."""
    try:
        inspect.signature(function).bind(*parameters)
    except (TypeError, ValueError) as problem:
        wanted = ", ".join(parameters)
        raise InvalidInput(
            f"{where}: {function!r:.60} cannot be called with {wanted or 'no arguments'}",
            f"write def {getattr(function, '__name__', 'hook')}({wanted})",
        ) from problem
    return function


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a hook for logs."""
    return f"{function.__module__}.{getattr(function, '__qualname__', type(function).__name__)}"


def wrap(function: Callable[..., object], middleware: Sequence[Middleware], *, context: bool) -> Callable[..., Any]:
    """Return a function that takes `ctx` first and calls the middleware around the function. The first middleware is
    outermost. `context`: whether the function itself takes `ctx`."""
    layers: list[Callable[..., object]] = [*reversed(middleware)]

    def run(ctx: object, *args: object, **named: object) -> object:
        call_next = partial(function, *([ctx] if context else []), *args, **named)
        for layer in layers:
            call_next = partial(layer, ctx, call_next)
        return call_next()

    return run
