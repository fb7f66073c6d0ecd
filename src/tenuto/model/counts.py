"""Numbers of rows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Count:
    """How many rows match a filter; above 10,000 an estimate, which is not `exact`."""

    count: int
    exact: bool
