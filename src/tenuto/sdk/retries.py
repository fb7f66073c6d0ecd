"""Retry policies: how long to wait after a failure, or whether to try again at all."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.sdk.context.control import Fail

NEVER = -1.0  # the kernel's word for "do not try again"
LONGEST_BACKOFF = 600.0  # the kernel's own cap


@dataclass(frozen=True)
class Fixed:
    """The same pause after every failure: `retry=Fixed("10s")`."""

    after: Duration

    def __post_init__(self) -> None:
        seconds(self.after, "Fixed(after)")


@dataclass(frozen=True)
class Exponential:
    """A pause that doubles, with jitter: `retry=Exponential(base="2s", maximum="10m")`."""

    base: Duration = 2
    maximum: Duration = LONGEST_BACKOFF

    def __post_init__(self) -> None:
        base = seconds(self.base, "Exponential(base)")
        maximum = seconds(self.maximum, "Exponential(maximum)", positive=True)
        if maximum < base:
            raise InvalidInput(f"Exponential: maximum {self.maximum!r} is less than base {self.base!r}")


# Called with the error and how many failures there were, this one included. Answers a pause, None for the default
# backoff, or Fail (the class, or one with a message) to give up.
ByError = Callable[[BaseException, int], Any]
RetryPolicy = Fixed | Exponential | ByError


def backoff_seconds(policy: RetryPolicy | None) -> float | None:
    """The base that the kernel doubles; it is used as it is for lost attempts, whatever the policy."""
    match policy:
        case Fixed(after):
            return seconds(after)
        case Exponential(base):
            return seconds(base)
        case _:
            return None


def counts_failures(policy: RetryPolicy | None) -> bool:
    """Whether the policy's answer depends on how many there were: attempts that waited or were lost are none."""
    return policy is not None and (not isinstance(policy, Fixed | Exponential) or _is_longer(policy))


def _is_longer(policy: Fixed | Exponential) -> bool:
    return isinstance(policy, Exponential) and seconds(policy.maximum) != LONGEST_BACKOFF


def retry_after(policy: RetryPolicy | None, error: BaseException, failures: int) -> float | None:
    """Seconds until the next attempt, None for the kernel's backoff, NEVER for no further attempt."""
    match policy:
        case None:
            return None
        case Fixed(after):
            return seconds(after)
        case Exponential(base, maximum):
            most = seconds(maximum)
            if most == LONGEST_BACKOFF:
                return None
            pause = min(most, seconds(base) * 2.0 ** min(failures - 1, 30))
            return pause * random.uniform(0.5, 1.5)  # noqa: S311 (jitter, not a secret)
        case _:
            return _read_answer(policy(error, failures))


def _read_answer(answer: Any) -> float | None:
    if answer is Fail or isinstance(answer, Fail):
        return NEVER
    return None if answer is None else seconds(answer, "what the retry policy answered")
