"""Results of a search by name or id."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["run", "task", "type", "worker", "dataset", "dag", "queue", "schedule"]
# The permission that a caller needs to find things of a kind.
PERMISSIONS: dict[Kind, str] = {
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

    kind: Kind
    id: str | None
    name: str
    about: str
