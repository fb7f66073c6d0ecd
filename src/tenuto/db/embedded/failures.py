"""Records when the server of a home died or did not start, for the processes that use it, and for `tenuto doctor`."""

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tenuto.db.embedded.paths import ServerPaths, write_private

MAX_FAILURES = 20
MAX_LOG_BYTES = 10_000
MAX_LINES = 5
START = " LOG:  starting PostgreSQL"
MAX_LINE = 200
LEVELS = (" LOG:  ", " FATAL:  ", " PANIC:  ")  # other lines of the log may contain values


@dataclass(frozen=True)
class ServerFailure:
    """One death of the server, or one start that failed."""

    at: datetime
    says: str


def record_failure(place: ServerPaths, says: str) -> None:
    """Adds a failure. The caller must hold the lock."""
    failures = [*_read(place), ServerFailure(datetime.now(UTC), says)][-MAX_FAILURES:]
    text = "\n".join(json.dumps({"at": failure.at.isoformat(), "says": failure.says}) for failure in failures)
    with suppress(OSError):  # such as a full disk, which can be the reason of the failure
        write_private(place.failures, text)


def list_failures(place: ServerPaths, within: timedelta) -> list[ServerFailure]:
    """Return the recent failures, oldest first."""
    since = datetime.now(UTC) - within
    return [failure for failure in _read(place) if failure.at >= since]


def _read(place: ServerPaths) -> list[ServerFailure]:
    try:
        rows = [json.loads(line) for line in place.failures.read_text().splitlines()]
        return [ServerFailure(datetime.fromisoformat(row["at"]), str(row["says"])) for row in rows]
    except (OSError, ValueError, KeyError, TypeError):  # there is no such file, or it contains something else
        return []


def last_lines(place: ServerPaths) -> str:
    """Return the last lines that the server logged about itself."""
    try:
        with place.log.open("rb") as log:
            log.seek(max(0, place.log.stat().st_size - MAX_LOG_BYTES))
            lines = log.read().decode(errors="replace").splitlines()
    except OSError:
        return "its log cannot be read"
    starts = [no for no, line in enumerate(lines) if START in line]
    own = [line[:MAX_LINE] for line in lines[(starts or [0])[-1] :] if any(level in line for level in LEVELS)]
    once = {line.partition("] ")[2]: line for line in reversed(own)}  # all backends of a killed server log the same
    return f"the last lines of {place.log}: {' | '.join([*once.values()][:MAX_LINES][::-1])}"
