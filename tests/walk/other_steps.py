"""Steps of clients, people, time and worker processes."""

import pickle
from collections.abc import Callable
from typing import Any

from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG
from tests.walk.model import FINAL, LEASE, PAUSE, SILENCE, TIMEOUT, Model, Run, Session, Task
from tests.walk.runs import all_ended, fold, rerun, retry, settle
from tests.walk.walker import Rows, Step, Walk
from tests.walk.worker_steps import KIND

ORG = {"org_id": DEFAULT_ORG}
TICK = 30
MOST_TASKS = 5
A_LIMIT = [{"scope": "key", "key": "k", "size": 1}]
TIMED = {"timeout_seconds": TIMEOUT, "heartbeat_timeout_seconds": SILENCE}


def start_one(walk: Walk) -> Step | None:
    return a_start(walk, limited=walk.chance(0.4), timed=walk.chance(0.3), delayed=walk.chance(0.2))


def start_plain(walk: Walk) -> Step | None:
    """For walks in which code is blocked: the model does not say when the next in line gets the slot of a task that is
    set aside."""
    return a_start(walk, limited=False, timed=False, delayed=False)


def a_start(walk: Walk, *, limited: bool, timed: bool, delayed: bool) -> Step | None:
    if len(walk.task_ids) >= MOST_TASKS:
        return None
    task_id = walk.new_id()
    details = {"task": 0, "limits": A_LIMIT if limited else None, "delay_seconds": PAUSE if delayed else None}

    def apply(_: Rows) -> None:
        walk.run_ids.append(task_id)
        walk.model.runs.append(Run())
        walk.model.moves["run", None, "start", "pending"] += 1
        task = walk.add(task_id, Task(len(walk.run_ids) - 1, limited=limited, timed=timed))
        if delayed:
            walk.model.move(task, "start", "queued", "delayed")
            task.until = walk.model.now + PAUSE
        else:
            walk.model.make_ready([task], "start")

    params = {
        "kinds": Jsonb([{**KIND, **(TIMED if timed else {})}]),
        "inputs": [Jsonb(1)],
        "ids": [task_id],
        "details": Jsonb([{key: value for key, value in details.items() if value is not None}]),
    }
    return Step("start_many", {**ORG, **params}, "new", apply)


def start_graph(walk: Walk) -> Step | None:
    """One task that two others depend on."""
    if len(walk.task_ids) > MOST_TASKS - 3:
        return None
    run_id, ids = walk.new_id(), [walk.new_id() for _ in range(3)]
    ways = {(0, 1): "completed", (0, 2): "failed"}
    if walk.chance(0.6):
        ways = {(0, to): walk.random.choice(["completed", "failed", "continue"]) for to in (1, 2)}
    if walk.chance(0.2):
        ways[1, 2] = "completed"
    attempts, tries = walk.random.choice([1, 2, 2]), walk.random.choice([1, 2])
    edges = [{"from": up, "to": to, "on": on} for (up, to), on in ways.items()]

    def apply(_: Rows) -> None:
        first = len(walk.task_ids)
        walk.run_ids.append(run_id)
        walk.model.runs.append(Run(single_task=False, status="pending", total=3, max_attempts=attempts))
        walk.model.moves["run", None, "start", "pending"] += 1
        for no, task_id in enumerate(ids):
            ups = {first + up: on for (up, to), on in ways.items() if to == no}
            task = walk.add(task_id, Task(len(walk.run_ids) - 1, ups, remaining=len(ups), max_attempts=tries))
            if ups:
                walk.model.move(task, "start", "pending")
            else:
                walk.model.make_ready([task], "start")

    params: dict[str, Any] = {
        "run": {"id": str(run_id), "max_attempts": attempts},
        "kinds": Jsonb([{**KIND, "max_attempts": tries}]),
        "inputs": [Jsonb(1)] * 3,
        "ids": ids,
        "edges": Jsonb(edges),
    }
    return Step("start_run", {**ORG, **params}, "new", apply)


def tick(_: Walk) -> Step:
    return Step("tick", {"seconds": TICK}, "any")


def expire_sessions(walk: Walk) -> Step | None:
    silent = [s for s in walk.model.sessions if not s.ended and s.expires < walk.model.now]

    def apply(_: Rows) -> None:
        for session in silent:
            session.ended = True
            if walk.model.workers[session.worker] in ("starting", "active", "draining"):
                move_worker(walk, session.worker, "fail", "error")

    state = " ".join(sorted(walk.model.workers[session.worker] for session in silent))
    return sometimes(walk, silent, Step("expire_sessions", {}, state, apply))


def expire_attempts(walk: Walk) -> Step | None:
    running = [task for task in walk.model.tasks if task.state == "running"]
    lost = [task for task in running if walk.model.sessions[task.session].ended]

    def apply(_: Rows) -> None:
        for task in lost:
            walk.model.settle(task, "expire", "loss")

    spent = any(task.failures + task.losses + 1 >= task.max_attempts for task in lost)
    return sometimes(walk, lost, Step("expire_attempts", {}, "spent" if spent else "any", apply))


