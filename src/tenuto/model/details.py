"""The details of one task, and why the tasks of a run do not run: what users look at first when there is a problem."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.maintenance import ParkedRow
from tenuto.model.monitoring import AttemptInfo, TaskStatus
from tenuto.model.run_data import AwaitedSignal, SignalInfo, StepInfo
from tenuto.model.statuses import RunStatusName


@dataclass(frozen=True)
class TaskDetails:
    """A task with its attempts, its recorded steps, the signal that it waits for, and the dedupe key and the signals of
    its run."""

    task: TaskStatus
    dedupe_key: str | None
    attempts: list[AttemptInfo]
    steps: list[StepInfo]
    signals: list[SignalInfo]
    awaited: list[AwaitedSignal]


@dataclass(frozen=True)
class TaskExplanation:
    """Why an unfinished task does not run, or where it runs, in one sentence."""

    id: UUID
    why: str


@dataclass(frozen=True)
class RunExplanation:
    """The status of a run, why its unfinished tasks do not run (at most 20 of them), and its `parked` rows, which a
    loop of the dispatchers failed to process. The run is cancelled at `deadline_at` unless it has ended, and at
    `expires_at` unless it has begun."""

    id: UUID
    status: RunStatusName
    open: bool
    total_tasks: int
    tasks: list[TaskExplanation]
    parked: list[ParkedRow]
    deadline_at: datetime | None = None
    expires_at: datetime | None = None  # null once the run has begun
    held: bool = False
