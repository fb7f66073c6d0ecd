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
    """Sessions that ended, and workers that were terminated, long ago: both gone."""

    sessions: int
    workers: int
