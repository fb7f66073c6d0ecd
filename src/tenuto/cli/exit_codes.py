"""Exit codes: 0 done, 1 work failed, 2 wrong usage, 3 database or server unreachable, 4 not ended in time. A problem is
printed as one line with its remedy."""

from uuid import UUID

from tenuto.db.connection.errors import BadAddress, DatabaseProblem, NoBinaries, NoHome, ServerFailed, Unreachable
from tenuto.model.errors import InvalidInput, NotFound, TenutoError, TooLarge
from tenuto.runtimes.background import BackgroundTaskDied
from tenuto.storage.base import StorageProblem

DONE, FAILED, WRONG_USE, NOT_REACHABLE, NOT_ENDED = range(5)


class UsageError(Exception):
    """The command was called wrongly: the message says what to write."""


class WorkFailed(Exception):
    """The command itself worked, but the run or task that it is about failed."""


class StillRunning(Exception):
    """The run or task that the command waited for has not ended. The message says how to follow it."""


def run_continues(run_id: UUID, seconds: float) -> StillRunning:
    return StillRunning(
        f"run {run_id} has not ended within {seconds:.15g} s and continues: "
        f"`tenuto runs show {run_id}` shows its progress, `tenuto runs watch {run_id}` follows it"
    )


Problem = DatabaseProblem | TenutoError | StorageProblem | UsageError | WorkFailed | StillRunning | BackgroundTaskDied
PROBLEMS = (DatabaseProblem, TenutoError, StorageProblem, UsageError, WorkFailed, StillRunning, BackgroundTaskDied)


def exit_code(problem: Problem) -> int:
    match problem:
        case UsageError() | BadAddress() | NoHome() | InvalidInput() | NotFound() | TooLarge():
            return WRONG_USE
        case Unreachable() | NoBinaries() | ServerFailed() | StorageProblem():
            return NOT_REACHABLE
        case StillRunning():
            return NOT_ENDED
        case _:
            return FAILED
