"""Steps of workers: claim, report, keep alive, write, start children. Right ones, late ones, and those of strangers."""

from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from tests.walk.model import FINAL, GRACE, LEASE, PAUSE, SILENCE, TIMEOUT, Task
from tests.walk.walker import Rows, Step, Walk

WAIT_TIMEOUT = 50
KIND = {"type": "app.work", "max_attempts": 2, "backoff_seconds": 2}
BLOCK = ("block_tasks", {"mismatches": [Jsonb({"step_no": 1, "expected": "step 'a'", "found": "step 'b'"})]})
FENCED_ENDS = (
    "complete_tasks", "fail_tasks", "lose_tasks", "snooze_tasks", "interrupt_tasks", "wait_tasks", "block_tasks",
)  # fmt: skip
ANSWER = {"running": "already_running", **{state: state for state in FINAL}}


@dataclass(frozen=True)
class Fence:
    """What a worker says it holds, and whether it does."""

    no: int
    task: Task
    session: int
    attempt: int
    held: bool

    @property
    def state(self) -> str:
        return "held" if self.held else self.task.state


def a_fence(walk: Walk) -> Fence | None:
    found, session = walk.a_task(), walk.a_session()
    if found is None or session is None:
        return None
    no, task = found
    if task.state == "running" and walk.chance(0.8):
        return Fence(no, task, task.session, task.attempt, held=True)
    attempt = walk.random.randint(max(0, task.attempt - 1), task.attempt + 1)
    if task.reported and walk.chance(0.5):
        attempt, (session, _) = walk.random.choice(list(task.reported.items()))
    held = task.state == "running" and (task.session, task.attempt) == (session, attempt)
    return Fence(no, task, session, attempt, held)


def claim(walk: Walk) -> Step | None:
    session = walk.a_session()
    if session is None:
        return None
    limit = walk.random.choice([1, 1, 2, 3])
    claim_no, state = next_claim(walk, session)
    code = walk.model.sessions[session].worker
    ready = [task for task in walk.model.tasks if task.place == "ready" and code not in task.blocked]
    ready = ready if state == "active" else []

    def apply(rows: Rows) -> None:
        assert len(rows) == min(limit, len(ready)), "claimed too few or too many"
        for row in rows:
            task = walk.model.tasks[walk.task_ids.index(row["task_id"])]
            assert task in ready, "claimed what is not ready"
            assert row["attempt"] == task.attempt + 1
            take(walk, task, session, claim_no)

    params = {**walk.fences[session], "claim_no": claim_no, "limit": limit}
    refusal = "TN002" if state == "ended" else None
    return Step("claim_tasks", params, state, apply, refusal, lambda: {"routes": routes_for(walk, code)})


def routes_for(walk: Walk, code: str) -> list[int]:
    rows = walk.db.execute("select id from tenuto.routes where %s <> all (blocked_versions) order by 1", [code])
    return [row[0] for row in rows.fetchall()]


def claim_by_id(walk: Walk) -> Step | None:
    found, session = walk.a_task(), walk.a_session()
    if found is None or session is None:
        return None
    no, task = found
    claim_no, state = next_claim(walk, session)
    answer = "not_allowed" if state != "active" else ANSWER.get(task.state, "not_due")
    if state == "active" and task.place == "ready":
        answer = "claimed"

    def apply(rows: Rows) -> None:
        assert rows[0]["result"] == answer
        if answer == "claimed":
            take(walk, task, session, claim_no)

    params = {**walk.fences[session], "claim_no": claim_no, "task_id": walk.task_ids[no]}
    label = state if state != "active" else task.place or task.state
    return Step("claim_task", params, label, apply, "TN002" if state == "ended" else None)


def next_claim(walk: Walk, session: int) -> tuple[int, str]:
    walk.claim_nos[session] += 1
    return walk.claim_nos[session], session_state(walk, session)


def session_state(walk: Walk, session: int) -> str:
    model = walk.model.sessions[session]
    return "ended" if model.ended else walk.model.workers[model.worker]


def take(walk: Walk, task: Task, session: int, claim_no: int) -> None:
    if walk.model.run_status(task.run) == "pending":
        walk.model.moves["run", "pending", "claim", "running"] += 1
    walk.model.move(task, "claim", "running")
    task.attempt += 1
    task.session, task.claim_no = session, claim_no
    task.until = walk.model.now + TIMEOUT + GRACE if task.timed else None
    task.silent = walk.model.now + SILENCE if task.timed else None


