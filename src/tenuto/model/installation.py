"""The installation that a database belongs to, and the work that begins when a copy of the database is adopted."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Installation:
    """The installation to which a database belongs, and the object stores of its dispatchers. `copy_problem`: why this
    process must not act on the database, which is a copy of an installation; None if it may."""

    name: str | None
    recorded_at: datetime
    stores: list[str]
    foreign_stores: list[str]  # of the installation from which the database was copied
    copy_problem: str | None


@dataclass(frozen=True)
class OpenWork:
    """Pools, schedules, backfills, effects or tasks of an org that begin when a copy is adopted."""

    org: str
    kind: str
    number: int
    names: list[str] | None
    next_at: datetime | None
