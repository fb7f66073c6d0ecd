"""The attempt whose code is running here: what logging and tracing attach to."""

from contextvars import ContextVar
from typing import Any, Protocol


class RunningAttempt(Protocol):
    """What a context needs to know of its attempt."""

    task_id: str
    run_id: str
    no: int
    cancelled: bool
    metadata: Any
    task: Any


running: ContextVar[RunningAttempt | None] = ContextVar("tenuto_running", default=None)