def expire_deadlines(walk: Walk) -> Step | None:
    now = walk.model.now
    running = [task for task in walk.model.tasks if task.state == "running"]
    late = [task for task in running if min(task.until or now, task.silent or now) < now]

    def apply(_: Rows) -> None:
        for task in late:
            walk.model.settle(task, "expire", "failure")

    return sometimes(walk, late, Step("expire_deadlines", {}, "any", apply))


def promote_due(walk: Walk) -> Step | None:
    delayed = [task for task in walk.model.tasks if task.state == "retrying" or task.place == "delayed"]
    due = by_time(walk, delayed)
    return sometimes(walk, due, Step("promote_due", {}, "any", lambda _: walk.model.make_ready(due, "promote")))


def wake_waiting(walk: Walk) -> Step | None:
    waiting = [task for task in walk.model.tasks if task.state == "waiting"]
    due = by_time(walk, waiting)
    return sometimes(walk, due, Step("wake_waiting", {}, "any", lambda _: walk.model.make_ready(due, "wake")))


def unblock_tasks(walk: Walk) -> Step | None:
    blocked = [task for task in walk.model.tasks if task.state == "waiting" and task.waits_for == "code"]
    due = [task for task in blocked if walk.model.is_served(task)]
    return sometimes(walk, due, Step("unblock_tasks", {}, "any", lambda _: walk.model.make_ready(due, "unblock")))


def set_aside_tasks(walk: Walk) -> Step | None:
    ready = [task for task in walk.model.tasks if task.place == "ready" and task.blocked]
    due = [task for task in ready if not walk.model.is_served(task)]

    def apply(_: Rows) -> None:
        for task in due:
            walk.model.move(task, "set_aside", "waiting")
            task.waits_for, task.until = "code", None
        walk.model.make_ready([], "set_aside", freed=due)

    return sometimes(walk, due, Step("set_aside_tasks", {}, "any", apply))


def by_time(walk: Walk, tasks: list[Task]) -> list[Task]:
    """Those whose time has come, the earliest first: it takes the free slot of a limit."""
    due = [task for task in tasks if task.until is not None and task.until <= walk.model.now]
    return sorted(due, key=lambda task: (task.until, walk.task_ids[walk.model.no(task)]))


def sometimes(walk: Walk, due: object, step: Step) -> Step | None:
    """Mostly when there is something to do."""
    return step if due or walk.chance(0.1) else None


def fold_runs(walk: Walk) -> Step | None:
    touched = any(run.touched for run in walk.model.runs)
    return sometimes(walk, touched, Step("fold_runs", {}, foreseen(walk, fold), lambda _: fold(walk.model)))


def settle_runs(walk: Walk) -> Step | None:
    ended = any(run.max_attempts > 1 and run.status not in FINAL and all_ended(run) for run in walk.model.runs)
    state = foreseen(walk, lambda model: settle(model, lambda _: None))
    step = Step("settle_runs", {}, state, lambda _: settle(walk.model, lambda run_no: rerun(walk, run_no)))
    return sometimes(walk, ended, step)


def foreseen(walk: Walk, change: Callable[[Model], None]) -> str:
    """What it would move, so that the rare moves are tried when they are possible."""
    model: Model = pickle.loads(pickle.dumps(walk.model))  # noqa: S301
    change(model)
    return str(sorted(map(str, model.moves - walk.model.moves)))


def sweep_cancelled(walk: Walk) -> Step | None:
    def apply(_: Rows) -> None:
        for scope, no in sorted(walk.model.requests):
            walk.model.cancel(scope, no)
            if all(walk.model.tasks[at].state in FINAL for at in walk.model.below(scope, no)):
                walk.model.requests.discard((scope, no))

    return sometimes(walk, walk.model.requests, Step("sweep_cancelled", {}, "any", apply))


def cancel_task(walk: Walk) -> Step | None:
    found = walk.a_task()
    if found is None:
        return None
    no, task = found

    def apply(_: Rows) -> None:
        walk.model.cancel("task", no)
        walk.model.requests.add(("task", no))

    refusal = "TN004" if task.state in FINAL else None
    return Step("cancel_task", {**ORG, "task_id": walk.task_ids[no]}, task.state, apply, refusal)


