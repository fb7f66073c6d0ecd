"""An executor with its slots, its claimers and the routes they serve."""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tenuto.sdk.task import Task
from tenuto.worker.execution.executor import Executor
from tenuto.worker.process.claimer import Claimer, ClaimerHost
from tenuto.worker.process.slots import Slots

# One claimer waits for its response while the batch of the other runs. More claimers would not help: each would have to
# skip rows that the others have locked (see bench/results).
CLAIMERS_PER_PROCESS = 2


@dataclass
class ExecutorGroup:
    """One group runs tasks on the event loop and in threads, one in processes and one in sandboxes. Each group has its
    own slots."""

    slots: Slots
    executor: Executor
    runtimes: tuple[str, ...]
    claimer_count: int
    runs_here: bool  # the attempts run in this process, not in processes of their own
    routes: list[int] = field(default_factory=list[int])
    claimers: list[Claimer] = field(default_factory=list[Claimer])

    def serve(self, tasks: dict[int, Task[..., Any]]) -> bool:
        """Set the current routes; return True if some are new. The tasks are registered before the routes are set, so
        that every claimed task is known."""
        mine = {route: task for route, task in tasks.items() if task.runs_in in self.runtimes}
        self.executor.tasks.update(mine)
        new = bool(mine.keys() - set(self.routes))
        self.routes[:] = list(mine)
        return new

    def open_claimers(self, host: ClaimerHost, *, listens: bool) -> None:
        """Start the claimers. `listens`: the first claimer receives the wake-ups for the whole process."""
        deliver = partial(asyncio.get_running_loop().call_soon_threadsafe, self.executor.arrive)
        self.claimers = [
            Claimer(host, self.slots, self.routes, deliver=deliver, listens=listens and no == 0)
            for no in range(self.claimer_count)
        ]
        for claimer in self.claimers:
            claimer.start()

    def look_ahead(self) -> None:
        """Give back attempts that wait too long, and abort round trips of claimers that are stuck. Called
        periodically."""
        self.executor.look_ahead()
        for claimer in self.claimers:
            claimer.cut_if_stuck()

    @property
    def idle(self) -> bool:
        """Whether the group holds no attempt and no claim is in progress."""
        return self.slots.open + self.slots.claiming == 0

    def drop_all(self) -> None:
        """Drop all attempts, because they no longer belong to this session, and abort the round trips of the
        claimers."""
        self.executor.drop_all()
        for claimer in self.claimers:
            claimer.cut_if_stuck(0.0)
