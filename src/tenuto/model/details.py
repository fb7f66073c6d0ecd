"""Everything about one task, and why the tasks of a run do not run: what users read first when something is wrong."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.maintenance import ParkedRow
from tenuto.model.monitoring import AttemptInfo, TaskStatus
from tenuto.model.run_data import SignalInfo, StepInfo


@dataclass(frozen=True)
class TaskDetails:
    """A task with its attempts, its recorded steps, and the dedupe key and the signals of its run."""

    task: TaskStatus
    dedupe_key: str | None
    attempts: list[AttemptInfo]
    steps: list[StepInfo]
    signals: list[SignalInfo]


@dataclass(frozen=True)
class TaskExplanation:
    """Why a task does not run, in one sentence."""

    id: UUID
    why: str


@dataclass(frozen=True)
class RunExplanation:
    """The status of a run, why its open tasks do not run (at most 20), its rows that dispatchers failed on, and when it
    is cancelled unless it has ended (`deadline_at`) or begun (`expires_at`)."""

    id: UUID
    status: str
    open: bool
    total_tasks: int
    tasks: list[TaskExplanation]
    parked: list[ParkedRow]
    deadline_at: datetime | None = None
    expires_at: datetime | None = None  # null once the run has begun
    held: bool = False
