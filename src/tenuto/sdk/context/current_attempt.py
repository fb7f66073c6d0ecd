"""The attempt that the current code belongs to, for logging and tracing."""

from contextvars import ContextVar
from typing import Any, Protocol

from tenuto.model.json import JsonObject


class RunningAttempt(Protocol):
    """The properties of an attempt that a context needs."""

    task_id: str
    run_id: str
    no: int
    number: int  # 1 plus the number of attempts that failed or were lost
    cancelled: bool
    metadata: Any
    task: Any
    published: list[JsonObject] | None  # what the task of a job wrote; committed when the task completes

    @property
    def idempotency_key(self) -> str: ...

    @property
    def may_replay(self) -> bool: ...


running: ContextVar[RunningAttempt | None] = ContextVar("tenuto_running", default=None)
