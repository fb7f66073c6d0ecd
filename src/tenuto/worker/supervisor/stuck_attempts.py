"""Finds lost attempts that a child process does not stop."""

STUCK_SECONDS = 5.0  # longer than a child waits for an attempt that does not stop


class StuckAttempts:
    """The attempts that the child still runs although they are lost, and since when."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, int], float] = {}

    def find(self, lost: set[tuple[str, int]], now: float) -> list[str]:
        """Return the tasks of these attempts if one has been lost for several seconds: it has exceeded its timeout and
        blocks the event loop or the interpreter, so that all other tasks of the process would have to wait."""
        self._since = {fence: self._since.get(fence, now) for fence in lost}
        stuck = any(now - since > STUCK_SECONDS for since in self._since.values())
        return [task_id for task_id, _ in self._since] if stuck else []
