"""Actions on large runs. Dispatchers carry out such an action on a part of the tasks at a time."""

from dataclasses import dataclass
from datetime import datetime

from tenuto.model.json import Json
from tenuto.model.statuses import RunAction


@dataclass(frozen=True)
class RunProgress:
    """The progress of an action (cancel, retry, delete) on a large run. `total_tasks` is None until the tasks are
    counted."""

    action: RunAction
    done_tasks: int
    total_tasks: int | None


@dataclass(frozen=True)
class RunRequest:
    """An action (cancel, retry, delete) on a large run, and how much of it is done. `error` is the error that
    interrupted it."""

    action: RunAction
    requested_at: datetime
    done_tasks: int
    total_tasks: int | None  # None until the tasks are counted
    error: str | None

    @property
    def progress(self) -> RunProgress:
        return RunProgress(self.action, self.done_tasks, self.total_tasks)


@dataclass(frozen=True)
class RunOutput:
    """The output of a run. It is omitted if it has more than 16 MB."""

    output: Json
    omitted: bool
