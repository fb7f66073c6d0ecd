"""The description of a system: how to start it, when it is done, and how much work is enough to time it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
Purpose = Literal["throughput", "latency"]
Command = list[str | Path]


@dataclass(frozen=True)
class Sizes:
    """The number of tasks (or graphs) of one quick measurement. It takes about a second on fast systems, and not
    minutes on slow ones."""

    drain: int
    one: int = 500
    chains: int = 0
    fans_of_10: int = 0
    fans_of_1000: int = 0
    limited: int = 0


@dataclass(frozen=True)
class Peer:
    """One system to measure."""

    name: str
    package: str
    runs_on: Literal["python", "node", "tenuto"]
    store: Literal["postgres", "redis"]
    send: Command
    work: Callable[[int, Purpose], list[Command]]
    # Postgres: a query that returns true when every task has ended. Redis: keys that do not exist then.
    ended: str | tuple[str, ...]
    sizes: Sizes
    settings: str
    bulk: bool = True
    environment: tuple[tuple[str, str], ...] = ()


def each(command: Command) -> Callable[[int, Purpose], list[Command]]:
    """Run the same command once per process."""
    return lambda processes, _: [command] * processes
