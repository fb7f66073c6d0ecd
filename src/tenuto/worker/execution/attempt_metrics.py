"""How many attempts ended here, and how long they ran: counted in the child, shown by its supervisor."""

from typing import Any


class AttemptMetrics:
    """Since it was last taken. Counting is on the hot path: a dictionary, no metric objects."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[float]] = {}

    def note(self, task: str, outcome: str, seconds: float) -> None:
        found = self._found.get((task, outcome))
        if found is None:
            self._found[task, outcome] = [1, seconds]
        else:
            found[0] += 1
            found[1] += seconds

    def take(self) -> list[Any]:
        found, self._found = self._found, {}
        return [[task, outcome, count, seconds] for (task, outcome), (count, seconds) in found.items()]


def show(counts: list[Any]) -> None:
    """Add what a child counted to the metrics of this process."""
    from tenuto.model.metrics import TASK_SECONDS, TASKS_ENDED  # not for children, which count only

    for task, outcome, count, seconds in counts:
        labels = {"type": task, "outcome": outcome.lower()}
        TASKS_ENDED.labels(**labels).inc(count)
        TASK_SECONDS.labels(**labels).inc(seconds)
