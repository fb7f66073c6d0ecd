"""A post: a crew with its executor, its lanes and the routes they serve."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tenuto.db.connection.claim_connection import Row
from tenuto.model.errors import TenutoError
from tenuto.runtimes.background import BackgroundTasks
from tenuto.sdk.task import Task
from tenuto.worker.backends.base import Backend
from tenuto.worker.execution.attempt import Attempt
from tenuto.worker.execution.executor import Executor
from tenuto.worker.process.claimer import Claimer
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.process.slots import Report, Slots
from tenuto.worker.process.wakeups import WakeupRouter

CLAIMERS_PER_PROCESS = (
    2  # of one process: one carries while the other's batch runs; more pass over each other's rows (bench/results)
)


@dataclass
class ExecutorGroup:
    """Light work (on the loop and in threads) has one, work in processes another: their slots are not the same."""

    crew: Slots
    executor: Executor
    kinds: tuple[str, ...]
    lanes_wanted: int
    routes: list[int] = field(default_factory=list)
    lanes: list[Claimer] = field(default_factory=list)

    def serve(self, found: dict[int, Task[..., Any]]) -> bool:
        """These are the routes now; True if some are new. Tasks are known before a lane asks for them."""
        mine = {route: task for route, task in found.items() if task.executor in self.kinds}
        self.executor.tasks.update(mine)
        new = bool(mine.keys() - set(self.routes))
        self.routes[:] = list(mine)
        return new

    def open_lanes(
        self,
        kernel: Backend,
        held: HeldAttempts,
        session: WorkerSession,
        hearing: WakeupRouter | None,
        *,
        unfit: Callable[[Attempt, TenutoError], None],
        ended: Callable[[int], None],
        parts: BackgroundTasks,
    ) -> None:
        """`hearing`: its first lane listens for the whole process."""
        loop = asyncio.get_running_loop()

        def deliver(rows: list[Row]) -> None:
            loop.call_soon_threadsafe(self.executor.arrive, rows)

        def tell_unfit(report: Report, problem: TenutoError) -> None:
            task_id, no, output, run_id = report
            attempt = Attempt((None, task_id, no, run_id, None, output, None, None, None), None, 0.0)
            loop.call_soon_threadsafe(unfit, attempt, problem)

        def tell_ended(session_id: int) -> None:
            loop.call_soon_threadsafe(ended, session_id)

        self.lanes = [
            Claimer(
                kernel,
                self.crew,
                held,
                session,
                self.routes,
                deliver=deliver,
                unfit=tell_unfit,
                ended=tell_ended,
                parts=parts,
                hearing=None if no else hearing,
            )
            for no in range(self.lanes_wanted)
        ]
        for lane in self.lanes:
            lane.start()

    def look_ahead(self) -> None:
        """Now and then: nothing waits here for too long, and no lane for an answer that does not come."""
        self.executor.look_ahead()
        for lane in self.lanes:
            lane.cut_if_stuck()

    def drop_all(self) -> None:
        """Nothing here is this session's any more."""
        self.executor.drop_all()
        for lane in self.lanes:
            lane.cut_if_stuck(0.0)
