"""Walks of the real functions beside the model: every state that can be seen is the one the model says."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable

import psycopg
import pytest

from tests.support.database.tasks import DEFAULT_ORG
from tests.walk import other_steps as other
from tests.walk import worker_steps as worker
from tests.walk.walker import PREPARE, Step, Walk, a_walk

ENOUGH = 60
STEPS_A_WALK = 60  # and as many steps aside, which are taken back by savepoint
VACUUM = (
    "vacuum tenuto.ready_tasks, tenuto.pending_tasks, tenuto.waiting_tasks, tenuto.delayed_tasks, tenuto.running_tasks,"
    " tenuto.tasks, tenuto.runs, tenuto.task_attempts, tenuto.run_counts, tenuto.sessions, tenuto.workers,"
    " tenuto.ready_lanes, tenuto.limits, tenuto.limit_slots, tenuto.cancel_requests, tenuto.signals, tenuto.test_moves,"
    " tenuto.test_touched, tenuto.task_dependencies, tenuto.task_parents, tenuto.awaited_tasks"
)
STATES = ("pending", "queued", "retrying", "running", "waiting", "completed", "failed", "cancelled", "skipped")
FENCED = (
    "complete_tasks", "fail_tasks", "lose_tasks", "snooze_tasks", "interrupt_tasks", "wait_tasks", "block_tasks",
    "report_progress", "put_task_data", "start_children", "take_signal",
)  # fmt: skip
WRONG = [
    *((function, state) for function in FENCED for state in STATES),
    *(("claim_task", state) for state in (*STATES[2:], "pending", "delayed", "in line", "draining", "ended")),
    *(("claim_tasks", state) for state in ("draining", "ended")),
    ("heartbeat", "ended"),
    ("start_children", "stopping"),
    *(("cancel_task", state) for state in STATES[5:]),
    *((function, state) for function in ("cancel_run", "send_signal", "put_run_data") for state in STATES[5:8]),
    *((function, state) for function in ("delete_run", "retry_run") for state in ("pending", "running", "retrying")),
    *(("retry_run", state) for state in ("nothing to retry", "retried before")),
    *(("drain_worker", state) for state in ("none", "starting", "error", "terminated")),
    *(("fail_worker", state) for state in ("none", "terminated")),
    *(("expect_worker", state) for state in ("starting", "active", "draining", "error")),
    ("terminate_worker", "none"),
]


EVERY_STEP = (*other.STEPS, *worker.STEPS)
WORK = {worker.claim: 8, other.start_worker: 4, other.tick: 2, other.promote_due: 3}
THEMES: list[dict[Callable[[Walk], Step | None], int]] = [
    {**WORK, other.start_graph: 6, worker.finish: 12, other.fold_runs: 6, other.settle_runs: 8, other.on_a_run: 6,
     other.cancel_retrying: 3, other.tick: 5},
    {**WORK, other.start_one: 4, worker.start_child: 3, worker.wait_for: 9, worker.finish: 2, other.on_a_run: 3,
     other.wake_waiting: 3, other.cancel_task: 2},
    {**WORK, **dict.fromkeys(other.TIME, 3), other.start_one: 4, other.start_graph: 2, worker.report: 9, worker.beat: 4,
     other.on_a_worker: 2, other.cancel_task: 1, other.unblock_tasks: 2, other.set_aside_tasks: 2},
    {**WORK, other.on_a_worker: 16, other.start_one: 4, worker.report: 6, other.expire_sessions: 6, other.tick: 4},
    {**WORK, other.on_a_worker: 6, other.start_plain: 6, worker.block_held: 10, other.unblock_tasks: 6,
     other.set_aside_tasks: 6},
]  # fmt: skip


Move = tuple[str, str | None, str, str]


class Tally:
    """What the walks have met so far."""

    def __init__(self) -> None:
        self.steps = 0
        self.moves: Counter[Move] = Counter()
        self.calls: Counter[tuple[str, str]] = Counter()
        self.caused: defaultdict[tuple[str, str], set[Move]] = defaultdict(set)
        self.states: set[int] = set()

    def rarity(self, step: Step) -> int:
        """The least tried first, and what leads to the rarest moves, until all have been met often enough."""
        key = (step.function, step.state)
        rarest = min((self.moves[move] for move in self.caused[key]), default=ENOUGH)
        return min(ENOUGH, rarest, 2 * self.calls[key])

    def missing(self, legal: set[Move]) -> dict[object, int]:
        """What was not met often enough; a move that nobody allows would have failed its walk."""
        moves = {move: self.moves[move] for move in legal if self.moves[move] < 50}
        return {**moves, **{call: self.calls[call] for call in WRONG if self.calls[call] < 20}}

    def take(self, walk: Walk, step: Step, go: Callable[[Step], None]) -> None:
        before = walk.model.moves.copy()
        go(step)
        key = (step.function, step.state)
        self.steps += 1
        self.calls[key] += 1
        self.states.add(hash(walk.model.signature()))
        self.moves += (new := walk.model.moves - before)
        self.caused[key] |= set(new)


def walk_on(db: psycopg.Connection, seed: int, tally: Tally) -> None:
    with a_walk(db, seed) as walk:
        (theme,) = walk.random.choices(THEMES, [5, 2, 2, 1, 1])
        for _ in range(STEPS_A_WALK):
            tally.take(walk, min(candidates(walk), key=tally.rarity), walk.probe)
            tally.take(walk, a_step_forward(walk, theme), walk.take)


def candidates(walk: Walk) -> list[Step]:
    found = [choose(walk) for choose in walk.random.sample(EVERY_STEP, len(EVERY_STEP))]
    return [step for step in found if step is not None]


def a_step_forward(walk: Walk, theme: dict[Callable[[Walk], Step | None], int]) -> Step:
    while True:
        (choose,) = walk.random.choices(list(theme), list(theme.values()))
        step = choose(walk)
        if step is not None and not step.refusal and (step.function not in FENCED or step.state == "held"):
            return step


def legal_moves(db: psycopg.Connection) -> set[Move]:
    """All but those of DAG versions and jobs (tests/sql/runs/jobs), one that needs recorded steps
    (tests/sql/runs/lifecycle/test_retry_steps.py) and those of open runs (tests/races/test_open_runs.py), which no walk
    makes."""
    legal = set(db.execute("select entity, from_state, verb, to_state from tenuto.task_transitions").fetchall())
    others = {
        ("task", None, "retry", "failed"),
        ("task", None, "reuse", "completed"),
        ("run", None, "open", "pending"),
        ("run", "pending", "fold", "completed"),
    }
    return {move for move in legal - others if move[0] != "DAG version"}


def walk_for(db: psycopg.Connection, steps: int, *, at_most: int, seed: int | None = None) -> Tally:
    """Walks `steps`, and on until every move was met often enough, `at_most` so far."""
    db.prepare_threshold = None  # psycopg forgets all that is prepared, PREPARE's too, at every rollback
    db.execute(PREPARE)
    route = db.execute("select tenuto._intern_route(%s, 'default', 'app.work', 'python', '{}')", [DEFAULT_ORG])
    assert route.fetchone() == (1,)
    seeds = random.Random(seed)  # noqa: S311 (chance, not a secret)
    tally = Tally()
    legal = legal_moves(db)
    while tally.steps < steps or (tally.missing(legal) and tally.steps < at_most):
        for _ in range(10):
            walk_on(db, seeds.getrandbits(32), tally)
        db.execute(VACUUM)  # what was rolled back would slow the rest
    print(f"{tally.steps:,} steps met {len(tally.states):,} distinct states")  # pytest -rP shows it
    return tally


def test_a_short_walk_leaves_the_kernel_where_the_model_is(db: psycopg.Connection) -> None:
    tally = walk_for(db, 2_000, at_most=2_000, seed=1)

    assert len(tally.states) >= 300


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_twenty_thousand_steps_leave_the_kernel_where_the_model_is(db: psycopg.Connection) -> None:
    tally = walk_for(db, 20_000, at_most=80_000, seed=1)

    assert tally.missing(legal_moves(db)) == {}
    assert len(tally.states) >= 3_000  # 3,900 were met, in 27,600 steps


@pytest.mark.soak
def test_two_hundred_thousand_steps_leave_the_kernel_where_the_model_is(db: psycopg.Connection) -> None:
    tally = walk_for(db, 200_000, at_most=800_000)

    assert tally.missing(legal_moves(db)) == {}
    assert len(tally.states) >= 20_000  # 24,146 were met
