"""Counts ended attempts and their run time in a child process; the supervisor exports them as metrics."""

from typing import Any


class AttemptMetrics:
    """Counts since the last `take`. On the hot path: uses a dictionary instead of metric objects."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[float]] = {}

    def note(self, task: str, outcome: str, seconds: float) -> None:
        entry = self._found.get((task, outcome))
        if entry is None:
            self._found[task, outcome] = [1, seconds]
        else:
            entry[0] += 1
            entry[1] += seconds

    def take(self) -> list[Any]:
        counts, self._found = self._found, {}
        return [[task, outcome, count, seconds] for (task, outcome), (count, seconds) in counts.items()]


def show(counts: list[Any]) -> None:
    """Add the counts of a child process to the metrics of this process."""
    from tenuto.model.metrics import TASK_SECONDS, TASKS_ENDED  # imported late: children only count

    for task, outcome, count, seconds in counts:
        labels = {"type": task, "outcome": outcome.lower()}
        TASKS_ENDED.labels(**labels).inc(count)
        TASK_SECONDS.labels(**labels).inc(seconds)
