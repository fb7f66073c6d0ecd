"""The attempt that the current code belongs to, for logging and tracing."""

from contextvars import ContextVar
from typing import Any, Protocol


class RunningAttempt(Protocol):
    """The properties of an attempt that a context needs."""

    task_id: str
    run_id: str
    no: int
    cancelled: bool
    metadata: Any
    task: Any


running: ContextVar[RunningAttempt | None] = ContextVar("tenuto_running", default=None)
