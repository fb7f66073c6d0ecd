"""One attempt in this process."""

from typing import Any

from tenuto.db.connection.claim_connection import Row
from tenuto.runtimes.outcomes import Outcome
from tenuto.sdk.task import Task


class Attempt:
    """A claimed task on its way through this process."""

    __slots__ = ("arrived", "cancelled", "failures", "input", "job", "lines", "metadata", "no", "over", "place",
                 "run_id", "slots", "started", "stop", "task", "task_id", "timeout")  # fmt: skip

    def __init__(self, row: Row, task: Any, arrived: float) -> None:
        _, self.task_id, self.no, self.run_id, _, self.input, self.slots, self.timeout, self.metadata = row
        self.task: Task[..., Any] = task
        self.arrived = arrived
        self.started = 0.0
        self.cancelled = False  # asked to stop: by a person, its timeout or the end of the worker
        self.stop: Outcome | None = None  # what it counts as when it stops because it was asked to
        self.over = False  # its outcome is on the way; whatever its code still does is ignored
        self.job: Any = None  # what the runtime needs to stop it
        self.lines = 0
        self.failures = 0  # before this one; looked up where the task's retry policy counts them
        self.place = -1  # in the ledger

    @property
    def apart(self) -> bool:
        """Whether something must be fetched before it can begin."""
        return self.has_objects or self.has_past or self.is_partial

    @property
    def is_partial(self) -> bool:
        """Whether the claim left out its input because it was too large: `{"$fetch": 310}` instead of 310 slots."""
        return self.slots is not None and self.slots.startswith("{")

    @property
    def has_objects(self) -> bool:
        """Whether some of its input lies in data objects."""
        return self.slots is not None and '"$object"' in self.slots

    @property
    def has_past(self) -> bool:
        """Whether its failures so far matter: the policy counts them, and there may be some."""
        return self.no > 1 and self.task.counts_failures
