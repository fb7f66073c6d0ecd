"""The interface between a worker and the places where code runs: attempts, runtimes that start them, handles that stop
them. CONTRIBUTING.md describes how to add a runtime."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from tenuto.model.tasks import Row
from tenuto.runtimes.outcomes import Outcome
from tenuto.sdk.context.attempt_api import AttemptApi
from tenuto.sdk.task import Task


class Handle(Protocol):
    """Stops one attempt; `Runtime.submit` returns it. Called on the event loop."""

    def ask_to_stop(self) -> None:
        """Ask the code to stop; `attempt.cancelled` is set. It has a few seconds to end."""
        ...

    def kill(self) -> bool:
        """End code that did not stop. Return False if that is impossible, so that the code is left behind; its outcome
        is ignored."""
        ...


class Attempt:
    """A claimed task and its state in this process: a worker, or a process that a worker started for it."""

    __slots__ = ("arrived", "cancelled", "failures", "handle", "input", "ledger_index", "lines", "metadata", "no",
                 "over", "run_id", "slots", "started", "stop", "task", "task_id", "timeout")  # fmt: skip

    task_id: str
    no: int
    run_id: str
    input: str | None  # JSON text
    slots: str | None  # JSON text
    timeout: float | None
    metadata: str | None  # JSON text

    def __init__(self, row: Row, task: Any, arrived: float) -> None:
        _, self.task_id, self.no, self.run_id, _, self.input, self.slots, self.timeout, self.metadata = row
        self.task: Task[..., Any] = task
        self.arrived = arrived
        self.started = 0.0
        self.cancelled = False  # asked to stop: cancelled, timed out, or the worker shuts down
        self.stop: Outcome | None = None  # the outcome to report if it stops because it was asked to
        self.over = False  # its outcome is being reported; anything its code still does is ignored
        self.handle: Handle | None = None
        self.lines = 0
        self.failures = 0  # number of earlier failures; fetched if the retry policy needs it
        self.ledger_index = -1  # in the crash ledger

    @property
    def apart(self) -> bool:
        """Whether data must be fetched before it can start."""
        return self.has_objects or self.has_past or self.is_partial

    @property
    def is_partial(self) -> bool:
        """Whether the claim omitted its input because of its size: `{"$fetch": 310}` instead of 310 slots."""
        return self.slots is not None and self.slots.startswith("{")

    @property
    def has_objects(self) -> bool:
        """Whether part of its input is stored in data objects."""
        return self.slots is not None and '"$object"' in self.slots

    @property
    def has_past(self) -> bool:
        """Whether the number of earlier failures must be read: the retry policy uses it, and it may not be 0."""
        return self.no > 1 and self.task.counts_failures


class Runtime(Protocol):
    """Runs attempts. Its methods are called on the event loop, and it must not block the loop."""

    def submit(self, attempt: Attempt) -> Handle:
        """Start an attempt. Call `host.began` when its code starts and, in every case, `host.ended` with its
        outcome, both on the event loop."""
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
    target: str  # module:app of the worker
    open_api: Callable[[Attempt], AttemptApi]  # the calls of an attempt: steps, children, data
    logs: LogSink
    began: Callable[[Attempt], None]  # its timeout starts now
    ended: Callable[[Attempt, Outcome], None]  # only the first call per attempt counts
    # Await it every few seconds while the place for an attempt is being prepared: its timeout does not run yet.
    preparing: Callable[[Attempt], Awaitable[None]]
    # Return the next waiting attempt for this handle, or None if the turn that began at the given time is over.
    next_attempt: Callable[[float, Handle], Attempt | None]
