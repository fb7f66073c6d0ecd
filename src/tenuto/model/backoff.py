"""Pauses between attempts. They grow and are random, so that processes that failed at the same time do not retry at the
same time."""

import random

FIRST_PAUSE_SECONDS = 0.05


def jitter(seconds: float, spread: float = 0.5) -> float:
    """Returns a random time between `seconds` · (1 - `spread`) and `seconds` · (1 + `spread`)."""
    return seconds * random.uniform(1 - spread, 1 + spread)  # noqa: S311 (not a secret)


class Backoff:
    """Computes the pause before the next attempt. The pause doubles with every failure, up to `longest` seconds."""

    def __init__(self, longest: float, *, first: float = FIRST_PAUSE_SECONDS) -> None:
        self._first, self._longest = first, longest
        self.reset()

    def reset(self) -> None:
        """Called after a success: the next pause is the first one again."""
        self._pause = self._first

    def after(self, problem: BaseException) -> float:
        """Return the pause after a failure. If the error has `retry_after`, that is the pause, and it does not grow.
        Such an error is raised during an outage, when attempts to connect already wait for each other."""
        if (seconds := getattr(problem, "retry_after", None)) is not None:
            self.reset()
            return seconds
        pause, self._pause = self._pause, min(self._longest, 2 * self._pause)
        return jitter(pause)
