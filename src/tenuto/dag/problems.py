"""Problems of a DAG document: each problem with its path, line and column."""

from collections.abc import Iterable
from dataclasses import dataclass

from tenuto.model.errors import InvalidInput
from tenuto.model.similar_names import most_similar

MAX_PROBLEMS = 100


@dataclass(frozen=True)
class Position:
    """A place in the text; both numbers start at 1, as editors count."""

    line: int
    column: int


@dataclass(frozen=True)
class DagProblem:
    """A problem to correct. `path` is its place in the document (`jobs[0].operator`), and `hint` says what to write
    instead."""

    path: str
    line: int
    column: int
    message: str
    hint: str | None = None

    def __str__(self) -> str:
        subject = f"{self.path}: " if self.path else ""
        return f"{self.line}:{self.column}: {subject}{self.message}" + (f"; {self.hint}" if self.hint else "")


class InvalidDag(InvalidInput):
    """A DAG document is invalid: `problems` lists everything that must be corrected."""

    def __init__(self, problems: Iterable[DagProblem]) -> None:
        self.problems = sorted(problems, key=lambda problem: (problem.line, problem.column, problem.path))
        shown = [str(problem) for problem in self.problems[:MAX_PROBLEMS]]
        more = len(self.problems) - len(shown)
        super().__init__("\n".join([*shown, f"and {more:,} more problems"] if more else shown))


class Problems:
    """Collects problems, so that all are reported at once."""

    def __init__(self) -> None:
        self.found: list[DagProblem] = []

    def add(self, at: Position, path: str, message: str, hint: str | None = None) -> None:
        problem = DagProblem(path, at.line, at.column, message, hint)
        if problem not in self.found[-MAX_PROBLEMS:]:
            self.found.append(problem)

    def raise_if_any(self) -> None:
        if self.found:
            raise InvalidDag(self.found)


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Returns a suggestion for a name that does not exist, or None if no known name is similar."""
    near = most_similar(name, sorted(known))
    return f"did you mean {near}?" if near else None


def quoted(value: object) -> str:
    """Formats a value for a message; long values are cut."""
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
