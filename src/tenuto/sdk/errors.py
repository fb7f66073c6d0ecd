"""How waiting for a run can end other than with its result."""

from typing import Any, cast
from uuid import UUID


class RunFailed(Exception):
    """The run failed; `error` is what its task raised: type, message and traceback, as far as there are any."""

    def __init__(self, run_id: UUID, error: Any) -> None:
        said = cast("dict[str, Any]", error if isinstance(error, dict) else {"message": error})
        kind, message = said.get("type"), said.get("message")
        reason = ": ".join(str(part) for part in (kind, message) if part)
        super().__init__(f"run {run_id} failed" + (f" with {reason}" if reason else ""))
        self.run_id = run_id
        self.error: Any = error  # pyright: ignore[reportUnknownMemberType]
        self.type: str | None = kind
        self.message: str | None = message
        self.traceback: str | None = said.get("traceback")


class RunCancelled(Exception):
    """The run was cancelled."""

    def __init__(self, run_id: UUID, error: Any) -> None:
        said: Any = cast("Any", error).get("message") if isinstance(error, dict) else error
        super().__init__(f"run {run_id} was cancelled" + (f": {said}" if said else ""))
        self.run_id = run_id
        self.error: Any = error  # pyright: ignore[reportUnknownMemberType]


class WaitTimeout(TimeoutError):
    """The run had not ended in time. It goes on."""

    def __init__(self, run_id: UUID, seconds: float) -> None:
        super().__init__(
            f"run {run_id} has not ended within {seconds:g} s and goes on: `tenuto runs show {run_id}` says how far, "
            "`await run.cancel()` stops it"
        )
        self.run_id = run_id
