"""Collects log lines of attempts and of the worker itself from Python's logging, with limits."""

import logging
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tenuto.model.log_output import RECORD_FIELDS
from tenuto.model.text import clean, redact
from tenuto.sdk.context.current_attempt import running

MAX_LINES_PER_ATTEMPT = 10_000  # per attempt; the database stores no more
MAX_WAITING_LINES = 50_000  # per process, during an outage of the database
MAX_MESSAGE_CHARS = 8192  # per message
MAX_WORKER_LINES = 500  # lines of the worker itself that wait for the next heartbeat; older lines are dropped
MAX_WORKER_MESSAGE_CHARS = 4000


class LogBuffer(logging.Handler):
    """Collects what is logged while the code of an attempt runs; `take` returns it for writing."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._lines: list[dict[str, Any]] = []
        self.since = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        attempt = running.get()
        if attempt is None:
            return
        try:
            message = record.getMessage()
            if record.exc_info:
                message += "\n" + (self.formatter or logging.Formatter()).formatException(record.exc_info)
            fields = {key: value for key, value in vars(record).items() if key not in RECORD_FIELDS}
            self.add(attempt, record.levelname.lower(), message, fields or None, record.created)
        except Exception:  # logging must not break user code
            self.handleError(record)

    def add(self, attempt: Any, level: str, message: str, fields: dict[str, Any] | None, created: float) -> None:
        """Add one line; excess lines are dropped and long messages truncated."""
        if len(self._lines) >= MAX_WAITING_LINES or attempt.lines >= MAX_LINES_PER_ATTEMPT:
            return
        kept = fields and {clean(redact(str(key))): clean(redact(str(value))) for key, value in fields.items()}
        attempt.lines += 1
        if not self._lines:
            self.since = time.monotonic()
        self._lines.append(
            {
                "task_id": attempt.task_id,
                "attempt": attempt.no,
                "line_no": attempt.lines,
                "logged_at": datetime.fromtimestamp(created, UTC).isoformat(),
                "level": clean(level),
                "message": clean(redact(message)[:MAX_MESSAGE_CHARS]),
                "fields": kept,
            }
        )

    def take(self) -> list[dict[str, Any]]:
        lines = self._lines[:5000]
        del self._lines[: len(lines)]  # delete in place: threads append to this list
        return lines

    def put_back(self, lines: list[dict[str, Any]]) -> None:
        self._lines[:0] = lines


@dataclass(frozen=True)
class LoggedLine:
    """A line that waits for a heartbeat."""

    created: float  # seconds since the epoch, on the clock of this machine
    level: str
    message: str


class WorkerLog(logging.Handler):
    """Collects what is logged outside of tasks; lines of tasks are stored with their tasks."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._lines: deque[LoggedLine] = deque(maxlen=MAX_WORKER_LINES)  # threads append while another takes

    def emit(self, record: logging.LogRecord) -> None:
        if running.get() is not None:
            return
        try:
            message = f"{record.name}: {record.getMessage()}"
            if record.exc_info:
                message += "\n" + (self.formatter or logging.Formatter()).formatException(record.exc_info)
            text = clean(redact(message)[:MAX_WORKER_MESSAGE_CHARS])
            self._lines.append(LoggedLine(record.created, clean(record.levelname.lower()), text))
        except Exception:  # logging must not break the caller
            self.handleError(record)

    def take(self) -> list[LoggedLine]:
        """Return the lines that were collected since the last call."""
        lines: list[LoggedLine] = []
        while self._lines:
            lines.append(self._lines.popleft())
        return lines
