"""Sends the progress that attempts reported: periodically, and before the end of an attempt is reported."""

import logging
from collections.abc import Callable
from uuid import UUID

from tenuto.db.connection.errors import Unreachable
from tenuto.model.tasks import Fences
from tenuto.runtimes.base import Attempt
from tenuto.worker.backends.attempt_api import AttemptApis
from tenuto.worker.backends.base import REJECTED, Backend
from tenuto.worker.process.session import WorkerSession

log = logging.getLogger("tenuto.worker")

Progress = tuple[Attempt, float | None, str | None]


class ProgressSender:
    """Sends the collected progress reports in one batch. If there are none, no query is made."""

    def __init__(
        self,
        backend: Backend,
        session: WorkerSession,
        apis: AttemptApis,
        *,
        cancelled: Callable[[list[tuple[str, int]]], None],
    ) -> None:
        self._backend, self._session, self.apis, self._cancelled = backend, session, apis, cancelled

    async def send(self) -> None:
        """Send all reports; during an outage they are kept, and Unreachable is raised."""
        entries, self.apis.progress = self.apis.progress, {}
        if not entries:
            return
        try:
            try:
                await self._report(list(entries.values()))
            except REJECTED:  # one entry is invalid; write the others
                await self._report_one_by_one(list(entries.values()))
        except Unreachable:
            self.apis.progress = entries | self.apis.progress
            raise

    async def _report_one_by_one(self, entries: list[Progress]) -> None:
        for entry in entries:
            try:
                await self._report([entry])
            except REJECTED as problem:
                log.warning("the progress of task %s could not be written: %s", entry[0].task_id, problem)

    async def _report(self, entries: list[Progress]) -> None:
        fences = [(attempt.task_id, attempt.no) for attempt, _, _ in entries]
        rejected = await self._backend.report_progress(
            Fences(self._session.current, [UUID(task_id) for task_id, _ in fences], [no for _, no in fences]),
            progress=[fraction for _, fraction, _ in entries],
            messages=[message for _, _, message in entries],
        )
        stop = {str(report.task_id) for report in rejected if report.result == "cancelled"}
        self._cancelled([(task_id, no) for task_id, no in fences if task_id in stop])
