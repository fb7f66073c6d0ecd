"""Adds figures of the machine and log lines to the heartbeats of one child process."""

import time
from itertools import accumulate
from typing import Any

from tenuto.model.json import JsonObject
from tenuto.model.metrics import count_ended
from tenuto.worker.execution.logs import MAX_WORKER_LINES, LoggedLine, WorkerLog
from tenuto.worker.supervisor.machine_figures import MachineFigures

MAX_LINES, MAX_LINE_BYTES = 200, 64 * 1024  # log lines per heartbeat, which must stay small; the rest waits


class Telemetry:
    """Collects log lines of a child and of its supervisor until a heartbeat with them was accepted."""

    def __init__(self, machine: MachineFigures, own_log: WorkerLog) -> None:
        self._machine, self._own_log = machine, own_log
        self._waiting: list[LoggedLine] = []
        self._sent: list[LoggedLine] = []  # in a heartbeat that was not accepted yet

    def heard(self, message: dict[str, Any]) -> None:
        """Keep the log lines of the child, and add its ended attempts to the metrics of this process."""
        self._add([LoggedLine(line["created"], line["level"], line["message"]) for line in message["logs"]])
        for queue, task, outcome, seconds, counts in message["ended"]:
            count_ended(queue, task, outcome.lower(), counts, seconds)

    def take(self, metrics: JsonObject) -> tuple[JsonObject, list[JsonObject] | None]:
        """Return the metrics and the log lines of the next heartbeat; lines that were not accepted are sent again."""
        self._waiting[:0] = self._sent
        self._add(self._own_log.take())
        sizes = accumulate(len(line.message.encode()) for line in self._waiting[:MAX_LINES])
        count = max(1, sum(size <= MAX_LINE_BYTES for size in sizes))
        self._sent, self._waiting = self._waiting[:count], self._waiting[count:]
        return {**self._machine.latest(), **metrics}, [_aged(line) for line in self._sent] or None

    def accepted(self) -> None:
        """Forget the lines of the last heartbeat: they are stored."""
        self._sent = []

    def _add(self, lines: list[LoggedLine]) -> None:
        self._waiting += lines
        del self._waiting[:-MAX_WORKER_LINES]


def _aged(line: LoggedLine) -> JsonObject:
    """Return a line with its age instead of its time, because the database uses only its own clock."""
    age = max(0.0, time.time() - line.created)
    return {"age_seconds": round(age, 3), "level": line.level, "message": line.message}