def finish(walk: Walk) -> Step | None:
    """By the holder, as it should be."""
    fence = a_fence(walk)
    if fence is None or not fence.held:
        return None
    failed = ("fail_tasks", {"errors": [Jsonb("boom")], "retries": [-1.0]})
    return a_report(walk, fence, *(("complete_tasks", {}) if walk.chance(0.4 if fence.task.edges else 0.7) else failed))


def block_held(walk: Walk) -> Step | None:
    """By the holder, whose code calls another step than recorded."""
    fence = a_fence(walk)
    return a_report(walk, fence, *BLOCK) if fence is not None and fence.held else None


def wait_for(walk: Walk) -> Step | None:
    fence = a_fence(walk)
    return fence and a_report(walk, fence, "wait_tasks", {"waits": [Jsonb(a_wait(walk, fence.no))]})


def report(walk: Walk) -> Step | None:
    """By anybody, in any way."""
    fence = a_fence(walk)
    if fence is None:
        return None
    ways: list[tuple[str, dict[str, Any]]] = [
        ("complete_tasks", {}),
        ("fail_tasks", {"errors": [Jsonb("boom")]}),
        ("fail_tasks", {"errors": [Jsonb("boom")], "retries": walk.random.choice([None, None, [-1.0], [0.0]])}),
        ("lose_tasks", {"errors": [Jsonb("exit code 9")]}),
        ("snooze_tasks", {"seconds": [float(PAUSE)]}),
        ("interrupt_tasks", {}),
        ("wait_tasks", {"waits": [Jsonb(a_wait(walk, fence.no))]}),
        BLOCK,
    ]
    return a_report(walk, fence, *walk.random.choice(ways))


def a_report(walk: Walk, fence: Fence, function: str, more: dict[str, Any]) -> Step:
    answer = "accepted" if fence.held else "stale_lease"
    session, same = fence.task.reported.get(fence.attempt, (None, ()))
    if not fence.held and session == fence.session and function in same:
        answer = "already_accepted"

    def apply(rows: Rows) -> None:
        assert [row["result"] for row in rows] == [answer]
        if answer == "accepted":
            accept(walk, function, more, fence.task)
            fence.task.reported[fence.attempt] = fence.session, same_ends(function, fence.task)

    return Step(function, {**many(walk, fence), **more}, fence.state, apply)


def same_ends(function: str, task: Task) -> frozenset[str]:
    """The functions whose report would have ended the attempt as this one did."""
    if task.state == "cancelled":
        return frozenset(FENCED_ENDS) - {"complete_tasks"}
    return frozenset(("fail_tasks", "lose_tasks") if task.state == "failed" else (function,))


def many(walk: Walk, fence: Fence) -> dict[str, Any]:
    return {**walk.fences[fence.session], "task_ids": [walk.task_ids[fence.no]], "attempts": [fence.attempt]}


def one(walk: Walk, fence: Fence) -> dict[str, Any]:
    return {**walk.fences[fence.session], "task_id": walk.task_ids[fence.no], "attempt": fence.attempt}


def a_wait(walk: Walk, no: int) -> dict[str, Any]:
    children = [str(walk.task_ids[at]) for at, child in enumerate(walk.model.tasks) if child.parent == no]
    return walk.random.choice(
        [
            {"for": "time", "seconds": PAUSE},
            {"for": "signal", "name": "go"},
            {"for": "signal", "name": "go", "timeout_seconds": WAIT_TIMEOUT},
            {"for": "children", "tasks": children},
            {"for": "children", "tasks": children[:1], "timeout_seconds": WAIT_TIMEOUT},
        ]
    )


def accept(walk: Walk, function: str, more: dict[str, Any], task: Task) -> None:
    if function == "complete_tasks":
        walk.model.count_start(task)
        walk.model.end([task], "complete", "completed")
    elif function == "fail_tasks":
        (retry,) = more.get("retries") or [None]
        walk.model.settle(task, "fail", "failure", final=retry == -1, after=retry)
    elif function == "lose_tasks":
        walk.model.settle(task, "lose", "loss")
    elif function == "block_tasks":
        if walk.model.put_back(task, "block"):
            block(walk, task)
    elif function != "wait_tasks":
        walk.model.put_back(task, function.removesuffix("_tasks"))
    elif walk.model.put_back(task, "wait"):
        wait(walk, task, more["waits"][0].obj)


