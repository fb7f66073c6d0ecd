"""Durable execution by replay: steps and waits that an earlier attempt recorded return their recorded value."""

import asyncio
import inspect
import json
import logging
import math
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, cast, overload

from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput, StaleLease
from tenuto.model.json import Json
from tenuto.sdk.context.attempt_api import AttemptApi
from tenuto.sdk.context.control import BadSignal, Suspend
from tenuto.sdk.context.replay import Branch, Replay, current_step
from tenuto.sdk.context.step_failures import error_of, failure_of, is_recorded
from tenuto.sdk.input_schema import value_schema
from tenuto.sdk.retries import pause_after, policy_failed
from tenuto.sdk.steps import Step
from tenuto.sdk.values.codecs import codec_of, result_codec
from tenuto.sdk.values.wire_format import MISSING, Codec, NotSerializable, ResultCodec

P = ParamSpec("P")
R = TypeVar("R")

TIMED_OUT = {"$timeout": True}
INTERRUPTED = "interrupted"  # key in the error of a step: the code stopped waiting for the step
MAX_NAME_BYTES = 256

log = logging.getLogger("tenuto.task")


@dataclass(frozen=True)
class BegunStep:
    """A step that the function has reached, and the number of its tries so far. `ended`: its `value` is recorded.
    `interrupted`: the code stopped waiting for it on an earlier attempt."""

    no: int
    name: str
    tries: int = 0
    ended: bool = False
    interrupted: bool = False
    value: Json = None


async def within(timeout: float | None, work: Awaitable[R], step: str) -> R:
    """Await the work of a step; raise TimeoutError if it takes longer than its timeout."""
    if timeout is None:
        return await work
    limit = asyncio.timeout(timeout)
    try:
        async with limit:
            return await work
    except TimeoutError as error:
        if limit.expired():
            raise TimeoutError(f"step {step!r} ran longer than its timeout of {timeout:.15g} s") from error
        raise


def step_of(name: str, function: Callable[..., object]) -> Step[..., Any]:
    """Return the function of a step with its options. Checks name and function before anything runs."""
    text = cast("object", name)
    if not isinstance(text, str) or "\0" in text or not 1 <= len(text.encode(errors="replace")) <= MAX_NAME_BYTES:
        raise InvalidInput(
            f"the name of a step is {name!r:.60}, not a text of 1 to {MAX_NAME_BYTES} bytes",
            'write ctx.step("charge", charge, order)',
        )
    if isinstance(function, Step):
        return cast("Step[..., Any]", function)
    if not callable(function):
        raise InvalidInput(
            f"step {name!r}: {function!r:.60} is not a function",
            f'pass the function and its arguments, without calling it: ctx.step("{name}", charge, order)',
        )
    return Step(function)


@contextmanager
def inside(name: str) -> Generator[None]:
    """Mark the enclosed code as the code of a step. Such code must not make durable calls."""
    token = current_step.set(name)
    try:
        yield
    finally:
        current_step.reset(token)


