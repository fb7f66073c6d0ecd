"""Writes progress and log lines of attempts in batches, twice per second."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID

from tenuto.db.connection.errors import Unreachable
from tenuto.model.tasks import Fences
from tenuto.runtimes.base import Attempt
from tenuto.worker.backends.attempt_api import AttemptApis
from tenuto.worker.backends.base import REJECTED, Backend
from tenuto.worker.execution.logs import LogBuffer
from tenuto.worker.process.session import WorkerSession

log = logging.getLogger("tenuto.worker")

FLUSH_EVERY_SECONDS = 0.5

Progress = tuple[Attempt, float | None, str | None]


class Flusher:
    """Writes progress and log lines periodically; without any, no query is made."""

    def __init__(
        self,
        backend: Backend,
        session: WorkerSession,
        apis: AttemptApis,
        *,
        cancelled: Callable[[list[list[Any]]], None],
    ) -> None:
        self._backend, self._session, self._apis, self._cancelled = backend, session, apis, cancelled
        self.logs = LogBuffer()
        logging.getLogger().addHandler(self.logs)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_EVERY_SECONDS)
            await self.flush()

    async def flush(self) -> None:
        try:
            await self._flush_progress()
            await self._flush_logs()
        except Unreachable:
            return  # written again later, together with newer entries
        except Exception as problem:  # whatever the problem is, later entries are written
            log.warning("progress and logs could not be written: %s", problem)

    async def _flush_progress(self) -> None:
        entries, self._apis.progress = self._apis.progress, {}
        if not entries:
            return
        try:
            try:
                await self._report_progress(list(entries.values()))
            except REJECTED:  # one entry is invalid; write the others
                await self._report_one_by_one(list(entries.values()))
        except Unreachable:
            self._apis.progress = entries | self._apis.progress
            raise

    async def _report_one_by_one(self, entries: list[Progress]) -> None:
        for entry in entries:
            try:
                await self._report_progress([entry])
            except REJECTED as problem:
                log.warning("the progress of task %s could not be written: %s", entry[0].task_id, problem)

    async def _report_progress(self, entries: list[Progress]) -> None:
        fences = [(attempt.task_id, attempt.no) for attempt, _, _ in entries]
        answers = await self._backend.report_progress(
            Fences(self._session.current, [UUID(task_id) for task_id, _ in fences], [no for _, no in fences]),
            progress=[fraction for _, fraction, _ in entries],
            messages=[message for _, _, message in entries],
        )
        stop = {str(answer.task_id) for answer in answers if answer.answer == "cancelled"}
        self._cancelled([[task_id, no] for task_id, no in fences if task_id in stop])

    async def _flush_logs(self) -> None:
        while lines := self.logs.take():
            try:
                await self._backend.write_logs(self._session.current, lines)
            except Unreachable:
                self.logs.put_back(lines)
                raise
