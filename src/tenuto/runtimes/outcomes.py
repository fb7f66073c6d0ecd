"""How an attempt can end."""

from dataclasses import asdict, dataclass
from typing import Any

from tenuto.model.text import clean


@dataclass(frozen=True, slots=True)
class Completed:
    """The function returned; the output as JSON text."""

    output: str | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The function raised. retry: None by the task's backoff, seconds, or -1 for never."""

    error: dict[str, Any]
    retry: float | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """The process that ran it died."""

    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Snoozed:
    """It comes back later, uncharged."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """It waits for children, a signal or a time."""

    wait: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The worker stops: given back, uncharged."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The lease is gone: nobody wants to hear of it."""


Outcome = Completed | Failed | Lost | Snoozed | Waiting | Interrupted | Dropped


MAX_ERROR_CHARACTERS = 200_000


def describe(error: BaseException, *, traceback: str | None = None) -> dict[str, Any]:
    """An error as it is kept: type, message and where it came from."""
    try:
        message = str(error) or repr(error)
    except Exception:  # user code wrote its __str__
        message = f"a {type(error).__name__} that cannot be shown"
    kept: dict[str, Any] = {"type": type(error).__name__, "message": clean(_head(message))}
    if traceback:
        kept["traceback"] = clean(_head(traceback))
    return kept


def _head(text: str) -> str:
    """Not more than can be sent: Postgres refuses a text over 256 MB, and with it every failure reported beside it."""
    if len(text) <= MAX_ERROR_CHARACTERS:
        return text
    return f"{text[:MAX_ERROR_CHARACTERS]}… ({len(text) - MAX_ERROR_CHARACTERS} more characters were cut)"


KINDS = {kind.__name__: kind for kind in (Completed, Failed, Lost, Snoozed, Waiting, Interrupted, Dropped)}


def to_json(outcome: Outcome) -> dict[str, Any]:
    """For the way from one process to another."""
    return {"kind": type(outcome).__name__, **asdict(outcome)}


def from_json(value: dict[str, Any]) -> Outcome:
    kind = KINDS[value.pop("kind")]
    return kind(**value)
