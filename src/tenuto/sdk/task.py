"""A task: a function with a name and options, and the encoding of its arguments and result."""

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Generic, ParamSpec, TypeVar, Unpack, cast

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.arguments import Arguments, Signature
from tenuto.sdk.limits import entry
from tenuto.sdk.options import Executor, StartOptions, TaskOptions, check_start
from tenuto.sdk.retries import NEVER, counts_failures, retry_after
from tenuto.sdk.values.codecs import ResultCodec, WrongValue, check_size, result_codec
from tenuto.sdk.values.pickle_codec import dump_value, load_value, thaw_arguments
from tenuto.sdk.values.wire_format import MISSING, dump

P = ParamSpec("P")
R = TypeVar("R")


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
    ) -> None:
        self.name = name
        self.function = function
        self.declared = declared
        self.start_options: StartOptions = start_options or {}
        self.queue_limits = queue_limits or {}
        self.context = takes_context(function)
        natural = _executor(name, function, declared.executor)
        self.executor: str = natural if declared.runtime == "worker" else declared.runtime
        self.pickled = declared.serializer == "pickle"
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<task {self.name}>"

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
    def _kind(self) -> JsonObject:
        return self.declared.kind(self.name)

    @cached_property
    def signature(self) -> Signature:
        """The parameters of the function after `ctx`."""
        return Signature(self.name, self.function, context=self.context)

    @cached_property
    def result(self) -> ResultCodec:
        """The codec of the return value."""
        return result_codec(self.function, self.name)

    @property
    def returns(self) -> object:
        """The type hint of the return value."""
        return MISSING if self.pickled else self.result.hint

    def encode_args(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
        """Return the arguments as JSON text. Raises an error that shows the signature if they do not fit."""
        if self.pickled:
            self.signature.bind(args, kwargs)
            text = dump(dump_value(self.name, (list(args), dict(kwargs))))
        else:
            text = self.signature.encode(args, kwargs)
        if len(text) > 100_000:
            check_size(f"the input of {self.name}", text)
        return text

    def decode_args(self, input: str | None, slots: str | None = None) -> Arguments:
        """Return the arguments from JSON text, as a claim delivers it."""
        if self.pickled:
            return thaw_arguments(self.name, input, slots)
        return self.signature.decode(input, slots)

    def encode_result(self, value: object) -> str | None:
        """Return the result as JSON text, or None for None."""
        if self.pickled:
            return None if value is None else dump(dump_value(self.name, value))
        return self.result.encode(value)

    def decode_result(self, value: Json) -> R:
        """Return the result from its JSON value."""
        if self.pickled:
            return cast("R", load_value(self.name, value))
        return self.result.decode(value)

    def kind(self) -> JsonObject:
        """Return the entry of `p_kinds` for tasks of this type."""
        return {**self._kind}

    def limits_of(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> list[dict[str, Any]] | None:
        """Return the limits that apply to a task with these arguments, or None."""
        queued = self.queue_limits.get(self.declared.queue)
        if not (self.declared.limit or self.declared.rate or queued):
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


def _executor(name: str, function: Callable[..., object], wanted: Executor | None) -> Executor:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise InvalidInput(f"{name} is a generator", "return a list, or start children with ctx.start")
    natural: Executor = "async" if inspect.iscoroutinefunction(function) else "thread"
    if wanted and (wanted == "async") != (natural == "async"):
        takes = "an async function" if wanted == "async" else "a plain function"
        raise InvalidInput(f'{name}: executor="{wanted}" needs {takes}', "write `async def`, or leave executor out")
    return wanted or natural
