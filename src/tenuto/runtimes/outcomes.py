"""The possible outcomes of an attempt, and their JSON form."""

from dataclasses import dataclass, field, fields
from typing import Any

from tenuto.model.json import JsonObject
from tenuto.model.text import clean, redact
from tenuto.sdk.retries import NEVER


@dataclass(slots=True)
class Completed:
    """The function returned; `output` is JSON text. `published`: the data that a job's task wrote, to be committed. Not
    frozen, because creating a frozen object takes twice as long."""

    output: str | None
    published: list[JsonObject] | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The function raised an error. `retry`: None for the task's backoff, a number of seconds, or -1 for never.
    `exception`: the error for the app's failure hooks, if there are any; it is not sent to other processes."""

    error: dict[str, Any]
    retry: float | None = None
    exception: BaseException | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Lost:
    """The process that ran the attempt died."""

    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Snoozed:
    """The task runs again later. This does not count as an attempt."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """The task waits for children, a signal or a time."""

    wait: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Blocked:
    """The code called another step than an earlier attempt recorded: other code must continue the task. Does not count
    as an attempt. `mismatch` holds `step_no`, `expected` and `found`. `code_version`: the version that ran, if it may
    differ from the version that the worker has registered."""

    mismatch: dict[str, Any]
    code_version: str | None = None


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The attempt is given back and does not count, for example because the worker shuts down."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The lease was lost: the outcome is not reported."""


CANCELLED = Failed({"type": "Cancelled", "message": "it was cancelled"}, NEVER)

Outcome = Completed | Failed | Lost | Snoozed | Waiting | Blocked | Interrupted | Dropped


MAX_ERROR_CHARACTERS = 200_000


def describe(error: BaseException, *, traceback: str | None = None) -> dict[str, Any]:
    """Return the stored form of an error: type, message and traceback."""
    try:
        message = str(error) or repr(error)
    except BaseException:  # __str__ is user code, and may raise CancelledError or SystemExit
        message = f"a {type(error).__name__} whose message cannot be read"
    kept: dict[str, Any] = {"type": type(error).__name__, "message": clean(_head(redact(message)))}
    if traceback:
        kept["traceback"] = clean(_head(redact(traceback)))
    return kept


def _head(text: str) -> str:
    """Truncate a text, because jsonb rejects texts over 256 MB, and with them all other failures of the batch."""
    if len(text) <= MAX_ERROR_CHARACTERS:
        return text
    return f"{text[:MAX_ERROR_CHARACTERS]}… ({len(text) - MAX_ERROR_CHARACTERS} more characters were cut)"


KINDS = {kind.__name__: kind for kind in (Completed, Failed, Lost, Snoozed, Waiting, Blocked, Interrupted, Dropped)}


def to_json(outcome: Outcome) -> dict[str, Any]:
    """Return the JSON form that is sent between processes."""
    names = [part.name for part in fields(outcome) if part.name != "exception"]
    return {"kind": type(outcome).__name__, **{name: getattr(outcome, name) for name in names}}


def from_json(value: dict[str, Any]) -> Outcome:
    kind = KINDS[value.pop("kind")]
    return kind(**value)
