"""`tenuto up --reload`: runs the worker again whenever a Python file of the project changes."""

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tenuto.cli.exit_codes import UsageError, WorkFailed
from tenuto.cli.processes.serve import run_worker, stopped_by_signals

if TYPE_CHECKING:
    from tenuto.worker.settings import WorkerSettings

log = logging.getLogger("tenuto.up")

LOOK_EVERY_SECONDS = 0.5
GRACE_SECONDS = 1.0  # how long running tasks may continue before the worker starts again; then they are queued again
IGNORED = {"__pycache__", "node_modules", "site-packages"}

FileTimes = dict[str, int]  # by path: the time of the last change, in nanoseconds


class Reload:
    """The worker of `tenuto up --reload`, and the Python files of the current folder, whose changes restart it."""

    def __init__(self, worker: "WorkerSettings", ready: Callable[[], None], stop: asyncio.Event) -> None:
        self._worker, self._stop = replace(worker, grace=GRACE_SECONDS), stop
        self._ready: Callable[[], None] | None = ready
        self._folder = str(Path.cwd())
        self._times: FileTimes = {}

    async def run(self) -> None:
        """Run the worker until a signal or `stop` ends it. Code that cannot be loaded is reported, and loaded again
        after the next change."""
        self._times = await asyncio.to_thread(read_times, self._folder)
        while not self._stop.is_set():
            end = asyncio.Event()
            watching = asyncio.create_task(self._set_at_change(end))
            try:
                await run_worker(self._worker, self._announce, stop=end)
                if not end.is_set():  # a signal ended the worker
                    return
            except (UsageError, WorkFailed) as problem:
                self._announce()
                log.error("%s; the worker starts again after the next change of a file", problem)
                with stopped_by_signals(self._stop):
                    await end.wait()
            finally:
                watching.cancel()
                await asyncio.wait({watching})

    def _announce(self) -> None:
        """Report once that everything runs, even if the code cannot be loaded yet."""
        ready, self._ready = self._ready, None
        if ready is not None:
            ready()

    async def _set_at_change(self, end: asyncio.Event) -> None:
        """Set the event when files have changed and then stay the same, or when everything stops."""
        changed: set[str] = set()
        while not self._stop.is_set():
            times = await asyncio.to_thread(read_times, self._folder)
            now = {path for path, _ in times.items() ^ self._times.items()}
            self._times = times
            if changed and not now:
                log.info("%s changed: starting the worker again", _names(changed, self._folder))
                break
            changed |= now
            await asyncio.sleep(LOOK_EVERY_SECONDS)
        end.set()


def read_times(folder: str) -> FileTimes:
    """Return when each Python file in the folder was changed last, except in hidden folders, caches, installed packages
    and virtual environments."""
    times: FileTimes = {}
    with suppress(OSError), os.scandir(folder) as entries:  # deleted in the meantime, or not readable for this user
        for entry in entries:
            if entry.name.endswith(".py"):
                times[entry.path] = entry.stat().st_mtime_ns
            elif entry.name == "pyvenv.cfg":
                return {}
            elif entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".") and entry.name not in IGNORED:
                times |= read_times(entry.path)
    return times


def _names(paths: set[str], folder: str) -> str:
    first, *others = sorted(os.path.relpath(path, folder) for path in paths)
    return f"{first} and {len(others)} other files" if others else first
