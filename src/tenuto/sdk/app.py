"""An app: a name and its tasks."""

import inspect
import re
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, Unpack, cast, overload

from tenuto.model.errors import InvalidInput, NotFound
from tenuto.sdk.options import Declared, read_declared
from tenuto.sdk.suggestions import nearest
from tenuto.sdk.task import Task

if TYPE_CHECKING:
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.client.sync import SyncClient
    from tenuto.sdk.context.context import Context
    from tenuto.sdk.context.sync_context import SyncContext

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
_NAME = re.compile(r"[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*")


class _WithContext(Protocol[P, R_co]):
    def __call__(self, ctx: "Context", *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class _WithSyncContext(Protocol[P, R_co]):
    def __call__(self, ctx: "SyncContext", *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class _Decorate(Protocol):
    """`@app.task(…)`: what `@app.task` does, with options."""

    @overload
    def __call__(self, function: _WithContext[P, Coroutine[Any, Any, R]], /) -> Task[P, R]: ...
    @overload
    def __call__(self, function: _WithSyncContext[P, R], /) -> Task[P, R]: ...
    @overload
    def __call__(self, function: _WithContext[P, R], /) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Task[P, R]: ...


class App:
    """`app = App("shop")`. The full name of a task is `shop.function`, so that two apps never meet."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > 100:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"App({name!r}): not a name", 'write letters, digits, "_" and "-", such as App("shop")')
        self.name = name
        self.tasks: dict[str, Task[..., Any]] = {}
        self.queue_limits: dict[str, int] = {}

    @overload
    def task(self, function: _WithContext[P, Coroutine[Any, Any, R]], /) -> Task[P, R]: ...
    @overload
    def task(self, function: _WithSyncContext[P, R], /) -> Task[P, R]: ...
    @overload
    def task(self, function: _WithContext[P, R], /) -> Task[P, R]: ...
    @overload
    def task(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> Task[P, R]: ...
    @overload
    def task(self, function: Callable[P, R], /) -> Task[P, R]: ...
    @overload
    def task(self, /, **said: Unpack[Declared]) -> _Decorate: ...
    def task(self, function: Callable[..., Any] | None = None, /, **said: Any) -> Any:
        """Make a function a task: `@app.task` or `@app.task(max_attempts=5, timeout="30s", queue="mail")`."""
        if function is not None:
            return self._add(function, **said)
        return cast("_Decorate", lambda function: self._add(function, **said))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]

    def _add(self, function: Callable[..., Any], *, name: str | None = None, **said: Any) -> Task[..., Any]:
        own = name or getattr(function, "__name__", "")
        full = f"{self.name}.{own}"
        if isinstance(function, Task) or not callable(function):
            raise InvalidInput(f"@{self.name}.task takes a function, not {function!r:.60}")
        if not _NAME.fullmatch(own) or len(full) > 256:
            raise InvalidInput(f"{own!r} is not the name of a task", 'give it one: @app.task(name="resize")')
        if full in self.tasks and self.tasks[full].function.__code__ != getattr(function, "__code__", None):
            raise InvalidInput(f"there are two tasks {full}", 'rename one: @app.task(name="…")')
        declared = read_declared(full, said)
        task: Task[..., Any] = Task(full, function, declared, queue_limits=self.queue_limits)
        _check_names(task)
        self.tasks[full] = task
        return task

    def queue_limit(self, queue: str, n: int) -> None:
        """At most `n` tasks of this app's queue at a time, over all workers: `app.queue_limit("mail", 5)`."""
        if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= 1_000_000:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"queue_limit({queue!r}, {n!r}): not a whole number from 1 to 1,000,000")
        self.queue_limits[queue] = n

    def find(self, name: str) -> Task[..., Any]:
        """A task by its name, full or without the app's."""
        found = self.tasks.get(name) or self.tasks.get(f"{self.name}.{name}")
        if found is None:
            # Without the app's name, which would make all of its tasks look alike.
            own = {full.removeprefix(f"{self.name}."): full for full in self.tasks}
            tried = (name.removeprefix(f"{self.name}."), name.split(".", 1)[-1])
            near = [one for word in tried if (one := nearest(word, own))]
            known = ", ".join(sorted(self.tasks)) or "none"
            hint = f"did you mean {own[near[0]]!r}?" if near else f"known: {known}"
            raise NotFound(f"app {self.name!r} has no task {name!r}", hint)
        return found

    def schedules(self) -> list[Task[..., Any]]:
        """The tasks with a cron expression."""
        return [task for task in self.tasks.values() if task.declared.cron]

    def connect(
        self, url: str | None = None, *, org: str | None = None, key: str | None = None
    ) -> "AbstractAsyncContextManager[Client]":
        """`async with app.connect() as tn`: TENUTO_DATABASE_URL, or TENUTO_URL and TENUTO_API_KEY, else a Postgres of
        our own."""
        from tenuto.sdk.connect import connect

        return connect(self, url, org=org, key=key)

    def connect_sync(
        self, url: str | None = None, *, org: str | None = None, key: str | None = None
    ) -> "AbstractContextManager[SyncClient]":
        """`with app.connect_sync() as tn`: the same without await."""
        from tenuto.sdk.client.sync import connect_sync

        return connect_sync(self, url, org=org, key=key)


def _check_names(task: Task[..., Any]) -> None:
    """What the options say of parameters is true of the function."""
    parameters = list(inspect.signature(task.function).parameters.values())[1 if task.context else 0 :]
    names = [one.name for one in parameters]
    for limit in (*task.declared.limit, *task.declared.rate):
        if limit.key is not None and limit.key not in names:
            raise InvalidInput(f"{task.name}: {limit} names no parameter", f"it has {', '.join(names) or 'none'}")
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    missing = [one.name for one in parameters if one.default is one.empty and one.kind not in stars]
    if task.declared.cron and missing:
        raise InvalidInput(
            f"{task.name}: a schedule gives no arguments, but it takes {', '.join(missing)}", "give defaults"
        )
