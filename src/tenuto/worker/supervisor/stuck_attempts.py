"""Finds lost attempts that a child process does not stop."""

STUCK_SECONDS = 5.0  # longer than a child waits for an attempt that does not stop


class StuckAttempts:
    """The attempts that the child still runs although they are lost, and since when."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, int], float] = {}

    def find(self, lost: set[tuple[str, int]], now: float) -> list[str]:
        """Return the tasks of all these attempts if one of them has been lost for more than STUCK_SECONDS, otherwise an
        empty list. Such an attempt has exceeded its timeout and blocks the event loop or the interpreter, so all other
        tasks of the process have to wait."""
        self._since = {fence: self._since.get(fence, now) for fence in lost}
        stuck = any(now - since > STUCK_SECONDS for since in self._since.values())
        return [task_id for task_id, _ in self._since] if stuck else []
