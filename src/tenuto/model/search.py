"""Results of a search by name or id."""

from dataclasses import dataclass

from tenuto.model.statuses import ResultKind

# The permission that a caller needs to find things of a kind.
PERMISSIONS: dict[ResultKind, str] = {
    "run": "runs:read",
    "task": "tasks:read",
    "type": "tasks:read",
    "worker": "workers:read",
    "dataset": "datasets:read",
    "dag": "dags:read",
    "queue": "queues:read",
    "schedule": "schedules:read",
}


@dataclass(frozen=True)
class SearchResult:
    """A thing whose name or id matches a search. A result of kind `run` without an id means all runs with that name."""

    kind: ResultKind
    id: str | None
    name: str
    about: str
