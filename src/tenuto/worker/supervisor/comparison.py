"""Decides which heartbeats of a session compare the held attempts with the database. Not all do, because a comparison
reads all attempts of the session in the database."""

COMPARE_EVERY_SECONDS = 60.0


class Comparison:
    """Remembers, for one session, the last comparison that the database accepted. The first heartbeat compares, then
    one heartbeat per minute. After a claim was given up, every heartbeat compares until a comparison has covered this
    claim."""

    def __init__(self) -> None:
        self._settled, self._at = -1, 0.0

    def settled(self, settled: int, given_up: int, now: float) -> int | None:
        """Return `settled` if the next heartbeat must compare, otherwise None. `settled`: the number up to which all
        claims are settled; a heartbeat that compares sends it. `given_up`: the number of the last claim that was given
        up."""
        due = self._settled < 0 or given_up > self._settled or now - self._at >= COMPARE_EVERY_SECONDS
        return settled if due else None

    def accepted(self, settled: int | None, now: float) -> None:
        """Record that the database accepted a heartbeat. `settled`: the value that it sent, or None."""
        if settled is not None:
            self._settled, self._at = settled, now
