"""Retry policies: how long to wait after a failure, and whether to retry at all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from tenuto.model.backoff import jitter
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.sdk.context.control import Fail

NEVER = -1.0  # tells the SQL functions not to retry
MAX_BACKOFF_SECONDS = 600.0  # the cap that the SQL functions apply


@dataclass(frozen=True)
class Fixed:
    """The same pause after every failure: `retry=Fixed("10s")`."""

    after: Duration

    def __post_init__(self) -> None:
        seconds(self.after, "Fixed(after)")


@dataclass(frozen=True)
class Exponential:
    """A pause that doubles after each failure, with jitter: `retry=Exponential(base="2s", maximum="10m")`."""

    base: Duration = 2
    maximum: Duration = MAX_BACKOFF_SECONDS

    def __post_init__(self) -> None:
        base = seconds(self.base, "Exponential(base)")
        maximum = seconds(self.maximum, "Exponential(maximum)", positive=True)
        if maximum < base:
            raise InvalidInput(f"Exponential: maximum {self.maximum!r} is less than base {self.base!r}")


# Called with the error and the number of failures so far, including this one. Returns a pause, None for the default
# backoff, or Fail (the class, or an instance with a message) to give up.
ByError = Callable[[BaseException, int], Duration | Fail | type[Fail] | None]
RetryPolicy = Fixed | Exponential | ByError


def backoff_seconds(policy: RetryPolicy | None) -> float | None:
    """Return the first pause in seconds, or None for the default. The SQL functions double it per failure. It also
    applies to lost attempts."""
    match policy:
        case Fixed(after):
            return seconds(after)
        case Exponential(base):
            return seconds(base)
        case _:
            return None


def counts_failures(policy: RetryPolicy | None) -> bool:
    """Whether the policy depends on the number of failures. Attempts that waited or were lost are not failures."""
    return policy is not None and (not isinstance(policy, Fixed | Exponential) or _is_longer(policy))


def _is_longer(policy: Fixed | Exponential) -> bool:
    return isinstance(policy, Exponential) and seconds(policy.maximum) != MAX_BACKOFF_SECONDS


def retry_after(policy: RetryPolicy | None, error: BaseException, failures: int) -> float | None:
    """Return the seconds until the next attempt, None for the default backoff, or NEVER for no further attempt."""
    match policy:
        case None:
            return None
        case Fixed(after):
            return seconds(after)
        case Exponential():
            return _doubled(policy, failures) if _is_longer(policy) else None
        case _:
            return _read_delay(policy(error, failures))


def pause_after(policy: RetryPolicy | None, error: BaseException, failures: int) -> float:
    """Return the same as `retry_after`, but the default backoff as a number of seconds. Used for steps, which SQL does
    not delay."""
    pause = retry_after(policy, error, failures)
    if pause is not None:
        return pause
    return _doubled(policy if isinstance(policy, Exponential) else Exponential(), failures)


def policy_failed(message: object, type: object, reason: object) -> str:
    """Return the message of an error whose retry policy raised an error itself or returned no pause: both errors."""
    return f"{message} (its retry policy failed, so the default backoff applies: {type}: {reason})"


def _doubled(policy: Exponential, failures: int) -> float:
    return jitter(min(seconds(policy.maximum), seconds(policy.base) * 2.0 ** min(failures - 1, 30)))


def _read_delay(delay: Duration | Fail | type[Fail] | None) -> float | None:
    if isinstance(delay, Fail) or delay is Fail:
        return NEVER
    return None if delay is None else seconds(cast("Duration", delay), "the return value of the retry policy")
