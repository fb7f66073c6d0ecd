"""A task: a function with a name and options, and the encoding of its arguments and result."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, Unpack

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.arguments import Signature
from tenuto.sdk.hooks import NO_HOOKS, Hooks, Middleware, wrap
from tenuto.sdk.limits import entry
from tenuto.sdk.option_types import Executor, StartOptions, shows_options
from tenuto.sdk.options import TaskOptions, check_start
from tenuto.sdk.retries import NEVER, counts_failures, retry_after
from tenuto.sdk.values.codecs import result_codec
from tenuto.sdk.values.pickle_codec import PickledResult, PickledSignature
from tenuto.sdk.values.wire_format import ResultCodec, WrongValue

P = ParamSpec("P")
R = TypeVar("R")

# Methods with which other systems start a task.
OTHER_STARTS = ("delay", "apply_async", "send", "send_with_options", "enqueue", "defer", "defer_async", "kiq", "remote")


class Task(Generic[P, R]):
    """A task, created by `@app.task`. Calling it runs the function directly, in this process."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        declared: TaskOptions,
        *,
        queue_limits: Mapping[str, int] | None = None,
        start_options: StartOptions | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> None:
        self.name = name
        """The full name: `app.function`."""
        self.function = function
        """The function itself."""
        self.declared = declared
        self.start_options: StartOptions = start_options or {}
        self.queue_limits: Mapping[str, int] = (
            {} if queue_limits is None else queue_limits
        )  # shared with the app, which adds to it later
        self.hooks = hooks  # shared with the app, which adds to it later
        self.context = takes_context(function)
        # `run` is the function that a worker calls: the task's own function, or the middleware around it.
        self.run: Callable[..., Any] = function
        self.run_takes_context = self.context
        natural = _executor(name, function, declared.executor)
        # the name of the runtime that runs it: of its executor, or the declared one
        self.runs_in: str = natural if declared.runtime == "worker" else declared.runtime
        self.pickled = declared.serializer == "pickle"
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __call__(self, *args: object, **kwargs: object) -> Any:
        try:
            return self.function(*args, **kwargs)
        except TypeError as error:
            if self.context and not _accepts(self.function, args, kwargs):
                hint = "in a test pass UnitContext() of tenuto.testing, else start the task with tn.start"
                raise TypeError(f"{error}; the first argument of {self.name} is ctx: {hint}") from error
            raise

    if not TYPE_CHECKING:  # a type checker reports attributes that do not exist

        def __getattr__(self, name: str) -> Any:
            if name in OTHER_STARTS:
                hint = "a client starts it: tn = app.open_sync(), then tn.start(task, …)"
                raise AttributeError(f"a task has no attribute {name!r}; {hint}", name=name, obj=self)
            return object.__getattribute__(self, name)  # raises Python's own error, or the error of a property

    def __repr__(self) -> str:
        return f"<task {self.name}>"

    def use_middleware(self, middleware: Iterable[Middleware]) -> None:
        """Make workers call middleware around the function: async middleware for an async function, plain middleware
        for a plain function."""
        is_async = inspect.iscoroutinefunction(self.function)
        layers = [layer for layer in middleware if inspect.iscoroutinefunction(layer) == is_async]
        self.run = wrap(self.function, layers, context=self.context) if layers else self.function
        self.run_takes_context = bool(layers) or self.context

    @shows_options(StartOptions)
    def options(self, **options: Unpack[StartOptions]) -> "Task[P, R]":
        """Return a copy of the task with options for one start: `tn.start(send.options(delay="5m"), to="a@b.c")`."""
        return self.with_options(options)

    def with_options(self, options: Mapping[str, object]) -> "Task[P, R]":
        """Return a copy of the task with these options, which are checked first."""
        checked = check_start(self.name, options)
        return Task(
            self.name,
            self.function,
            self.declared.updated(checked),
            queue_limits=self.queue_limits,
            start_options={**self.start_options, **checked},
        )

    @cached_property
    def kind(self) -> JsonObject:
        """The entry for tasks of this type in `p_kinds`, a parameter of the SQL function `start_run`."""
        return self.declared.kind(self.name)

    @cached_property
    def signature(self) -> Signature:
        """The parameters of the function after `ctx`; encodes and decodes its arguments."""
        return (PickledSignature if self.pickled else Signature)(self.name, self.function, context=self.context)

    @cached_property
    def result(self) -> ResultCodec | PickledResult:
        """The codec of the return value."""
        return PickledResult(self.name) if self.pickled else result_codec(self.function, self.name)

    @property
    def returns(self) -> object:
        """The type hint of the return value."""
        return self.result.hint

    def decode_result(self, value: Json) -> R:
        """Convert the JSON value of a result to the type that the task returns."""
        return self.result.decode(value)

    @cached_property
    def limited(self) -> bool:
        """Whether limits apply to tasks of this type."""
        declared = self.declared
        return bool(declared.limit or declared.rate or self.queue_limits.get(declared.queue))

    def limits_of(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> list[dict[str, Any]] | None:
        """Return the limits that apply to a task with these arguments, or None."""
        queued = self.queue_limits.get(self.declared.queue)
        if not self.limited:
            return None
        entries: list[dict[str, Any]] = (
            [{"scope": "queue", "key": self.declared.queue, "size": queued}] if queued else []
        )
        bound: dict[str, object] = {}
        for limit in (*self.declared.limit, *self.declared.rate):
            if limit.key is not None:
                bound = bound or self.signature.bind(args, kwargs)
                default = self.signature.parameters[limit.key].default
                value = bound.get(limit.key, default)
                bound[limit.key] = value if self.pickled else self.signature.encode_one(limit.key, value, limit.key)
            entries.append(entry(limit, self.name, bound))
        return entries

    def retry_after(self, error: BaseException, failures: int) -> float | None:
        """Return the seconds until the next attempt, None for the default backoff, or -1 for no further attempt."""
        if isinstance(error, WrongValue):
            return NEVER
        return retry_after(self.declared.retry, error, failures)

    @cached_property
    def counts_failures(self) -> bool:
        """Whether the retry policy needs to know how many failures there were."""
        return counts_failures(self.declared.retry)

    def check_return_type(self) -> None:
        """Raise InvalidInput for a return type without a JSON form. If the type hint names a class that is not defined
        yet, nothing is checked here: workers check it when they start."""
        try:
            _ = self.result
        except NameError:
            return
        except InvalidInput as error:
            if not isinstance(error.__cause__, NameError):
                raise

    def check(self) -> None:
        """Check all type hints now instead of at the first start."""
        for name in self.signature.parameters:
            self.signature.codec(name)
        _ = self.result


AnyTask = Task[..., Any]


@lru_cache(1024)
def takes_context(function: Callable[..., object]) -> bool:
    """Whether the first parameter is `ctx`, by name or by type."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    if first is None:
        return False
    hint = first.annotation if isinstance(first.annotation, str) else getattr(first.annotation, "__name__", "")
    module = getattr(first.annotation, "__module__", "tenuto.sdk")
    return first.name == "ctx" or (hint in ("Context", "SyncContext") and module.startswith("tenuto.sdk"))


def _accepts(function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]) -> bool:
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _executor(name: str, function: Callable[..., object], wanted: Executor | None) -> Executor:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise InvalidInput(f"{name} is a generator", "return a list, or start children with ctx.start")
    natural: Executor = "async" if inspect.iscoroutinefunction(function) else "thread"
    if wanted and (wanted == "async") != (natural == "async"):
        takes, write = ("an async function", "async def") if wanted == "async" else ("a plain function", "def")
        raise InvalidInput(f'{name}: executor="{wanted}" needs {takes}', f"write `{write}`, or leave executor out")
    return wanted or natural
