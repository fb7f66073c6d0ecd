"""The events that claimers report to their worker process."""

from typing import Protocol

from tenuto.worker.process.slots import Report


class WorkerEvents(Protocol):
    """Implemented by WorkerProcess. All methods are thread-safe."""

    def wakeups_arrive(self) -> None:
        """A claimer receives wake-ups on its connection."""
        ...

    def wakeups_missing(self) -> None:
        """Claimers cannot receive wake-ups, because the worker connects over HTTP or through a connection pooler: the
        event loop must listen for them instead."""
        ...

    def work_available(self) -> None:
        """A wake-up arrived. The slots were notified, but the routes must be resolved, because the task may be on a new
        route."""
        ...

    def attempts_cancelled(self) -> None:
        """Attempts may have been cancelled: a heartbeat must be sent now, because its response lists them."""
        ...

    def session_ended(self, session_id: int) -> None: ...

    def report_rejected(self, report: Report, problem: Exception) -> None:
        """The database rejects a completion, for example because the output is too large."""
        ...

    def group_missing(self, reason: str) -> None:
        """The resource group from which this worker claims was deleted."""
        ...
