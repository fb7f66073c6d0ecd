"""Defines `App`: a name and the tasks that belong to it."""

import inspect
import re
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, Unpack, overload

from tenuto.model.errors import InvalidInput, NotFound
from tenuto.model.task_types import MAX_FUNCTION_NAME
from tenuto.sdk.hooks import FailureHook, Hooks, Middleware, ProcessHook, check_hook
from tenuto.sdk.option_types import Declared, Executor, StartOptions, shows_options
from tenuto.sdk.options import TaskOptions, read_declared
from tenuto.sdk.suggestions import nearest
from tenuto.sdk.task import AnyTask, Task

if TYPE_CHECKING:
    from tenuto.db.connection.start_statements import StartStatement
    from tenuto.sdk.client.client import Client
    from tenuto.sdk.client.sync import SyncClient
    from tenuto.sdk.context.context import Context
    from tenuto.sdk.context.sync_context import SyncContext

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
H = TypeVar("H", bound=ProcessHook)
M = TypeVar("M", bound=Middleware)
E = TypeVar("E", bound=FailureHook)
J = TypeVar("J", bound=Callable[..., object])
_NAME = re.compile(r"[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*")


class _WithContext(Protocol[P, R_co]):
    def __call__(self, ctx: "Context", *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class _WithSyncContext(Protocol[P, R_co]):
    def __call__(self, ctx: "SyncContext", *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class _Decorate(Protocol):
    """The type of `@app.task(…)`, the decorator with options."""

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
    """A named collection of tasks: `app = App("shop")`. The full name of a task is `shop.function`, so tasks of two
    apps never collide."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > 100:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"App({name!r}): not a name", 'write letters, digits, "_" and "-", such as App("shop")')
        self.name = name
        """The name of the app."""
        self.tasks: dict[str, AnyTask] = {}
        """The tasks, by their full names."""
        self.job_functions: dict[str, AnyTask] = {}
        """The functions that only jobs of DAGs run, by their full names."""
        self.queue_limits: dict[str, int] = {}
        self.hooks = Hooks()

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
    def task(self, /, **options: Unpack[Declared]) -> _Decorate: ...
    @shows_options(Declared, TaskOptions)
    def task(self, function: Callable[..., Any] | None = None, /, **options: Unpack[Declared]) -> Any:
        """Turn a function into a task: `@app.task` or `@app.task(max_attempts=5, timeout="30s", queue="mail")`."""
        if function is not None:
            return self._add(function, options)

        def decorate(function: Callable[..., Any]) -> AnyTask:
            return self._add(function, options)

        return decorate

    @overload
    def job(self, function: J, /) -> J: ...
    @overload
    def job(self, /, *, name: str | None = None, executor: Executor | None = None) -> Callable[[J], J]: ...
    def job(
        self,
        function: Callable[..., object] | None = None,
        /,
        *,
        name: str | None = None,
        executor: Executor | None = None,
    ) -> object:
        """Declare a function that jobs of DAGs run: `@app.job`. A job names it as `config: {task: "shop.extract"}`.
        Unlike a task, it cannot be started alone, and its parameters and result may have any type, such as a pyarrow
        Table. Returns the function unchanged. `executor="process"`: run it in a process of its own."""

        def declare(function: Callable[..., object]) -> Callable[..., object]:
            options: Declared = {} if executor is None else {"executor": executor}
            full = self._full_name(function, name, "job")
            task: AnyTask = Task(full, function, read_declared(full, options), hooks=self.hooks)
            task.use_middleware(self.hooks.middleware)
            self.job_functions[full] = task
            return function

        return declare if function is None else declare(function)

    @property
    def functions(self) -> dict[str, AnyTask]:
        """The functions that jobs of DAGs can run, by their full names: those of `@app.job`, and the tasks."""
        return {**self.tasks, **self.job_functions}

    def _add(self, function: Callable[..., Any], options: Declared) -> AnyTask:
        full = self._full_name(function, options.get("name"), "task")
        declared = read_declared(full, {key: value for key, value in options.items() if key != "name"})
        task: AnyTask = Task(full, function, declared, queue_limits=self.queue_limits, hooks=self.hooks)
        _check_names(task)
        task.check_return_type()
        task.use_middleware(self.hooks.middleware)
        self.tasks[full] = task
        return task

    def _full_name(self, function: Callable[..., object], name: str | None, kind: str) -> str:
        """Return the full name of a function that is declared as a task or job function. Raises InvalidInput if it has
        no valid name, or if the name belongs to another function."""
        own = name or getattr(function, "__name__", "")
        full = f"{self.name}.{own}"
        if isinstance(function, Task) or not callable(function):
            raise InvalidInput(f"@{self.name}.{kind} takes a function, not {function!r:.60}")
        longest = MAX_FUNCTION_NAME if kind == "job" else 256
        if not _NAME.fullmatch(own) or len(full) > longest:
            raise InvalidInput(f"{own!r} is not the name of a {kind}", f'give it one: @app.{kind}(name="resize")')
        mine, other = (self.tasks, self.job_functions) if kind == "task" else (self.job_functions, self.tasks)
        again = full in mine and mine[full].function.__code__ == getattr(function, "__code__", None)
        if full in other or (full in mine and not again):
            raise InvalidInput(
                f"there are two {'tasks' if full in self.tasks else 'job functions'} {full}",
                f'rename one: @app.{kind}(name="…")',
            )
        return full

    def queue_limit(self, queue: str, n: int) -> None:
        """Limit how many of the app's tasks in a queue run at the same time, over all workers: `app.queue_limit("mail",
        5)`."""
        if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= 1_000_000:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"queue_limit({queue!r}, {n!r}): not a whole number from 1 to 1,000,000")
        self.queue_limits[queue] = n

    def discover(self, *packages: str, named: str | None = None) -> None:
        """Import every module of these packages, so that their tasks are declared: `app.discover("shop")`. `named`:
        import only modules of this name, such as "tasks". Call it at the end of the module that defines the app,
        because the other modules import that module."""
        from tenuto.sdk.discovery import import_packages

        import_packages(packages, named)

    def on_startup(self, hook: H, /) -> H:
        """Call a function when a worker process starts, before its first task: `@app.on_startup`. An async function is
        awaited. If it raises, the process ends with that error."""
        self.hooks.startup.append(check_hook("@app.on_startup", hook))
        return hook

    def on_shutdown(self, hook: H, /) -> H:
        """Call a function when a worker process ends, after its last task: `@app.on_shutdown`. Errors are logged."""
        self.hooks.shutdown.append(check_hook("@app.on_shutdown", hook))
        return hook

    def middleware(self, layer: M, /) -> M:
        """Call a function around every attempt: `@app.middleware`. Write `async def timed(ctx, call_next)` for async
        tasks, or `def timed(ctx, call_next)` for synchronous tasks. The function returns `await call_next()`, or
        `call_next()`. The function that was registered first is outermost."""
        self.hooks.middleware.append(check_hook("@app.middleware", layer, "ctx", "call_next"))
        for task in self.functions.values():
            task.use_middleware(self.hooks.middleware)
        return layer

    def on_failure(self, hook: E, /) -> E:
        """Call a function with the TaskFailure of every failed attempt, after the database has decided whether the task
        is retried: `@app.on_failure`. Errors of the function are logged."""
        self.hooks.failure.append(check_hook("@app.on_failure", hook, "failure"))
        return hook

    def find(self, name: str) -> AnyTask:
        """Return a task by its full name or by its name without the app's prefix. Raises NotFound if there is no such
        task."""
        task = self.tasks.get(name) or self.tasks.get(f"{self.name}.{name}")
        if task is None:
            # Compare names without the app's prefix, which would make all of its tasks look similar.
            own = {full.removeprefix(f"{self.name}."): full for full in self.tasks}
            tried = (name.removeprefix(f"{self.name}."), name.split(".", 1)[-1])
            near = [match for word in tried if (match := nearest(word, own))]
            known = ", ".join(sorted(self.tasks)) or "none"
            hint = f"did you mean {own[near[0]]!r}?" if near else f"known: {known}"
            raise NotFound(f"app {self.name!r} has no task {name!r}", hint)
        return task

    def schedules(self) -> list[AnyTask]:
        """Return the tasks that were declared with `cron=` or `every=`."""
        return [task for task in self.tasks.values() if task.declared.cron]

    @shows_options(StartOptions)
    def start_statement(self, task: AnyTask | str, /, *args: object, **kwargs: object) -> "StartStatement":
        """Return the start of a task as SQL and parameters, to execute with any driver in your own transaction:
        `cursor.execute(*app.start_statement(send, "a@b.c"))`. This task starts in the default org; with
        `tn.start_statement`, it starts in the org of the client."""
        from tenuto.db.connection.start_statements import to_execute
        from tenuto.sdk.client.client import build_start
        from tenuto.sdk.connect import DEFAULT_ORG

        return to_execute(build_start(self, task, args, kwargs).statement(DEFAULT_ORG))

    async def open(self, url: str | None = None, *, org: str | None = None, key: str | None = None) -> "Client":
        """Open a client that lives until `await tn.close()`, for example as long as a web application: `tn = await
        app.open()`. Takes the same arguments as `connect`."""
        from tenuto.sdk.connect import open_client

        return await open_client(self, url, org=org, key=key)

    def open_sync(self, url: str | None = None, *, org: str | None = None, key: str | None = None) -> "SyncClient":
        """Open a client for synchronous code that lives until `tn.close()` or the end of the process. It connects on
        first use, so a module can create it while it is imported: `tn = app.open_sync()`."""
        from tenuto.sdk.client.sync import open_sync

        return open_sync(self, url, org=org, key=key)

    def connect(
        self, url: str | None = None, *, org: str | None = None, key: str | None = None
    ) -> "AbstractAsyncContextManager[Client]":
        """Connect a client: `async with app.connect() as tn`.

        Without `url`, the environment decides: TENUTO_DATABASE_URL, or TENUTO_URL with TENUTO_API_KEY. If none of them
        is set, an embedded Postgres is started.
        """
        from tenuto.sdk.connect import connect

        return connect(self, url, org=org, key=key)

    def connect_sync(
        self, url: str | None = None, *, org: str | None = None, key: str | None = None
    ) -> "AbstractContextManager[SyncClient]":
        """Connect a client for synchronous code: `with app.connect_sync() as tn`."""
        from tenuto.sdk.client.sync import connect_sync

        return connect_sync(self, url, org=org, key=key)


def _check_names(task: AnyTask) -> None:
    """Raise InvalidInput if limits or the schedule do not match the parameters of the function."""
    parameters = list(inspect.signature(task.function).parameters.values())[1 if task.context else 0 :]
    names = [parameter.name for parameter in parameters]
    for limit in (*task.declared.limit, *task.declared.rate):
        if limit.key is not None and limit.key not in names:
            raise InvalidInput(
                f"{task.name}: the key of {limit} is not a parameter",
                f"its parameters are {', '.join(names) or 'none'}",
            )
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    missing = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty and parameter.kind not in stars
    ]
    if task.declared.cron and missing:
        raise InvalidInput(
            f"{task.name}: a schedule passes no arguments, but the task needs {', '.join(missing)}", "give defaults"
        )
