"""One attempt in this worker process."""

from typing import Any

from tenuto.db.connection.claim_connection import Row
from tenuto.runtimes.outcomes import Outcome
from tenuto.sdk.task import Task


class Attempt:
    """A claimed task and its state in this process."""

    __slots__ = ("arrived", "cancelled", "failures", "input", "job", "lines", "metadata", "no", "over", "place",
                 "run_id", "slots", "started", "stop", "task", "task_id", "timeout")  # fmt: skip

    def __init__(self, row: Row, task: Any, arrived: float) -> None:
        _, self.task_id, self.no, self.run_id, _, self.input, self.slots, self.timeout, self.metadata = row
        self.task: Task[..., Any] = task
        self.arrived = arrived
        self.started = 0.0
        self.cancelled = False  # asked to stop: cancelled, timed out, or the worker shuts down
        self.stop: Outcome | None = None  # the outcome to report if it stops because it was asked to
        self.over = False  # its outcome is being reported; anything its code still does is ignored
        self.job: Any = None  # the handle with which the runtime can stop it
        self.lines = 0
        self.failures = 0  # number of earlier failures; fetched if the retry policy needs it
        self.place = -1  # index in the crash ledger

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
