"""Every order in which the steps of a few transactions can happen, on real connections at READ COMMITTED.

A transaction's steps are its calls and its end: a begin takes no snapshot and no lock, so when it comes is no matter.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg

from tenuto.model.errors import TenutoError
from tests.support.database.invariants import assert_invariants
from tests.support.database.tasks import Db, Worker
from tests.support.postgres.reset import DatabaseReset

T = TypeVar("T")
Call = Callable[[Db], Any]
GLANCE = 0.002  # seconds until a step that has not ended is looked at: does it wait for a lock?
KEPT = (
    "orgs",
    "resource_groups",
    "routes",
    "queues",
    "partitioned_tables",
    "migrations",
    "installation",
    "arrival_floor",
)


@dataclass(frozen=True)
class Transaction:
    """One or more calls between a begin and its end."""

    calls: tuple[Call, ...]
    end: str = "commit"


def rolled_back(*calls: Call) -> Transaction:
    return Transaction(calls, end="rollback")


def several(*calls: Call) -> Transaction:
    return Transaction(calls)


def hold(table: str, where: str, *params: object) -> Call:
    """A stranger's lock on a row, as a gate: a call that needs it stops half-way, until the stranger ends."""

    def lock(db: Db) -> None:
        db.execute(f"select from tenuto.{table} where {where} for update".encode(), params)

    return lock


def on(worker: Worker, db: Db) -> Worker:
    """The same worker calling on another connection."""
    return dataclasses.replace(worker, db=db)


class Actor:
    """A connection with a thread of its own, which takes the steps one after the other."""

    def __init__(self, database: str) -> None:
        self.db = psycopg.connect(database, autocommit=True, options="-c deadlock_timeout=20ms")
        self.db.execute("set role tenuto_worker")
        self._thread = ThreadPoolExecutor(1)
        self._steps: list[Future[Any]] = []

    @property
    def current(self) -> Future[Any] | None:
        return next((step for step in self._steps if not step.done()), None)

    def take(self, step: Call) -> Future[Any]:
        self._steps = [*(s for s in self._steps if not s.done()), self._thread.submit(step, self.db)]
        return self._steps[-1]

    def leave(self) -> None:
        self._thread.shutdown()
        self.db.close()


class Play:
    """One order of steps: the number of the actor whose turn it is."""

    def __init__(self, actors: Sequence[Actor], db: Db, order: tuple[int, ...]) -> None:
        self._actors, self._db = actors, db
        self.order = order

    def run(self, *transactions: Transaction | Call) -> list[Any]:
        """What each transaction's calls answered: a value or a kernel error; a list when it makes several calls.
        A step behind a lock is taken up again when the lock is free; a deadlock is raised."""
        steps = [_steps(_transaction(t)) for t in transactions]
        assert sorted(self.order) == sorted(no for no, s in enumerate(steps) for _ in s), (
            "calls differ from the order's"
        )
        taken: list[list[Future[Any]]] = [[] for _ in steps]
        for no in self.order:
            taken[no].append(self._actors[no].take(steps[no][len(taken[no])]))
            self._settle()
        wait([step for actor in taken for step in actor], timeout=60)
        answers = [[step.result(timeout=0) for step in actor] for actor in taken]
        return [_only(a[:-1]) for a in answers]

    def _settle(self) -> None:
        """Until every actor has taken its steps, or waits for the lock of another one."""
        while True:
            busy = {actor.db.info.backend_pid: actor.current for actor in self._actors if actor.current}
            if not busy:
                return
            wait([step for step in busy.values() if step], timeout=GLANCE, return_when=FIRST_COMPLETED)
            if not any(step.done() for step in busy.values() if step) and self._all_blocked(list(busy)):
                return

    def _all_blocked(self, pids: list[int]) -> bool:
        row = self._db.execute(
            "select bool_and(cardinality(pg_blocking_pids(pid)) > 0) from unnest(%s::int[]) pid", [pids]
        ).fetchone()
        return bool(row and row[0])


class Race:
    """A database, a connection that arranges and observes, and up to three actors."""

    def __init__(self, database: str) -> None:
        self.db = psycopg.connect(database, autocommit=True)
        self._actors = [Actor(database) for _ in range(3)]
        self._emptying = DatabaseReset(database, kept=KEPT, max_bytes=1 << 40)

    def every_order(self, scene: Callable[[Play], T], *calls: int, gate: bool = False) -> list[T]:
        """Play the scene in every order of transactions with so many calls each (two of one call, if not said), each
        time on empty tables; what must always be true is checked after each. With a gate, the first transaction starts
        before the others."""
        outcomes = []
        for order in interleavings([n + 1 for n in calls or (1, 1)]):
            if gate and order[0] != 0:
                continue
            self._emptying.empty()
            try:
                outcomes.append(scene(Play(self._actors, self.db, order)))
                assert_invariants(self.db)
            except BaseException as error:
                error.add_note(f"in the order {order}")
                raise
        return outcomes

    def leave(self) -> None:
        for actor in self._actors:
            actor.leave()
        self._emptying.db.close()
        self.db.close()


def interleavings(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if not any(counts):
        yield ()
    for no, count in enumerate(counts):
        if count:
            for rest in interleavings([c - (i == no) for i, c in enumerate(counts)]):
                yield (no, *rest)


def _transaction(given: Transaction | Call) -> Transaction:
    return given if isinstance(given, Transaction) else Transaction((given,))


def _steps(transaction: Transaction) -> list[Call]:
    first, *others = (_answered(call) for call in transaction.calls)
    return [lambda db: (_begin(db), first(db))[1], *others, lambda db: _end(db, transaction.end)]


def _begin(db: Db) -> None:
    db.execute("begin")


def _end(db: Db, end: str) -> None:
    db.execute(end.encode())


def _answered(call: Call) -> Call:
    def answer(db: Db) -> Any:
        try:
            return call(db)
        except TenutoError as refused:
            return refused

    return answer


def _only(answers: list[Any]) -> Any:
    return answers[0] if len(answers) == 1 else answers
