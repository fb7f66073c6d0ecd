"""Errors raised while waiting for the result of a run."""

from uuid import UUID

from tenuto.model.json import Json
from tenuto.model.stored_errors import describe_cancel, describe_error


class RunFailed(Exception):
    """The run failed. `error`, `type`, `message` and `traceback` describe what its task raised, as far as known."""

    def __init__(self, run_id: UUID, error: Json) -> None:
        details = error if isinstance(error, dict) else {"message": error}
        self.type, self.message, self.traceback = (_text(details.get(key)) for key in ("type", "message", "traceback"))
        reason = ": ".join(part for part in (self.type, self.message) if part)
        reason = f" with {reason}" if reason else f": {noted}" if (noted := describe_error(error)) else ""
        super().__init__(f"run {run_id} failed{reason}")
        self.run_id, self.error = run_id, error


class RunCancelled(Exception):
    """The run was cancelled."""

    def __init__(self, run_id: UUID, error: Json) -> None:
        reason = describe_cancel(error)
        super().__init__(f"run {run_id} was cancelled" + (f": {reason}" if reason else ""))
        self.run_id, self.error = run_id, error


class WaitTimeout(TimeoutError):
    """The run did not end within the timeout. It keeps running."""

    def __init__(self, run_id: UUID, seconds: float, note: str | None = None) -> None:
        super().__init__(
            f"run {run_id} has not ended within {seconds:.15g} s and continues: "
            f"`tenuto runs show {run_id}` shows its progress, `await run.cancel()` stops it"
            + (f"; {note}" if note else "")
        )
        self.run_id = run_id


def _text(value: Json) -> str | None:
    return None if value is None else str(value)
