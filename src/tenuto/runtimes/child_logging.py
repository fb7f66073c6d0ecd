"""What processes with user code write to the terminal: lines that tasks log name the task."""

import logging
from copy import copy

from tenuto.model.text import LineFormatter
from tenuto.sdk.context.current_attempt import running

OWN = "tenuto.worker"  # its lines name the task themselves, where they are about one


class TaskFormatter(LineFormatter):
    """`… INFO tenuto.task [shop.send 0199…] hello`."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        attempt = running.get()
        if attempt is not None and record.name != OWN:
            record = copy(record)  # others handle the same record
            record.message = f"[{attempt.task.name} {attempt.task_id}] {record.message}"
        return super().formatMessage(record)


def log_to_terminal() -> None:
    """The pool of connections says with every try that the database is away: whoever asks says it once."""
    handler = logging.StreamHandler()
    handler.setFormatter(TaskFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
