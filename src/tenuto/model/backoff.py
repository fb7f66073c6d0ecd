"""Pauses between attempts: they grow, and are random, so that processes that failed together do not return together."""

import random

FIRST_PAUSE_SECONDS = 0.05


def jitter(seconds: float, spread: float = 0.5) -> float:
    """Returns a random time around `seconds`: at most `spread`, a fraction of it, shorter or longer."""
    return seconds * random.uniform(1 - spread, 1 + spread)  # noqa: S311 (not a secret)


class Backoff:
    """Returns the pause before the next attempt: it doubles with every failure, up to `longest` seconds."""

    def __init__(self, longest: float, *, first: float = FIRST_PAUSE_SECONDS) -> None:
        self._first, self._longest = first, longest
        self.reset()

    def reset(self) -> None:
        """Begin with the first pause again, after a success."""
        self._pause = self._first

    def after(self, problem: BaseException) -> float:
        """Return the pause after a failure. An error with `retry_after` sets the pause itself: during an outage, every
        attempt to connect waits for its turn anyway."""
        if (seconds := getattr(problem, "retry_after", None)) is not None:
            self.reset()
            return seconds
        pause, self._pause = self._pause, min(self._longest, 2 * self._pause)
        return jitter(pause)
