"""Errors raised while waiting for the result of a run."""

from typing import Any, cast
from uuid import UUID


class RunFailed(Exception):
    """The run failed. `error`, `type`, `message` and `traceback` describe what its task raised, as far as known."""

    def __init__(self, run_id: UUID, error: Any) -> None:
        details = cast("dict[str, Any]", error if isinstance(error, dict) else {"message": error})
        kind, message = details.get("type"), details.get("message")
        reason = ": ".join(str(part) for part in (kind, message) if part)
        super().__init__(f"run {run_id} failed" + (f" with {reason}" if reason else ""))
        self.run_id = run_id
        self.error: Any = error  # pyright: ignore[reportUnknownMemberType]
        self.type: str | None = kind
        self.message: str | None = message
        self.traceback: str | None = details.get("traceback")


class RunCancelled(Exception):
    """The run was cancelled."""

    def __init__(self, run_id: UUID, error: Any) -> None:
        reason: Any = cast("Any", error).get("message") if isinstance(error, dict) else error
        super().__init__(f"run {run_id} was cancelled" + (f": {reason}" if reason else ""))
        self.run_id = run_id
        self.error: Any = error  # pyright: ignore[reportUnknownMemberType]


class WaitTimeout(TimeoutError):
    """The run did not end within the timeout. It keeps running."""

    def __init__(self, run_id: UUID, seconds: float) -> None:
        super().__init__(
            f"run {run_id} has not ended within {seconds:g} s and continues: "
            f"`tenuto runs show {run_id}` shows its progress, `await run.cancel()` stops it"
        )
        self.run_id = run_id
