"""What attempts say without waiting for an answer: progress and log lines, written a few times a second."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID

from tenuto.db import attempts, run_data
from tenuto.db.connection.errors import Unreachable
from tenuto.model.errors import TenutoError
from tenuto.worker.backends.base import Caller
from tenuto.worker.backends.ports import AttemptApis
from tenuto.worker.execution.attempt import Attempt
from tenuto.worker.execution.logs import LogBuffer
from tenuto.worker.process.session import WorkerSession

log = logging.getLogger("tenuto.worker")

FLUSH_EVERY_SECONDS = 0.5

Said = tuple[Attempt, float | None, str | None]


class Flusher:
    """Nothing to say costs no query."""

    def __init__(
        self,
        kernel: Caller,
        session: WorkerSession,
        ports: AttemptApis,
        *,
        cancelled: Callable[[list[list[Any]]], None],
    ) -> None:
        self._kernel, self._session, self._ports, self._cancelled = kernel, session, ports, cancelled
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
            return  # it is said again, with whatever came meanwhile
        except Exception as problem:  # whatever it is, the next ones are written
            log.warning("progress and logs could not be written: %s", problem)

    async def _flush_progress(self) -> None:
        said, self._ports.progress = self._ports.progress, {}
        if not said:
            return
        try:
            try:
                await self._report_progress(list(said.values()))
            except TenutoError:  # of one; the others are alive all the same
                await self._report_one_by_one(list(said.values()))
        except Unreachable:
            self._ports.progress = said | self._ports.progress
            raise

    async def _report_one_by_one(self, said: list[Said]) -> None:
        for one in said:
            try:
                await self._report_progress([one])
            except TenutoError as problem:
                log.warning("the progress of task %s could not be written: %s", one[0].task_id, problem)

    async def _report_progress(self, said: list[Said]) -> None:
        fences = [(attempt.task_id, attempt.no) for attempt, _, _ in said]
        answers = await self._kernel.call(
            attempts.report_progress,
            session_id=self._session.id,
            token=UUID(self._session.token),
            task_ids=[UUID(task_id) for task_id, _ in fences],
            attempts=[no for _, no in fences],
            progress=[fraction for _, fraction, _ in said],
            messages=[message for _, _, message in said],
        )
        stop = {str(answer.task_id) for answer in answers if answer.answer == "cancelled"}
        self._cancelled([[task_id, no] for task_id, no in fences if task_id in stop])

    async def _flush_logs(self) -> None:
        while lines := self.logs.take():
            try:
                await self._kernel.call(
                    run_data.write_logs, session_id=self._session.id, token=UUID(self._session.token), lines=lines
                )
            except Unreachable:
                self.logs.put_back(lines)
                raise
