"""What the model says about runs as a whole: folded, retried by themselves, retried by people."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from tests.walk.model import BACKOFF, FINAL, Model, Run, Task
from tests.walk.walker import Rows, Step, Walk


def fate(run: Run) -> str:
    if run.cancel and (run.counts["cancelled"] or run.counts["untolerated_failures"]):
        return "cancelled"
    if run.counts["untolerated_failures"]:
        return "failed"
    return "cancelled" if run.counts["cancelled"] else "completed"


def all_ended(run: Run) -> bool:
    return run.total == sum(run.counts[state] for state in FINAL)


def fold(model: Model) -> None:
    for no, run in enumerate(model.runs):
        if run.single_task or run.gone or not run.touched:
            continue
        before = model.run_status(no)
        run.total += run.unfolded["added"]
        run.counts.update(run.unfolded)
        run.status = "running" if run.status == "pending" and run.unfolded["started"] else run.status
        run.unfolded, run.touched = Counter(), False
        over = run.attempt == run.max_attempts or fate(run) != "failed"
        if run.status in ("pending", "running") and all_ended(run) and over:
            run.status = fate(run)
            model.moves["run", before, "fold", run.status] += 1


def settle(model: Model, rerun: Callable[[int], None]) -> None:
    for no, run in enumerate(model.runs):
        if run.single_task or run.max_attempts == 1 or run.touched or not all_ended(run):
            continue
        due = run.retry_at is None or run.retry_at <= model.now or run.cancel
        if run.status in ("pending", "running", "retrying") and due:
            before = model.run_status(no)
            if run.status == "retrying" and not run.cancel:
                rerun(no)
            elif run.attempt < run.max_attempts and fate(run) == "failed":
                run.status, run.retry_at = "retrying", model.now + BACKOFF
            else:
                run.status, run.retry_at = fate(run), None
            verb = "fold" if before == "running" and run.status in FINAL else "settle"
            model.moves["run", before, verb, run.status] += 1


def to_rerun(model: Model, run_no: int, *, reuse: bool) -> list[int]:
    """What a retry executes again: what failed or was cancelled and all that depends on it; without reuse, all."""
    numbers = [no for no, task in enumerate(model.tasks) if task.run == run_no]
    copied = {model.tasks[no].copy_of for no in numbers}
    old = [no for no in numbers if no not in copied]
    again = {no for no in old if _failed_the_run(model, no, reuse=reuse)}
    while True:
        behind = {no for no in old if again & set(model.tasks[no].edges)}
        if behind <= again:
            break
        again |= behind
    below = {no for no in numbers if model.tasks[no].parent in again | copied - {None}}
    while True:
        more = {no for no in numbers if model.tasks[no].parent in below}
        if more <= below:
            return sorted(again - below)
        below |= more


def _failed_the_run(model: Model, no: int, *, reuse: bool) -> bool:
    """A child that failed is left to its parent where every dependent of the child goes on without it."""
    task = model.tasks[no]
    if task.parent is None:
        return not reuse or task.state in ("failed", "cancelled")
    edges = [other.edges[no] for other in model.tasks if no in other.edges]
    handled = bool(edges) and all(on == "continue" for on in edges)
    return reuse and (task.state == "cancelled" or (task.state == "failed" and not handled))


def _kept_beside(model: Model, old: list[int]) -> set[int]:
    """Tasks that those to execute again read from or are children of, and the parents of these."""
    kept: set[int] = set()
    new = {up for no in old for up in [*model.tasks[no].edges, model.tasks[no].parent] if up is not None}
    while new - kept:
        kept |= new
        new = {parent for no in kept if (parent := model.tasks[no].parent) is not None}
    return kept


def add_copies(walk: Walk, run_no: int, old: list[int], kept: Sequence[int] = ()) -> None:
    """Copies of the old ones, to be executed, and of the kept ones, as they ended. The kernel chose their ids."""
    run_id = str(walk.run_ids[run_no])
    ids = {copy_of: task_id for task_id, (of_run, copy_of) in walk.seen["copies"].items() if of_run == run_id}
    where = {no: len(walk.task_ids) + at for at, no in enumerate([*kept, *old])}
    for no in where:
        task = walk.model.tasks[no]
        ups = {
            where.get(up, up): on for up, on in task.edges.items() if up in where or (no in old and task.run == run_no)
        }
        parent = (
            where.get(task.parent, task.parent if task.run == run_no else None) if task.parent is not None else None
        )
        copy = Task(run_no, ups, task.limited, task.timed, parent, copy_of=no, max_attempts=task.max_attempts)
        walk.add(UUID(ids[str(walk.task_ids[no])]), copy)
    for no in kept:
        walk.model.move(walk.model.tasks[where[no]], "retry", walk.model.tasks[no].state)
    for no in old:
        copy = walk.model.tasks[where[no]]
        copy.remaining = sum(up in old for up in walk.model.tasks[no].edges)
        if copy.remaining:
            walk.model.move(copy, "start", "pending")
        else:
            walk.model.make_ready([copy], "start")


def rerun(walk: Walk, run_no: int) -> None:
    run = walk.model.runs[run_no]
    old = to_rerun(walk.model, run_no, reuse=True)
    run.status, run.attempt, run.retry_at = "running", run.attempt + 1, None
    completed = sum(walk.model.tasks[no].state == "completed" for no in old)
    run.counts = Counter(completed=run.counts["completed"] - completed)
    run.total = run.counts["completed"] + len(old)
    add_copies(walk, run_no, old)


def retry(walk: Walk, no: int, params: dict[str, Any], still_open: str | None) -> Step:
    """A final run is started again as a new one."""
    reuse, force = walk.chance(0.8), walk.chance(0.5)
    model, run = walk.model, walk.model.runs[no]
    old = to_rerun(model, no, reuse=reuse)
    copied = {task.copy_of for task in model.tasks_of(no)}
    beside = _kept_beside(model, old)
    kept = [
        at
        for at, task in enumerate(model.tasks)
        if task.run == no and at not in old and task.state in ("completed", "skipped")
        and (task.parent is None or at in beside) and at not in copied and reuse and not run.single_task
    ]  # fmt: skip

    def apply(rows: Rows) -> None:
        walk.run_ids.append(rows[0]["retry_run"])
        new = Run(run.single_task, "" if run.single_task else "pending", 1, run.max_attempts, len(old))
        run.retried_by = len(model.runs)
        model.runs.append(new)
        model.moves["run", None, "start", "pending"] += 1
        for at in kept:
            new.unfolded.update({"added": 1, model.tasks[at].state: 1})
            new.touched = True
        add_copies(walk, len(model.runs) - 1, old, kept)

    retried = run.retried_by is not None and not model.runs[run.retried_by].gone and not force
    refusal = still_open or ("TN004" if retried or not old else None)
    keeping = " ".join(sorted({model.tasks[at].state for at in kept}))
    state = model.run_status(no) if still_open else f"final, keeping {keeping}" if old else "nothing to retry"
    if old and retried and not still_open:
        state = "retried before"
    return Step("retry_run", {**params, "reuse": reuse, "force": force}, state, apply, refusal)
