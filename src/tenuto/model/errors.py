"""The table of errors: SQL raises the code, Python the class, and HTTP responds with the status and the name."""

from typing import ClassVar

from tenuto.model.statuses import ProblemCode


class TenutoError(Exception):
    """Tenuto refused a call. `hint` says what to do."""

    code: ClassVar[str]
    name: ClassVar[ProblemCode]
    status: ClassVar[int]

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message = message
        self.hint = hint


class NotFound(TenutoError):
    """The requested object does not exist, or belongs to another org."""

    code, name, status = "TN001", "not_found", 404


class SessionEnded(TenutoError):
    """The worker's session has ended and cannot be continued: register again."""

    code, name, status = "TN002", "session_ended", 409


class InvalidInput(TenutoError):
    """An argument is invalid. The message contains the argument and its value."""

    code, name, status = "TN003", "invalid_input", 422


class Conflict(TenutoError):
    """The current state does not allow this call."""

    code, name, status = "TN004", "conflict", 409


class StaleLease(TenutoError):
    """The caller no longer holds the attempt: another worker has the task, or the attempt has ended."""

    code, name, status = "TN005", "stale_lease", 409


class Cancelled(TenutoError):
    """The task is being cancelled and may not start anything new."""

    code, name, status = "TN006", "cancelled", 409


class TooLarge(TenutoError):
    """A value is over its size limit: put it into a data object."""

    code, name, status = "TN007", "too_large", 413


class Unauthorized(TenutoError):
    """The credential is missing, wrong, revoked or expired."""

    code, name, status = "TN008", "unauthorized", 401


class Forbidden(TenutoError):
    """The caller is authenticated but lacks the permission."""

    code, name, status = "TN009", "forbidden", 403


class RateLimited(TenutoError):
    """Too many requests in too short a time: the hint says when to retry."""

    code, name, status = "TN010", "rate_limited", 429


class WrongIsolation(TenutoError):
    """The call is only possible in a transaction that is READ COMMITTED."""

    code, name, status = "TN011", "wrong_isolation", 409


class CopiedDatabase(TenutoError):
    """The database is a copy of an installation: nothing runs on it until an admin adopts it with `tenuto db adopt`."""

    code, name, status = "TN012", "copied_database", 409


ERRORS: tuple[type[TenutoError], ...] = (
    NotFound,
    SessionEnded,
    InvalidInput,
    Conflict,
    StaleLease,
    Cancelled,
    TooLarge,
    Unauthorized,
    Forbidden,
    RateLimited,
    WrongIsolation,
    CopiedDatabase,
)
BY_CODE = {error.code: error for error in ERRORS}


def message_of(error: BaseException) -> str:
    """Return the message of an exception, or the name of its class if it has no message, as a timeout."""
    return str(error) or type(error).__name__
