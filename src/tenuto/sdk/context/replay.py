"""The recorded steps of a task. A call that an earlier attempt recorded returns the recorded value. Failures that the
code handled are recorded too."""

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NoReturn
from weakref import ref

from tenuto.model.errors import Conflict, InvalidInput, TooLarge
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.context.attempt_api import AttemptApi
from tenuto.sdk.context.control import Fail, ReplayMismatch

# Iterations of the event loop after which an error has reached the code that awaits it: each asyncio.gather on the way
# takes three.
DELIVERY_ITERATIONS = 10
BEGIN_ITERATIONS = 3  # after which asyncio tasks that were created before have made their first call

PATCH = "patch"  # a kind of record, numbered -1, -2, …

Branch = asyncio.Task[object] | None

_branch: ContextVar["CallBranch | None"] = ContextVar("tenuto durable calls", default=None)
current_step: ContextVar[str | None] = ContextVar("tenuto step", default=None)


@dataclass(frozen=True)
class Recorded:
    """A recorded step and its age in seconds. `error`: it failed, for good or until it is tried again in `retry_in`
    seconds."""

    name: str
    kind: str
    value: Any
    age: float
    error: JsonObject | None
    tries: int
    retry_in: float | None


@dataclass(frozen=True)
class Failure:
    """A failure of a step that is not recorded yet; `branch` is the asyncio task that raised it. `children`: the step
    started children, and some of them failed."""

    name: str
    error: JsonObject
    tries: int
    branch: Branch
    children: bool


@dataclass(eq=False)
class CallBranch:
    """An asyncio task that makes durable calls, its parent asyncio task, and the number of its last call."""

    task: "ref[asyncio.Task[Any]]"
    parent: "CallBranch | None"
    last: int

    def has_ended(self) -> bool:
        task = self.task()
        return task is None or task.done()

    def is_below(self, other: "CallBranch") -> bool:
        branch = self.parent
        while branch is not None and branch is not other:
            branch = branch.parent
        return branch is other


@dataclass
class CallOrder:
    """Numbers the durable calls of an attempt. Concurrent parts of the function may make one call each. With more
    calls, the order would depend on how long steps take, and a replay could not repeat it."""

    last: int = 0
    # All calls that are not the first of their branch.
    _later: list[tuple[int, CallBranch]] = field(default_factory=list[tuple[int, CallBranch]])

    def take(self) -> int:
        """Return the number of the next call. Raises Fail if another concurrent part made a second call after the last
        call of this part, or if a step makes the call."""
        if (step := current_step.get()) is not None:
            raise Fail(
                f"step {step!r} calls ctx.step, ctx.sleep, ctx.wait or ctx.start; a replay returns the result of the "
                "step and would not repeat these calls. Make them in the function of the task, or make the step a task "
                "and await ctx.start(…)"
            )
        self.last += 1
        task = asyncio.current_task()
        if task is None:
            return self.last
        branch = _branch.get()
        if branch is None or branch.task() is not task:
            _branch.set(CallBranch(ref(task), branch, self.last))
            return self.last
        for no, other in reversed(self._later):
            if no < branch.last:
                break
            if other is not branch and not (other.is_below(branch) and other.has_ended()):
                raise Fail(
                    "two concurrent parts of the function make several durable calls each, in an order that the next "
                    "attempt could not repeat; make such a part a task of its own and await ctx.start(…), or await the "
                    "parts one after the other. ctx.gather of single steps and children is fine"
                )
        branch.last = self.last
        self._later.append((self.last, branch))
        return self.last


