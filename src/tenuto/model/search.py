"""Results of a search by name or id."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["run", "task", "type", "worker", "dataset", "dag", "queue", "schedule"]
# The permission that lets a caller find things of a kind.
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
    """A thing whose name or id was searched for. A run without an id stands for all runs with its name."""

    kind: Kind
    id: str | None
    name: str
    about: str
