"""How a process writes its log: as text or as one JSON object per line, and from which level on."""

import json
import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from tenuto.model.text import LineFormatter, clean

Format = Literal["text", "json"]
Level = Literal["debug", "info", "warning", "error"]

TEXT = "%(asctime)s %(levelname)s %(name)s %(message)s"
# The attributes that every log record has; other attributes were passed with `extra=`.
RECORD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class TextFormatter(LineFormatter):
    """Formats lines as `2026-11-16 18:00:00,000 INFO tenuto.worker …`."""

    def __init__(self) -> None:
        super().__init__(TEXT)


class JsonFormatter(logging.Formatter):
    """Formats a record as JSON on one line: time, level, logger, message, the fields of `extra=`, and the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": clean(record.getMessage()),
            **self.context(record),
            **{name: value for name, value in vars(record).items() if name not in RECORD_FIELDS},
        }
        if record.exc_info:
            entry["exception"] = clean(self.formatException(record.exc_info))
        return json.dumps(entry, default=str, skipkeys=True)

    def context(self, record: logging.LogRecord) -> dict[str, object]:
        """Return the fields that a process adds to a record."""
        del record
        return {}


@dataclass(frozen=True)
class LogOutput:
    """The values of --log-format and --log-level."""

    format: Format = "text"
    level: Level = "info"

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "LogOutput":
        return LogOutput(value["format"], value["level"])

    def write_to_stderr(
        self, *, text: type[logging.Formatter] = TextFormatter, json: type[logging.Formatter] = JsonFormatter
    ) -> None:
        """Send all log records of this process to stderr."""
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(json() if self.format == "json" else text())
        self.install(handler)

    def install(self, handler: logging.Handler) -> None:
        """Make this the only handler. Silences the connection pool, which would log every failed attempt to connect,
        because its callers log an outage once."""
        logging.basicConfig(level=self.level.upper(), handlers=[handler], force=True)
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
