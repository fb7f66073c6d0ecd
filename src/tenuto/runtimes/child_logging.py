"""Logging of processes with user code: lines that a task logs name the task."""

import logging
from copy import copy

from tenuto.model.text import LineFormatter
from tenuto.sdk.context.current_attempt import running

OWN = "tenuto.worker"  # its lines already name the task they are about


class TaskFormatter(LineFormatter):
    """Formats lines as `… INFO tenuto.task [shop.send 0199…] hello`."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        attempt = running.get()
        if attempt is not None and record.name != OWN:
            record = copy(record)  # other handlers use the same record
            record.message = f"[{attempt.task.name} {attempt.task_id}] {record.message}"
        return super().formatMessage(record)


def log_to_terminal() -> None:
    """Log to the terminal. Silences the connection pool, which logs every failed attempt to connect; the worker logs an
    outage once."""
    handler = logging.StreamHandler()
    handler.setFormatter(TaskFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
