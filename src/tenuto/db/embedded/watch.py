"""Keeps the embedded server of a home running while a process uses it: starts it again after it has died."""

import logging
import subprocess
import threading
import time
from datetime import timedelta
from pathlib import Path

from tenuto.db.connection.errors import DatabaseProblem, ServerFailed
from tenuto.db.embedded import cluster
from tenuto.db.embedded.failures import list_failures
from tenuto.db.embedded.paths import find_paths
from tenuto.db.embedded.postmaster import running_pid
from tenuto.db.embedded.users_lock import locked

LOOK_SECONDS = 0.5
PROBE_SECONDS = 15.0  # between two connections that check whether the server responds
FIRST_PAUSE_SECONDS = 0.5
RECENT = timedelta(minutes=15)  # each failure within this time doubles the next pause
MAX_PAUSE_SECONDS = 60.0

log = logging.getLogger("tenuto.embedded")


class Watch:
    """The state of the server, as seen by one process. Every process that uses the server watches it; the lock of the
    home decides which of them starts it again."""

    def __init__(self, home: Path, pg_bin: Path | None) -> None:
        self._place, self._pg_bin = find_paths(home), pg_bin
        self._pid = running_pid(self._place.data)  # None: it has ended
        self._was_stopped = False  # by `tenuto db stop`
        self._died_at: float | None = None  # None: it accepts connections
        self._start_at = 0.0
        self._failures: list[float] = []  # the times of deaths and failed starts
        self._probed_at = self._heard_at = time.monotonic()

    def run(self, ended: threading.Event) -> None:
        """Watch until `ended` is set. Raises ServerFailed if the server hangs, or if its data is gone."""
        while not ended.wait(LOOK_SECONDS):
            try:
                self._look(ended)
            except FileNotFoundError as error:
                raise _gone(error.filename) from error

    def _look(self, ended: threading.Event) -> None:
        pid = running_pid(self._place.data)
        if pid is None:
            with locked(self._place.home):
                if running_pid(self._place.data) is None and not ended.is_set():
                    self._restart()
            return
        if pid != self._pid:
            self._note_restart(pid)
        if self._died_at is not None or time.monotonic() - self._probed_at >= PROBE_SECONDS:
            self._probe(pid)

    def _restart(self) -> None:
        """Start the server when its pause is over, unless it was stopped on purpose. The caller must hold the lock."""
        place = self._place
        if place.stopped.exists():
            if not self._was_stopped:
                log.warning("`tenuto db stop` stopped the embedded server; the next tenuto command starts it again")
            self._was_stopped, self._pid, self._died_at = True, None, None
            return
        if place.major is None:
            raise _gone(place.data)
        if self._pid is not None:
            self._pid, self._died_at = None, time.monotonic()
            log.error("the embedded server died: %s; starting it again %s", cluster.describe_end(place), self._pause())
            self._failures.append(time.monotonic())
        if time.monotonic() < self._start_at:
            return
        try:
            cluster.start(place, self._pg_bin, in_use=True, died=self._died_at is not None)
        except (DatabaseProblem, OSError, subprocess.SubprocessError) as error:
            self._failures.append(time.monotonic())
            log.error("%s; retrying %s", error, self._pause())
        else:
            self._begin(running_pid(place.data))

    def _note_restart(self, pid: int) -> None:
        """Log that another process has started the server."""
        if self._was_stopped:
            log.info("the embedded server was started again, as process %d", pid)
        elif self._pid is not None:
            why = [failure.says for failure in list_failures(self._place, RECENT)][-1:]
            log.error("the embedded server died: %s; another process started it again", *why or ["it ended"])
            self._failures.append(time.monotonic())
        self._begin(pid)

    def _begin(self, pid: int | None) -> None:
        self._pid, self._was_stopped, self._died_at = pid, False, self._died_at or time.monotonic()
        self._heard_at = time.monotonic()

    def _probe(self, pid: int) -> None:
        answer = cluster.probe(self._place)
        self._probed_at = now = time.monotonic()
        if answer == "silent":
            if now - self._heard_at >= cluster.SILENT_SECONDS:
                raise cluster.hangs(pid)
            log.warning("the embedded server (process %d) does not respond", pid)
            return
        self._heard_at = now
        if answer == "accepts" and self._died_at is not None:
            log.warning("the embedded server accepts connections again, after %.1f s", now - self._died_at)
            self._died_at = None

    def _pause(self) -> str:
        """Set the time of the next start, and return it as text. The first start is at once."""
        since = time.monotonic() - RECENT.total_seconds()
        self._failures = [at for at in self._failures if at >= since]
        failures = len(self._failures)
        pause = min(FIRST_PAUSE_SECONDS * 2 ** (failures - 1), MAX_PAUSE_SECONDS) if failures else 0.0
        self._start_at = time.monotonic() + pause
        return f"in {pause:g} s" if pause else "now"


def _gone(path: object) -> ServerFailed:
    return ServerFailed(f"{path} was removed while the server was in use; put it back, or start with an empty database")
