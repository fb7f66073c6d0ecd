"""Processes that run tasks, as the kernel knows them."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Session:
    """One life of a worker process; the token proves that it is yours."""

    session_id: int
    token: UUID


@dataclass(frozen=True)
class PrunedWorkers:
    """Sessions that ended, workers that were terminated, scaling decisions that were made long ago: all gone."""

    sessions: int
    workers: int
    decisions: int
