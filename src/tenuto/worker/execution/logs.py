"""Collects log lines of attempts from Python's logging, with limits, to be written in batches."""

import logging
import time
from datetime import UTC, datetime
from typing import Any

from tenuto.model.text import clean
from tenuto.sdk.context.current_attempt import running

MAX_LINES_PER_ATTEMPT = 10_000  # per attempt; the database stores no more
MAX_WAITING_LINES = 50_000  # per process, during an outage of the database
MAX_MESSAGE_CHARS = 8192  # per message
PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


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
            fields = {key: value for key, value in vars(record).items() if key not in PLAIN}
            self.add(attempt, record.levelname.lower(), message, fields or None, record.created)
        except Exception:  # logging must not break user code
            self.handleError(record)

    def add(self, attempt: Any, level: str, message: str, fields: dict[str, Any] | None, created: float) -> None:
        """Add one line; excess lines are dropped and long messages truncated."""
        if len(self._lines) >= MAX_WAITING_LINES or attempt.lines >= MAX_LINES_PER_ATTEMPT:
            return
        kept = fields and {clean(str(key)): clean(str(value)) for key, value in fields.items()}
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
                "message": clean(message[:MAX_MESSAGE_CHARS]),
                "fields": kept,
            }
        )

    def take(self) -> list[dict[str, Any]]:
        lines = self._lines[:5000]
        del self._lines[: len(lines)]  # delete in place: threads append to this list
        return lines

    def put_back(self, lines: list[dict[str, Any]]) -> None:
        self._lines[:0] = lines
