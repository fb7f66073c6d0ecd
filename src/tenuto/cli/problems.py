"""How a command ends: 0 done, 1 failed work, 2 wrong use, 3 not reachable; a problem is one line with its cure."""

from tenuto.db.errors import BadAddress, DatabaseProblem, NoBinaries, ServerFailed, Unreachable
from tenuto.model.errors import InvalidInput, NotFound, TenutoError, TooLarge

DONE, FAILED, WRONG_USE, NOT_REACHABLE = range(4)


class WrongUse(Exception):
    """The command was not given what it needs: the message says what to write."""


class FailedWork(Exception):
    """The command did what it could, and what it was about failed."""


Problem = DatabaseProblem | TenutoError | WrongUse | FailedWork
PROBLEMS = (DatabaseProblem, TenutoError, WrongUse, FailedWork)


def exit_code(problem: Problem) -> int:
    match problem:
        case WrongUse() | BadAddress() | InvalidInput() | NotFound() | TooLarge():
            return WRONG_USE
        case Unreachable() | NoBinaries() | ServerFailed():
            return NOT_REACHABLE
        case _:
            return FAILED