class Replay:
    """The recorded steps of a task, numbered in the order in which its function calls them."""

    def __init__(self, api: AttemptApi) -> None:
        self._api = api
        self._records: dict[int, Recorded] = {}
        self._lock = asyncio.Lock()
        self._failures: dict[int, Failure] = {}
        self._ended = False
        self._order = CallOrder()
        self._newest = 0  # number of the last recorded step
        self._patches: dict[str, bool] = {}
        self._unmarked: dict[str, int] = {}  # by patch: the number of its marker, if that is not recorded yet
        self.mismatch: ReplayMismatch | None = None  # ends the attempt

    async def load(self) -> None:
        """Read what earlier attempts recorded. Called before the function starts, so that the order of concurrent calls
        does not depend on when the records arrive."""
        rows: list[Any] = await self._api.call("get_steps")
        self._records = {row["step_no"]: _recorded(row) for row in rows if row["kind"] != PATCH}
        self._newest = max(self._records, default=0)
        self._patches = {row["name"]: True for row in rows if row["kind"] == PATCH}

    async def next(self, name: str, kind: str) -> tuple[int, Recorded | None]:
        """Return the number of the next step, and its record if an earlier attempt made one."""
        no = self.take()
        return no, await self.find(no, name, kind)

    def take(self) -> int:
        """Return the number of the next step. Called before anything is awaited, so that concurrent steps are numbered
        in call order."""
        return self._order.take()

    async def find(self, no: int, name: str, kind: str) -> Recorded | None:
        """Return the record of a step, or None if no earlier attempt recorded it. Raises ReplayMismatch if that is the
        record of another step."""
        await self.record_failures()
        record = self._records.get(no)
        if record and (record.name, record.kind) != (name, kind):
            self.block(no, _call_text(record.kind, record.name), _call_text(kind, name))
        if record:
            await _let_others_begin()
        return record

    def block(self, no: int, expected: str, found: str) -> NoReturn:
        """Raise ReplayMismatch, which ends the attempt, because the code has changed."""
        self.mismatch = self.mismatch or ReplayMismatch(no, expected, found)
        raise self.mismatch

    def check(self) -> None:
        """Raise the mismatch that ends this attempt, if there was one: code that caught it must not continue."""
        if self.mismatch is not None:
            raise self.mismatch

    async def patched(self, name: str) -> bool:
        """Return whether the task runs the changed code: False if it had passed this point when the code changed. The
        first result for a name is kept. If it is True, a marker is recorded."""
        self.check()
        if name not in self._patches:
            self._patches[name] = self._order.last >= self._newest
            if self._patches[name]:
                self._unmarked[name] = -sum(self._patches.values())
        await self.record_failures()
        await _let_others_begin()
        async with self._lock:  # a concurrent call for the same name waits until the marker is recorded
            if name in self._unmarked:
                await self.record(self._unmarked[name], name, None, kind=PATCH)
                del self._unmarked[name]
        return self._patches[name]

    async def record(self, no: int, name: str, value: Json, *, kind: str = "step") -> None:
        """Record the result of a step. If the database rejects the record, raise Fail: it would reject the record of
        another attempt too."""
        try:
            await self._api.call("record_step", step_no=no, name=name, kind=kind, value=value)
        except (TooLarge, Conflict, InvalidInput) as error:
            raise Fail(str(error)) from error

    def failed(
        self, no: int, name: str, error: JsonObject, *, branch: Branch, tries: int = 1, children: bool = False
    ) -> None:
        """Note the failure of a step, in its JSON form. It is recorded if the code handles it and makes another call of
        `ctx`; if it ends the attempt, the next attempt runs the step again."""
        if not self._ended:
            self._failures[no] = Failure(name, error, tries, branch, children)

    async def record_failures(self) -> None:
        """Record the failures that the code has handled, in the order of the steps. Called before every call of `ctx`
        whose effect others can see."""
        self.check()
        if not self._failures:
            return
        current = asyncio.current_task()
        if any(failure.branch not in (None, current) for failure in self._failures.values()):
            for _ in range(DELIVERY_ITERATIONS):  # an error that ends the attempt must be able to do so first
                await asyncio.sleep(0)
        async with self._lock:
            for no, failure in sorted(self._failures.items()):
                if no in self._failures and _is_handled(failure.branch, current):
                    await self._record_failure(no, failure)
                    self._failures.pop(no, None)

    async def _record_failure(self, no: int, failure: Failure) -> None:
        name, error, tries = failure.name, failure.error, failure.tries
        if not failure.children:
            await self._api.call("fail_step", step_no=no, name=name, error=error, tries=tries)
            return
        with suppress(InvalidInput):  # a server of the previous version does not record this
            await self._api.call("fail_step", step_no=no, name=name, error=error, tries=tries, kind="child")

    def end(self) -> None:
        """Forget failures that were not recorded, because the attempt ends."""
        self._ended = True
        self._failures.clear()


async def _let_others_begin() -> None:
    """Let the asyncio tasks that already exist make their first call of `ctx`. They do so anyway while a call waits for
    the database, but a call that finds its record does not wait. Otherwise, in a replay, the code after such a call
    would make its next call before these tasks make theirs, and steps would get other numbers than before."""
    for _ in range(BEGIN_ITERATIONS):
        await asyncio.sleep(0)


def _call_text(kind: str, name: str) -> str:
    """Return a durable call as text: `step 'charge'`, `sleep`."""
    return kind if kind == name else f"{kind} {name!r}"


def _is_handled(branch: Branch, current: Branch) -> bool:
    """Whether the failure of a step in one asyncio task counts as handled when another asyncio task makes a call: the
    asyncio task of the step has ended, and its error was retrieved. The code that retrieved the error has had time to
    end the attempt with it."""
    if branch is None or branch is current:
        return True
    return branch.done() and not getattr(branch, "_log_traceback", False)  # set until the error is retrieved


def _recorded(row: dict[str, Any]) -> Recorded:
    return Recorded(
        name=row["name"],
        kind=row["kind"],
        value=row["value"],
        age=row["age_seconds"],
        error=row["error"],
        tries=row["tries"],
        retry_in=row["retry_in_seconds"],
    )
