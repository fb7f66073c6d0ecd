"""An executor with its slots, its claimers and the routes they serve."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tenuto.model.errors import TenutoError
from tenuto.model.tasks import Row
from tenuto.runtimes.background import BackgroundTasks
from tenuto.runtimes.base import Attempt
from tenuto.sdk.task import Task
from tenuto.worker.backends.base import Backend
from tenuto.worker.execution.executor import Executor
from tenuto.worker.process.claimer import Claimer
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.process.slots import Report, Slots
from tenuto.worker.process.wakeups import WakeupRouter

# One is on the wire while the batch of the other runs; more would skip over each other's rows (see bench/results).
CLAIMERS_PER_PROCESS = 2


@dataclass
class ExecutorGroup:
    """One group runs tasks on the event loop and in threads, others in processes or sandboxes: each has its own
    slots."""

    slots: Slots
    executor: Executor
    kinds: tuple[str, ...]
    claimer_count: int
    routes: list[int] = field(default_factory=list)
    claimers: list[Claimer] = field(default_factory=list)

    def serve(self, tasks: dict[int, Task[..., Any]]) -> bool:
        """Set the current routes; return True if some are new. Tasks are registered before a claimer asks for them."""
        mine = {route: task for route, task in tasks.items() if task.executor in self.kinds}
        self.executor.tasks.update(mine)
        new = bool(mine.keys() - set(self.routes))
        self.routes[:] = list(mine)
        return new

    def open_claimers(
        self,
        backend: Backend,
        held: HeldAttempts,
        session: WorkerSession,
        wakeups: WakeupRouter | None,
        *,
        unfit: Callable[[Attempt, TenutoError], None],
        ended: Callable[[int], None],
        parts: BackgroundTasks,
    ) -> None:
        """Start the claimers. `wakeups`: the first one receives wake-ups for the whole process."""
        loop = asyncio.get_running_loop()

        def deliver(rows: list[Row]) -> None:
            loop.call_soon_threadsafe(self.executor.arrive, rows)

        def tell_unfit(report: Report, problem: TenutoError) -> None:
            task_id, no, output, run_id = report
            attempt = Attempt((None, task_id, no, run_id, None, output, None, None, None), None, 0.0)
            loop.call_soon_threadsafe(unfit, attempt, problem)

        def tell_ended(session_id: int) -> None:
            loop.call_soon_threadsafe(ended, session_id)

        self.claimers = [
            Claimer(
                backend,
                self.slots,
                held,
                session,
                self.routes,
                deliver=deliver,
                unfit=tell_unfit,
                ended=tell_ended,
                parts=parts,
                wakeups=None if no else wakeups,
            )
            for no in range(self.claimer_count)
        ]
        for claimer in self.claimers:
            claimer.start()

    def look_ahead(self) -> None:
        """Give back attempts that wait too long and abort stuck claimers. Called periodically."""
        self.executor.look_ahead()
        for claimer in self.claimers:
            claimer.cut_if_stuck()

    def drop_all(self) -> None:
        """Drop all attempts, which no longer belong to this session."""
        self.executor.drop_all()
        for claimer in self.claimers:
            claimer.cut_if_stuck(0.0)