class DurableCalls:
    """The calls of `ctx` that take effect once over all attempts of the task: steps, sleeps and signals."""

    def __init__(self, api: AttemptApi) -> None:
        self.api = api
        self.replay = Replay(api)
        self._steps: set[asyncio.Future[None]] = set()  # steps in progress
        self._settled = False
        # Failures that were raised again from their records, with their age. The key is the id() of the error, because
        # a `gather` looks up thousands of errors.
        self._old_failures: dict[int, tuple[BaseException, float]] = {}
        self._wake_at = math.inf  # the earliest time, of the monotonic clock, that anything waits for
        self._interrupted: set[asyncio.Future[None]] = set()  # steps that wait until they are interrupted again

    @property
    def cancelled(self) -> bool:
        """Whether the attempt should stop."""
        return False

    async def step(self, name: str, function: Callable[P, Awaitable[R] | R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function once over all attempts of the task; later attempts return its recorded result. Options are
        set on the function: `@step(max_attempts=5, timeout="30s")`."""
        step = step_of(name, function)
        codec = result_codec(step.function, f"step {name!r}")
        with self._in_flight(name):
            begun = await self.begin_step(name)
            if begun.ended:
                return codec.decode(begun.value)
            if not begun.interrupted:
                try:
                    with inside(name):
                        result: Any = step.function(*args, **kwargs)
                        if inspect.isawaitable(result):
                            result = await within(step.timeout, result, name)
                except BaseException as error:
                    await self.fail_step(begun, step, error, branch=asyncio.current_task())
                    raise
                await self.end_step(begun, codec, result, branch=asyncio.current_task())
                return cast("R", result)
        return await self._interrupted_again(name)

    async def begin_step(self, name: str) -> BegunStep:
        """Begin a step and return its state. Raises the failure that was recorded for it, or Suspend until its next try
        is due."""
        no, record = await self.replay.next(name, "step")
        if record is None:
            return BegunStep(no, name)
        if record.retry_in is None:
            if record.error:
                if record.error.get(INTERRUPTED):
                    return BegunStep(no, name, record.tries, interrupted=True)
                error = error_of(name, record.error)
                self._old_failures[id(error)] = error, record.age
                raise error
            return BegunStep(no, name, record.tries, ended=True, value=record.value)
        if record.retry_in > 0:
            raise self.suspended_for(record.retry_in)
        return BegunStep(no, name, record.tries)

    async def fail_step(
        self, begun: BegunStep, step: Step[..., object], error: BaseException, *, branch: Branch
    ) -> None:
        """Record a failed try, and raise Suspend, which ends the attempt until the next try. If there is no further
        try, return."""
        tries = begun.tries + 1
        if not is_recorded(error) or (self.cancelled and isinstance(error, asyncio.CancelledError)):
            return
        failure = failure_of(error)
        try:
            pause = step.pause_after(error, tries) if isinstance(error, Exception) else None
        except Exception as mistake:
            pause = pause_after(None, error, tries)
            policy = failure_of(mistake)
            failure["message"] = policy_failed(failure["message"], policy["type"], policy["message"])
        if pause is None:
            if isinstance(error, asyncio.CancelledError) and branch is not None and branch.cancelling():
                failure[INTERRUPTED] = True
            self.replay.failed(begun.no, begun.name, failure, tries=tries, branch=branch)
            return
        await self.api.call(
            "fail_step",
            step_no=begun.no,
            name=begun.name,
            error=failure,
            tries=tries,
            retry_seconds=pause,
        )
        raise self.suspended_for(pause) from error

    async def end_step(self, begun: BegunStep, codec: ResultCodec, result: object, *, branch: Branch) -> None:
        """Record the result of a step. A result that cannot be stored is a failure. The step is not tried again,
        because its work is done."""
        try:
            await self.replay.record(begun.no, begun.name, json.loads(codec.encode(result) or "null"))
        except Exception as error:
            if is_recorded(error):
                self.replay.failed(begun.no, begun.name, failure_of(error), tries=begun.tries + 1, branch=branch)
            raise

    async def _interrupted_again(self, name: str) -> Any:
        """Wait until the code interrupts the step again, as it did on an earlier attempt: by asyncio.timeout, or in a
        task group in which another step failed. So the code takes the same path again."""
        log.info("step %r was interrupted on an earlier attempt and waits until it is interrupted again", name)
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._interrupted.add(waiting)
        return await waiting

    def age_of_failure(self, error: BaseException) -> float:
        """Return how many seconds ago a failure was recorded; 0 for a failure of this attempt."""
        known = self._old_failures.get(id(error))
        return known[1] if known else 0.0

    def suspended_for(self, seconds: float) -> Suspend:
        """Return the exception that ends the attempt until this many seconds have passed."""
        self._wake_at = min(self._wake_at, time.monotonic() + seconds)
        return Suspend({"for": "time", "seconds": seconds})

    def earliest(self, wait: dict[str, Any]) -> dict[str, Any]:
        """Return the wait with which the attempt ends. It is shortened if another call of the attempt waits for an
        earlier time, such as the next try of a concurrent step."""
        if self._wake_at == math.inf:
            return wait
        key = "seconds" if wait["for"] == "time" else "timeout_seconds"
        return {**wait, key: max(0.0, min(wait.get(key, math.inf), self._wake_at - time.monotonic()))}

    @contextmanager
    def _in_flight(self, name: str) -> Generator[None]:
        if self._settled:
            raise StaleLease(f"the attempt has ended; step {name!r} runs in the next attempt")
        done = asyncio.get_running_loop().create_future()
        self._steps.add(done)
        try:
            yield
        finally:
            self._steps.discard(done)
            done.set_result(None)

    async def patched(self, name: str) -> bool:
        """Return whether this task runs the changed code: `if await ctx.patched("send-receipt"): …`. False for tasks
        that had passed this point before the code changed. The result is the same on every attempt."""
        return await self.replay.patched(name)

    async def sleep(self, delay: Duration) -> None:
        """Wait without occupying a worker slot. The wait survives crashes and restarts."""
        length = seconds(delay)
        no, record = await self.replay.next("sleep", "sleep")
        if record is None:
            await self.api.call("record_step", step_no=no, name="sleep", kind="sleep", value={"seconds": length})
            raise self.suspended_for(length)
        if (left := record.value["seconds"] - record.age) > 0:
            raise self.suspended_for(left)

    @overload
    async def wait(self, name: str, type: type[R], *, timeout: Duration | None = None) -> R: ...
    @overload
    async def wait(self, name: str, type: object = MISSING, *, timeout: Duration | None = None) -> Any: ...
    async def wait(self, name: str, type: object = MISSING, *, timeout: Duration | None = None) -> object:
        """Wait for a signal to the run and return its value as `type`, a type hint. Raises TimeoutError if none arrives
        within `timeout`, and BadSignal if the value does not have this type. A sender is refused such a value while the
        task waits."""
        codec = None if type is MISSING else codec_of(type)
        limit = None if timeout is None else (seconds(timeout), self.replay.take())
        no = self.replay.take()
        left = None if limit is None else await self._time_left(f"{name} timeout", *limit)
        record = await self.replay.find(no, name, "signal")
        if record is None:
            taken = await self.api.call("take_signal", step_no=no, name=name)
            if taken["found"]:
                return await self._decode_signal(no, name, codec, taken["value"])
            if left is None or left > 0:
                expected = value_schema(type)
                schema = {} if expected is None else {"schema": expected}
                ends = {} if left is None else {"timeout_seconds": left}
                raise Suspend({"for": "signal", "name": name, **schema, **ends})
            await self.api.call("record_step", step_no=no, name=name, kind="signal", value=TIMED_OUT)
        if record is None or record.value == TIMED_OUT:
            raise TimeoutError(f"signal {name!r} was not sent within {timeout}")
        if record.error:
            raise error_of(name, record.error)
        return await self._decode_signal(no, name, codec, record.value)

    async def _decode_signal(self, no: int, name: str, codec: Codec | None, value: Json) -> object:
        """Return the value of a signal. If it has another type than the code expects, record this before BadSignal is
        raised, so that every attempt raises the same error, and a retry of the run waits for the signal again."""
        try:
            return value if codec is None else codec.decode(value, "the value")
        except NotSerializable as problem:
            error = BadSignal(f"signal {name!r}: {problem}")
            await self.api.call("fail_step", step_no=no, name=name, error=failure_of(error), tries=1, kind="signal")
            raise error from problem

    async def _time_left(self, name: str, length: float, no: int) -> float:
        """Return the remaining seconds of a timeout that began when the first attempt reached this point."""
        if record := await self.replay.find(no, name, "sleep"):
            return record.value["seconds"] - record.age
        await self.api.call("record_step", step_no=no, name=name, kind="sleep", value={"seconds": length})
        return length

    async def settle(self) -> None:
        """Wait until steps in progress are recorded, because otherwise the next attempt would repeat them. Called
        before the attempt ends. A failure that the code has not handled yet is not recorded: the next attempt runs its
        step again."""
        self.replay.end()
        await asyncio.sleep(0)  # let a step that was just called begin
        while self._steps:
            await asyncio.wait(self._steps)
        self._settled = True
        for waiting in self._interrupted:
            waiting.cancel()
