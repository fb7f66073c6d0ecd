"""Writes progress and log lines of attempts in batches, twice per second."""

import asyncio
import logging

from tenuto.db.connection.errors import Unreachable
from tenuto.worker.backends.base import Backend
from tenuto.worker.execution.logs import LogBuffer, WorkerLog
from tenuto.worker.execution.progress import ProgressSender
from tenuto.worker.process.session import WorkerSession

log = logging.getLogger("tenuto.worker")

FLUSH_EVERY_SECONDS = 0.5


class Flusher:
    """Writes progress and log lines periodically. If there are none, no query is made."""

    def __init__(self, backend: Backend, session: WorkerSession, progress: ProgressSender) -> None:
        self._backend, self._session, self._progress = backend, session, progress
        self.logs, self.worker_log = LogBuffer(), WorkerLog()  # heartbeats carry the log of the worker
        for handler in (self.logs, self.worker_log):
            logging.getLogger().addHandler(handler)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_EVERY_SECONDS)
            await self.flush()

    async def flush(self) -> None:
        try:
            await self._progress.send()
            await self._flush_logs()
        except Unreachable:
            return  # the entries are kept, and written later together with newer ones
        except Exception as problem:  # whatever the problem is, later entries are written
            log.warning("progress and logs could not be written: %s", problem)

    async def _flush_logs(self) -> None:
        while lines := self.logs.take():
            try:
                await self._backend.write_logs(self._session.current, lines)
            except Unreachable:
                self.logs.put_back(lines)
                raise
