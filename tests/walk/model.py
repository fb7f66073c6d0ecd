"""What the kernel promises about tasks, runs and workers, as plain Python: the reference that walks compare with.

Times are seconds. Backoffs are random in the kernel, so the walk's clock moves in steps longer than any of them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

FINAL = frozenset({"completed", "failed", "cancelled", "skipped", "gone"})
LEASE, TIMEOUT, GRACE, SILENCE, PAUSE = 45, 40, 5, 20, 20
BACKOFF = 1  # the shortest possible, in seconds


class Refused(Exception):
    """The kernel answers with this code."""


@dataclass(eq=False)
class Task:
    run: int
    edges: dict[int, str] = field(default_factory=dict)  # task it depends on: on what
    limited: bool = False
    timed: bool = False
    parent: int | None = None
    copy_of: int | None = None
    max_attempts: int = 2
    state: str = ""
    place: str = ""  # where a queued task is: ready, delayed or in line
    attempt: int = 0
    failures: int = 0
    losses: int = 0
    remaining: int = 0
    session: int = -1
    claim_no: int = 0
    cancel: bool = False
    until: float | None = None  # due, wake or deadline
    silent: float | None = None
    waits_for: str = ""
    awaited: set[int] = field(default_factory=set)
    blocked: set[str] = field(default_factory=set)  # workers whose code cannot continue it
    # attempt: the session whose report was accepted, and the functions that would have ended it like this
    reported: dict[int, tuple[int, frozenset[str]]] = field(default_factory=dict)


@dataclass(eq=False)
class Run:
    single_task: bool = True
    status: str = ""
    attempt: int = 1
    max_attempts: int = 1
    total: int = 1
    counts: Counter[str] = field(default_factory=Counter)
    unfolded: Counter[str] = field(default_factory=Counter)
    touched: bool = False  # something waits to be folded
    cancel: bool = False
    retry_at: float | None = None
    signals: int = 0
    gone: bool = False
    retried_by: int | None = None


@dataclass
class Session:
    worker: str
    expires: float
    ended: bool = False


@dataclass
class Model:
    now: float = 0
    tasks: list[Task] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    workers: dict[str, str] = field(default_factory=dict)
    sessions: list[Session] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    holder: int | None = None
    requests: set[tuple[str, int]] = field(default_factory=set)
    moves: Counter[tuple[str, str | None, str, str]] = field(default_factory=Counter)
    favourite: int | None = None  # who the kernel let through the limit, where the order is its choice

    # what everybody can see

    def signature(self) -> tuple[object, ...]:
        """What makes two states the same, whatever the numbers and times in them."""
        tasks = [
            (t.state, t.place, min(t.attempt, 3), t.failures, t.losses, t.remaining, t.cancel, t.limited, t.waits_for)
            for t in self.tasks
        ]
        runs = [(self.run_status(no), run.attempt, run.touched) for no, run in enumerate(self.runs) if not run.gone]
        return (*sorted(tasks), *sorted(runs), *sorted(self.workers.items()))

    def run_status(self, run_no: int) -> str:
        run = self.runs[run_no]
        if run.single_task:
            (task,) = self.tasks_of(run_no)
            return task.state if task.state in FINAL else "running" if task.attempt else "pending"
        running = any(task.state == "running" for task in self.tasks_of(run_no))
        return "running" if run.status == "pending" and (running or run.unfolded["started"]) else run.status

    def tasks_of(self, run_no: int) -> list[Task]:
        return [task for task in self.tasks if task.run == run_no]

    def no(self, task: Task) -> int:
        return self.tasks.index(task)

    def move(self, task: Task, verb: str, state: str, place: str = "") -> None:
        if (task.state, state) != ("queued", "queued"):
            self.moves["task", task.state or None, verb, state] += 1
        task.state, task.place = state, place

    def is_served(self, task: Task) -> bool:
        """Whether a worker is alive whose code can continue it: each worker has other code."""
        alive = {s.worker for s in self.sessions if not s.ended and s.expires >= self.now}
        return any(self.workers[worker] == "active" for worker in alive - task.blocked)

    # becoming claimable, and the limit of one

    def make_ready(self, tasks: Iterable[Task], verb: str, freed: Iterable[Task] = ()) -> None:
        if self.holder is not None and self.tasks[self.holder] in freed:
            self.holder = None
        for task in tasks:
            self.move(task, verb, "queued", "in line" if task.limited else "ready")
            if task.limited:
                self.line.append(self.no(task))
        self.line = [no for no in self.line if self.tasks[no].place == "in line"]
        if self.holder is None and self.line:
            self.holder = self.favourite if self.favourite in self.line else self.line[0]
            self.line.remove(self.holder)
            self.tasks[self.holder].place = "ready"

    # ends

    def count(self, task: Task, what: str) -> None:
        run = self.runs[task.run]
        if not run.single_task:
            run.touched = True
            run.unfolded[what] += 1
            if what == "failed" and not self.tolerated(self.no(task)):
                run.unfolded["untolerated_failures"] += 1

    def count_start(self, task: Task) -> None:
        run = self.runs[task.run]
        if not run.single_task:
            run.touched = True
            run.unfolded["started"] += 1

    def tolerated(self, no: int) -> bool:
        edges = [task.edges[no] for task in self.tasks if no in task.edges]
        return bool(edges) and all(on == "continue" for on in edges)

    def end(self, tasks: list[Task], verb: str, outcome: str) -> None:
        """Final ends: dependents, parents and the limit hear of it."""
        for task in tasks:
            self.move(task, verb, outcome)
            self.count(task, outcome)
        ready = self.release({self.no(task): outcome for task in tasks})
        awake = self.tell_parents(tasks)
        self.make_ready(ready, "release")
        self.make_ready(awake, "wake", freed=tasks)

    def release(self, ended: dict[int, str]) -> list[Task]:
        doomed = self.doomed(ended)
        for no, fate in doomed.items():
            self.move(self.tasks[no], "skip" if fate == "skipped" else "cancel", fate)
            self.count(self.tasks[no], fate)
        self.make_ready(self.tell_parents([self.tasks[no] for no in doomed]), "wake")
        ready = []
        for task in self.tasks:
            if task.state == "pending":
                fates = {**ended, **doomed}
                task.remaining -= sum(no in fates for no in task.edges)
                if task.remaining == 0:
                    ready.append(task)
        return ready

    def doomed(self, ended: dict[int, str]) -> dict[int, str]:
        fates: dict[int, str] = {}
        again = True
        while again:
            again = False
            for no, task in enumerate(self.tasks):
                found = [
                    edge_fate(on, {**ended, **fates}[up]) for up, on in task.edges.items() if up in {**ended, **fates}
                ]
                fate = min((fate for fate in found if fate), default=None)
                if task.state == "pending" and fate and fates.get(no) != fate:
                    fates[no] = fate
                    again = True
        return fates

    def tell_parents(self, tasks: list[Task]) -> list[Task]:
        awake = []
        numbers = {self.no(task) for task in tasks}
        for parent in self.tasks:
            if parent.state == "waiting" and parent.waits_for == "children" and parent.awaited & numbers:
                parent.awaited -= numbers
                if not parent.awaited:
                    awake.append(parent)
        return awake

    def settle(
        self, task: Task, verb: str, charge: str = "", *, final: bool = False, after: float | None = None
    ) -> None:
        """An attempt that did not complete."""
        spent = task.failures + task.losses + bool(charge) >= task.max_attempts
        if task.attempt == 1 or task.cancel or final or spent:
            self.count_start(task)
        if task.cancel:
            self.end([task], "cancel", "cancelled")
            return
        task.failures += charge == "failure"
        task.losses += charge == "loss"
        if final or spent:
            self.end([task], verb, "failed")
        else:
            self.move(task, verb, "retrying")
            at_once = charge == "loss" and task.failures + task.losses == 1
            task.until = self.now + (0 if at_once else BACKOFF if after is None else after)
            self.make_ready([], verb, freed=[task])

    def put_back(self, task: Task, verb: str) -> bool:
        """An attempt that costs nothing; whether the task goes on."""
        if task.cancel:
            self.settle(task, "cancel")
            return False
        if task.attempt == 1:
            self.count_start(task)
        if verb in ("interrupt", "forget"):
            self.make_ready([task], verb, freed=[task])
        elif verb == "snooze":
            self.move(task, verb, "queued", "delayed")
            task.until = self.now + PAUSE
            self.make_ready([], verb, freed=[task])
        return True

    # cancelling

    def below(self, scope: str, no: int) -> set[int]:
        if scope == "run":
            return {at for at, task in enumerate(self.tasks) if task.run == no}
        found = {no}
        while True:
            more = {
                at
                for at, task in enumerate(self.tasks)
                if task.parent in found or any(up in found and on == "completed" for up, on in task.edges.items())
            }
            if more <= found:
                return found
            found |= more

    def cancel(self, scope: str, no: int) -> None:
        tasks = [self.tasks[at] for at in sorted(self.below(scope, no)) if self.tasks[at].state not in FINAL]
        for task in tasks:
            task.cancel = True
        idle = [task for task in tasks if task.state != "running"]
        for task in idle:
            task.awaited.clear()
        if idle:
            self.end(idle, "cancel", "cancelled")


def edge_fate(on: str, outcome: str) -> str | None:
    """None when the edge is satisfied."""
    if on in ("continue", outcome):
        return None
    return "cancelled" if outcome in ("cancelled", "failed") else "skipped"
