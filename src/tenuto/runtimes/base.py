"""The interface between a worker and the places where code runs. A runtime starts attempts, and a handle stops one
attempt. CONTRIBUTING.md describes how to add a runtime."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from tenuto.model.json import JsonObject
from tenuto.model.tasks import Row
from tenuto.runtimes.outcomes import Outcome
from tenuto.runtimes.process_settings import ProcessSettings
from tenuto.sdk.context.attempt_api import ContextApi
from tenuto.sdk.hooks import Hooks
from tenuto.sdk.task import Task


class Handle(Protocol):
    """Stops one attempt. `Runtime.submit` returns it. Its methods are called on the event loop."""

    def ask_to_stop(self) -> None:
        """Ask the code to stop. The caller has already set `attempt.cancelled`. The code has a few seconds to end."""
        ...

    def kill(self) -> bool:
        """End code that did not stop. Return False if that is impossible: the code then continues, and its outcome is
        ignored."""
        ...


class Attempt:
    """A claimed task and its state in this process, which is a worker or a process that a worker started."""

    __slots__ = ("arrived", "cancelled", "failures", "handle", "input", "ledger_index", "lines", "metadata", "no",
                 "number", "over", "published", "root_id", "route", "run_id", "slots", "started", "stop", "task",
                 "task_id", "timeout")  # fmt: skip

    task_id: str
    no: int
    run_id: str
    route: int
    input: str | None  # JSON text
    slots: str | None  # JSON text
    timeout: float | None
    metadata: str | None  # JSON text
    root_id: str | None  # the id of the original task, if a retry of a run copied this task

    def __init__(self, row: Row, task: Any, arrived: float) -> None:
        (
            _, self.task_id, self.no, self.run_id, self.route, self.input, self.slots, self.timeout, self.metadata,
            self.root_id,
        ) = row  # fmt: skip
        self.task: Task[..., Any] = task
        self.arrived = arrived
        self.started = 0.0
        self.cancelled = False  # asked to stop: cancelled, timed out, or the worker shuts down
        self.stop: Outcome | None = None  # the outcome to report if it stops because it was asked to
        self.over = False  # its outcome is being reported; anything its code still does is ignored
        self.handle: Handle | None = None
        self.lines = 0
        self.failures = 0  # number of earlier failures; fetched if `has_past`
        # If `has_past`, this is replaced by the number that users see, which does not count claims after waits, snoozes
        # and given-back attempts.
        self.number = self.no
        self.ledger_index = -1  # in the crash ledger
        self.published: list[JsonObject] | None = None  # what the task of a job wrote; committed when it completes

    @property
    def idempotency_key(self) -> str:
        """The id of the task, or of the original task if this one is a copy: the same on every attempt, and in retries
        of the run."""
        return self.root_id or self.task_id

    @property
    def may_replay(self) -> bool:
        """Whether there may be recorded steps: of an earlier attempt or, if this task is a copy, of the original
        task."""
        return self.no > 1 or self.root_id is not None

    @property
    def needs_fetch(self) -> bool:
        """Whether data must be fetched before the attempt can start."""
        if self.slots is None and self.no == 1:  # most attempts
            return False
        return self.has_objects or self.has_past or self.is_partial

    @property
    def is_partial(self) -> bool:
        """Whether the claim omitted the inputs of the task because of their size: `{"$fetch": 310}` instead of 310
        slots."""
        return self.slots is not None and self.slots.startswith("{")

    @property
    def has_objects(self) -> bool:
        """Whether part of the task's input is stored in data objects."""
        return self.slots is not None and '"$object"' in self.slots

    @property
    def has_past(self) -> bool:
        """Whether the number of earlier failures must be read: the retry policy or `ctx` uses it, and it can be more
        than 0."""
        return self.no > 1 and (self.task.counts_failures or self.task.run_takes_context)


class Runtime(Protocol):
    """Runs attempts. Its methods are called on the event loop, and it must not block the loop."""

    def submit(self, attempt: Attempt) -> Handle:
        """Start an attempt. The runtime must call `host.began` when the code starts and, in every case, `host.ended`
        with the outcome, both on the event loop."""
        ...


@runtime_checkable
class ProcessKeeper(Protocol):
    """A runtime that keeps processes for later attempts."""

    async def close(self) -> None:
        """End the idle processes."""
        ...


class LogSink(Protocol):
    """Stores log lines of attempts."""

    def add(
        self, attempt: Attempt, level: str, message: str, fields: dict[str, Any] | None, created: float
    ) -> None: ...


@dataclass(frozen=True)
class RuntimeHost:
    """The services that a worker offers to its runtimes."""

    loop: asyncio.AbstractEventLoop
    process: ProcessSettings  # for processes that a runtime starts
    hooks: Hooks  # of all apps of the worker
    open_api: Callable[[Attempt], ContextApi]  # the calls of an attempt: steps, children, data
    logs: LogSink
    began: Callable[[Attempt], None]  # starts the timeout of the attempt
    ended: Callable[[Attempt, Outcome], None]  # only the first call per attempt counts
    # Must be awaited every few seconds while the process for an attempt is being prepared, to delay its timeout.
    preparing: Callable[[Attempt], Awaitable[None]]
    # Return the next waiting attempt for this handle, or None if no attempt can follow or the turn that began at the
    # given time is over.
    next_attempt: Callable[[float, Handle], Attempt | None]
