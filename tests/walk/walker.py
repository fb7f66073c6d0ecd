"""One walk: a step is a real call, the model's opinion of it, and a comparison of all that can be seen."""

import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import psycopg

from tenuto.db.connection.call import call_sync
from tenuto.model.errors import TenutoError
from tests.walk.model import Model, Task

START = "2026-01-01 00:00:00+00"
PREPARE = """
prepare look as
select json_build_object(
  'tasks', (select json_object_agg(
              id, json_build_array(status, attempt, failures, losses, coalesce(cancel_requested, false)))
            from tenuto.task_status),
  'copies', (select json_object_agg(id, json_build_array(run_id, copy_of)) from tenuto.tasks where copy_of is not null),
  'runs', (select json_object_agg(id, status) from tenuto.run_status),
  'workers', (select json_object_agg(id, status) from tenuto.workers),
  'holder', (select task_id from tenuto.limit_slots))
"""
# What happens at the end of a transaction happens now: first cancels and signals, then the checks of test databases.
LOOK = """
set constraints tenuto.a_cancel_ends_its_tasks, tenuto.a_signal_wakes_its_tasks immediate;
set constraints all immediate; set constraints all deferred; execute look;
"""
GO_ON = "release savepoint here; savepoint here"
GO_BACK = "rollback to savepoint here"

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Step:
    """A call, the state of what it is about, what it must answer and what it must do."""

    function: str
    params: dict[str, Any]
    state: str
    apply: Callable[[Rows], None] = lambda _: None
    refusal: str | None = None
    look_up: Callable[[], dict[str, Any]] = dict  # parameters that only the database knows: most steps are not taken


@dataclass
class Walk:
    """The kernel in one transaction, and the model beside it."""

    db: psycopg.Connection
    random: random.Random
    model: Model = field(default_factory=Model)
    task_ids: list[UUID] = field(default_factory=list)
    run_ids: list[UUID] = field(default_factory=list)
    fences: list[dict[str, Any]] = field(default_factory=list)  # session_id and token of every session
    claim_nos: list[int] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)
    steps: int = 0

    def new_id(self) -> UUID:
        return UUID(int=self.random.getrandbits(128), version=4)

    def add(self, task_id: UUID, task: Task) -> Task:
        self.task_ids.append(task_id)
        self.model.tasks.append(task)
        return task

    def a_task(self) -> tuple[int, Task] | None:
        """Any that is there, and its number."""
        here = [(no, task) for no, task in enumerate(self.model.tasks) if task.state != "gone"]
        return self.random.choice(here) if here else None

    def a_session(self) -> int | None:
        """Any that ever was, the newest ones first of all."""
        if not self.fences:
            return None
        return max(self.random.randrange(len(self.fences)) for _ in range(2))

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def take(self, step: Step) -> None:
        """Do it for real and in the model, and compare."""
        step = self._note(step)
        self._apply(step, self._call(step), GO_ON)

    def probe(self, step: Step) -> None:
        """The same, and come back: the kernel by a savepoint, the model by a copy."""
        step = self._note(step)
        if step.refusal:
            assert self._refusal(step) == step.refusal, "another refusal"
            self.db.execute(GO_BACK)
            self.story.pop()
            return
        kept = pickle.dumps((self.model, self.task_ids, self.run_ids, self.fences, self.claim_nos))
        self._apply(step, self._call(step), GO_BACK)
        moves = self.model.moves
        self.model, self.task_ids, self.run_ids, self.fences, self.claim_nos = pickle.loads(kept)  # noqa: S301
        self.model.moves = moves
        self.story.pop()

    def _note(self, step: Step) -> Step:
        """The step with all its parameters."""
        step = replace(step, params={**step.params, **step.look_up()})
        self.steps += 1
        self.story.append(f"{step.function} ({step.state}) {step.params}")
        return step

    def _call(self, step: Step) -> Rows:
        if step.function == "tick":
            self.model.now += step.params["seconds"]
            self.set_clock()
            return []
        return call_sync(self.db, step.function, **step.params)

    def _refusal(self, step: Step) -> str:
        try:
            return f"answered {self._call(step)}"
        except TenutoError as error:
            return error.code

    def _apply(self, step: Step, rows: Rows, after: str) -> None:
        self.look(after)
        holder = self.seen["holder"]
        known = holder and UUID(holder) in self.task_ids
        self.model.favourite = self.task_ids.index(UUID(holder)) if known else None
        step.apply(rows)
        self.compare()

    def set_clock(self) -> None:
        self.db.execute(
            "select set_config('tenuto.fake_now', (%s::timestamptz + %s * interval '1 second')::text, false)",
            [START, self.model.now],
        )

    def look(self, after: str) -> None:
        """All that can be seen, in one trip with what comes after it."""
        cursor = self.db.execute(f"{LOOK} {after}".encode())
        while cursor.description is None:
            assert cursor.nextset()
        (row,) = cursor.fetchall()
        self.seen = row[0]

    def compare(self) -> None:
        tasks = {
            str(self.task_ids[no]): shown(task) for no, task in enumerate(self.model.tasks) if task.state != "gone"
        }
        runs = {
            str(self.run_ids[no]): self.model.run_status(no) for no, run in enumerate(self.model.runs) if not run.gone
        }
        for what, expected in {"tasks": tasks, "runs": runs, "workers": self.model.workers}.items():
            seen = self.seen[what] or {}
            wrong = {key for key in {*seen, *expected} if seen.get(key) != expected.get(key)}
            differences = "; ".join(f"{key} is {seen.get(key)}, not {expected.get(key)}" for key in sorted(wrong))
            assert not wrong, f"{what}: {differences}"


def shown(task: Task) -> list[object]:
    stopping = task.cancel and task.state == "running"
    charged = task.failures + task.losses
    attempt = charged if task.state in ("failed", "retrying") else min(task.attempt, charged + 1)
    return [task.state, attempt, task.failures, task.losses, stopping]


@contextmanager
def a_walk(db: psycopg.Connection, seed: int) -> Iterator[Walk]:
    """A walk that leaves nothing behind."""
    walk = Walk(db, random.Random(seed))  # noqa: S311 (chance, not a secret)
    db.execute("begin")
    walk.set_clock()
    db.execute("savepoint here")
    try:
        yield walk
    except Exception as error:
        error.add_note(f"seed {seed}, after:\n  " + "\n  ".join(walk.story))
        raise
    finally:
        db.execute("rollback")