def on_a_run(walk: Walk) -> Step | None:
    """Something that needs the run to be open, or final."""
    numbers = [no for no, run in enumerate(walk.model.runs) if not run.gone]
    numbers += [no for no, run in enumerate(walk.model.runs) if run.status == "retrying" for _ in range(5)]
    if not numbers:
        return None
    no = walk.random.choice(numbers)
    run, status = walk.model.runs[no], walk.model.run_status(no)
    params = {**ORG, "run_id": walk.run_ids[no]}
    over, still_open = ("TN004", None) if status in FINAL else (None, "TN004")

    def signal(_: Rows) -> None:
        run.signals += 1
        tasks = walk.model.tasks_of(no)
        walk.model.make_ready([t for t in tasks if t.state == "waiting" and t.waits_for == "signal"], "wake")

    def delete(_: Rows) -> None:
        run.gone = True
        for task in walk.model.tasks_of(no):
            task.state, task.run = "gone", -1

    steps = [
        cancel_run(walk, no),
        Step("send_signal", {**params, "name": "go"}, status, signal, over),
        Step("send_signal", {**params, "name": "go"}, status, signal, over),
        Step("put_run_data", {**params, "values": {"a": 1}}, status, refusal=over),
        Step("delete_run", params, status, delete, still_open),
    ]
    again = retry(walk, no, params, still_open)
    rare = {"failed": [again] * 4, "cancelled": [again] * 2, "retrying": [steps[0]] * 3}
    return walk.random.choice([*steps, again, *rare.get(status, [])])


def cancel_run(walk: Walk, no: int) -> Step:
    def apply(_: Rows) -> None:
        walk.model.cancel("run", no)
        walk.model.requests.add(("run", no))
        walk.model.runs[no].cancel = True

    status = walk.model.run_status(no)
    refusal = "TN004" if status in FINAL else None
    return Step("cancel_run", {**ORG, "run_id": walk.run_ids[no]}, status, apply, refusal)


def cancel_retrying(walk: Walk) -> Step | None:
    """A run that waits until its tasks run again, as few do."""
    numbers = [no for no, run in enumerate(walk.model.runs) if run.status == "retrying" and not run.gone]
    return cancel_run(walk, walk.random.choice(numbers)) if numbers else None


def start_worker(walk: Walk) -> Step | None:
    """One that cannot claim."""
    idle = [name for name in ("a", "b") if walk.model.workers.get(name) != "active"]
    return register(walk, walk.random.choice(idle)) if idle else None


def register(walk: Walk, worker: str) -> Step:

    def apply(rows: Rows) -> None:
        end_sessions(walk, worker)
        walk.fences.append({name: rows[0][name] for name in ("session_id", "token")})
        walk.claim_nos.append(0)
        walk.model.sessions.append(Session(worker, walk.model.now + LEASE))
        move_worker(walk, worker, "register", "active")

    code = Jsonb({"code_version": worker})
    params = {**ORG, "worker_id": worker, "lease": f"{LEASE} seconds", "metadata": code}
    return Step("register_worker", params, walk.model.workers.get(worker, "none"), apply)


def on_a_worker(walk: Walk) -> Step:
    name = walk.random.choice(["a", "b"])
    status = walk.model.workers.get(name, "none")
    params = {**ORG, "worker_id": name}

    def to(verb: str, state: str) -> Any:
        def apply(_: Rows) -> None:
            if state in ("error", "terminated"):
                end_sessions(walk, name)
            move_worker(walk, name, verb, state)

        return apply

    a_life = register(walk, name)
    known, gone = status != "none", status in ("none", "terminated")
    drains = status in ("active", "draining")
    expected = Step(
        "expect_worker", {**params, "instance_type": "w"}, status, to("expect", "starting"), None if gone else "TN004"
    )
    return walk.random.choice(
        [
            a_life,
            *[expected] * (6 if gone else 1),
            Step("drain_worker", params, status, to("drain", "draining"), None if drains else "TN004"),
            Step("fail_worker", {**params, "error": "e"}, status, to("fail", "error"), "TN004" if gone else None),
            Step("terminate_worker", params, status, to("terminate", "terminated"), None if known else "TN001"),
        ]
    )


def on_a_gone_worker(walk: Walk) -> Step | None:
    gone = [name for name, status in walk.model.workers.items() if status == "terminated"]
    if not gone:
        return None
    params = {**ORG, "worker_id": walk.random.choice(gone)}
    function, more = walk.random.choice([("drain_worker", {}), ("fail_worker", {"error": "e"})])
    return Step(function, {**params, **more}, "terminated", refusal="TN004")


def end_sessions(walk: Walk, name: str) -> None:
    for session in walk.model.sessions:
        if session.worker == name:
            session.ended = True


def move_worker(walk: Walk, name: str, verb: str, state: str) -> None:
    before = walk.model.workers.get(name)
    if before != state or verb == "register":
        walk.model.moves["worker", before, verb, state] += 1
    walk.model.workers[name] = state


CODE = (unblock_tasks, set_aside_tasks)
TIME = (tick, expire_sessions, expire_attempts, expire_deadlines, promote_due, wake_waiting, fold_runs, settle_runs)
PEOPLE = (sweep_cancelled, cancel_task, *[on_a_run] * 4, on_a_worker, on_a_gone_worker)
STEPS = (start_one, start_graph, *TIME, *CODE, *PEOPLE)
