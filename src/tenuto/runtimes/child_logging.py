"""Logging of processes with user code: adds the name and id of a task to the lines that the task logs."""

import logging
from copy import copy

from tenuto.model.log_output import JsonFormatter, LogOutput, TextFormatter
from tenuto.model.text import redact
from tenuto.sdk.context.current_attempt import running

OWN = "tenuto.worker"  # its lines already contain the task


class TaskTextFormatter(TextFormatter):
    """Formats lines as `… INFO tenuto.task [shop.send 0199…] hello`, without the values of secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:
        attempt = running.get()
        if attempt is not None and record.name != OWN:
            record = copy(record)  # other handlers use the same record
            record.message = f"[{attempt.task.name} {attempt.task_id}] {record.message}"
        return super().formatMessage(record)


class TaskJsonFormatter(JsonFormatter):
    """Adds the task, its run and the attempt to lines that a task logs, and removes the values of secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))

    def context(self, record: logging.LogRecord) -> dict[str, object]:
        attempt = running.get()
        if attempt is None or record.name == OWN:
            return {}
        return {
            "task_name": attempt.task.name,
            "task_id": attempt.task_id,
            "run_id": attempt.run_id,
            "attempt": attempt.number,
        }


def log_with_tasks(output: LogOutput) -> None:
    """Log to stderr; lines that a task logs contain the task."""
    output.write_to_stderr(text=TaskTextFormatter, json=TaskJsonFormatter)