def wait(walk: Walk, task: Task, how: dict[str, Any]) -> None:
    numbers = [at for at, task_id in enumerate(walk.task_ids) if str(task_id) in how.get("tasks", [])]
    awaited = {at for at in numbers if walk.model.tasks[at].state not in FINAL}
    there = {"time": False, "signal": walk.model.runs[task.run].signals > 0, "children": not awaited}[how["for"]]
    if there:
        walk.model.make_ready([task], "wait", freed=[task])
        return
    walk.model.move(task, "wait", "waiting")
    seconds = how.get("seconds", how.get("timeout_seconds"))
    task.waits_for, task.awaited = how["for"], awaited
    task.until = None if seconds is None else walk.model.now + seconds
    walk.model.make_ready([], "wait", freed=[task])


def block(walk: Walk, task: Task) -> None:
    task.blocked.add(walk.model.sessions[task.session].worker)
    if walk.model.is_served(task):
        walk.model.make_ready([task], "block", freed=[task])
        return
    walk.model.move(task, "block", "waiting")
    task.waits_for, task.until = "code", None
    walk.model.make_ready([], "block", freed=[task])


def put_data(walk: Walk) -> Step | None:
    fence = a_fence(walk)
    if fence is None:
        return None
    refusal = None if fence.held else "TN005"
    return Step("put_task_data", {**one(walk, fence), "values": {"a": 1}}, fence.state, refusal=refusal)


def take_signal(walk: Walk) -> Step | None:
    fence = a_fence(walk)
    if fence is None:
        return None
    run = walk.model.runs[fence.task.run]

    def apply(rows: Rows) -> None:
        assert rows[0]["found"] == (run.signals > 0)
        run.signals -= rows[0]["found"]

    params = {**one(walk, fence), "step_no": walk.steps, "name": "go"}
    return Step("take_signal", params, fence.state, apply, None if fence.held else "TN005")


def start_child(walk: Walk) -> Step | None:
    fence = a_fence(walk)
    if fence is None or (fence.held and len(walk.task_ids) > 6):
        return None
    child_id = walk.new_id()
    stopping = fence.held and fence.task.cancel
    refusal = "TN006" if stopping else None if fence.held else "TN005"

    def apply(_: Rows) -> None:
        run = walk.model.runs[fence.task.run]
        if run.single_task:
            run.single_task, run.status, run.total = False, "running", 2
        else:
            run.unfolded["added"] += 1
            run.touched = True
        child = walk.add(child_id, Task(fence.task.run, parent=fence.no))
        walk.model.make_ready([child], "start")

    params = {**one(walk, fence), "kinds": Jsonb([KIND]), "inputs": [Jsonb(1)], "ids": [child_id]}
    return Step("start_children", params, "stopping" if stopping else fence.state, apply, refusal)


def progress(walk: Walk) -> Step | None:
    fence = a_fence(walk)
    if fence is None:
        return None
    answers = ["stale_lease"] if not fence.held else ["cancelled"] if fence.task.cancel else []

    def apply(rows: Rows) -> None:
        assert [row["result"] for row in rows] == answers
        if fence.held and fence.task.timed:
            fence.task.silent = walk.model.now + SILENCE

    return Step("report_progress", {**many(walk, fence), "progress": [0.5]}, fence.state, apply)


def beat(walk: Walk) -> Step | None:
    session = walk.a_session()
    if session is None:
        return None
    model = walk.model
    running = {no: task for no, task in enumerate(model.tasks) if task.state == "running" and task.session == session}
    strange = [no for no, task in enumerate(model.tasks) if no not in running and task.attempt and walk.chance(0.2)]
    listed = [no for no in running if walk.chance(0.7)] + strange
    settled = walk.claim_nos[session] - walk.random.choice([0, 0, 1])

    def apply(rows: Rows) -> None:
        model.sessions[session].expires = model.now + LEASE
        assert set(rows[0]["lost"]) == {walk.task_ids[no] for no in strange}
        assert set(rows[0]["cancelled"]) == {walk.task_ids[no] for no in listed if no in running and running[no].cancel}
        for no in set(running) - set(listed):
            if running[no].claim_no <= settled:
                model.put_back(running[no], "forget")

    params = {
        **walk.fences[session],
        "task_ids": [walk.task_ids[no] for no in listed],
        "attempts": [model.tasks[no].attempt for no in listed],
        "settled": settled,
    }
    state = session_state(walk, session)
    return Step("heartbeat", params, state, apply, "TN002" if state == "ended" else None)


STEPS = (claim, claim_by_id, report, report, report, put_data, take_signal, start_child, progress, beat)
