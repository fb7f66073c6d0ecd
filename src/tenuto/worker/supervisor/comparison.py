"""Decides which heartbeats of a session compare the held attempts with the database. Not all do, because a comparison
reads all attempts of the session in the database."""

COMPARE_EVERY_SECONDS = 60.0


class Comparison:
    """The last comparison of one session that the database accepted. The first heartbeat compares, then one heartbeat
    per minute. After a claim was given up, every heartbeat compares until one has covered that claim."""

    def __init__(self) -> None:
        self._settled, self._at = -1, 0.0

    def settled(self, settled: int, given_up: int, now: float) -> int | None:
        """Return the number of the last settled claim, which a heartbeat that compares must send; None if no comparison
        is due."""
        due = self._settled < 0 or given_up > self._settled or now - self._at >= COMPARE_EVERY_SECONDS
        return settled if due else None

    def accepted(self, settled: int | None, now: float) -> None:
        """Record that the database accepted a heartbeat with the result of `settled`."""
        if settled is not None:
            self._settled, self._at = settled, now
