"""A task in every open state except running, each by the calls that lead there."""

from collections.abc import Callable
from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.database.limits import a_key, start_limited
from tests.support.database.tasks import Db, Worker, start_graph, start_one


def pending(db: Db, worker: Worker) -> UUID:
    return start_graph(db, 2, [(0, 1)])[1][1]


def queued(db: Db, worker: Worker) -> UUID:
    return start_one(db)


def delayed(db: Db, worker: Worker) -> UUID:
    return start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 60}]))


def snoozed(db: Db, worker: Worker) -> UUID:
    task_id = start_one(db)
    worker.snooze(worker.claim_one())
    return task_id


def retrying(db: Db, worker: Worker) -> UUID:
    task_id = start_one(db)
    worker.fail(worker.claim_one(), retry=60)
    return task_id


def waiting_for_children(db: Db, worker: Worker) -> UUID:
    task_id = start_one(db)
    held = worker.claim_one()
    children = worker.start_children(held, 1, 2)
    worker.wait(held, **{"for": "children", "tasks": [str(child) for child in children]})
    return task_id


def waiting_for_a_signal(db: Db, worker: Worker) -> UUID:
    task_id = start_one(db)
    worker.wait(worker.claim_one(), **{"for": "signal", "name": "go"})
    return task_id


def waiting_for_a_time(db: Db, worker: Worker) -> UUID:
    task_id = start_one(db)
    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 60})
    return task_id


def waiting_for_a_limit(db: Db, worker: Worker) -> UUID:
    return start_limited(db, 2, a_key("full", 1))[1]


RESTING: dict[str, Callable[[Db, Worker], UUID]] = {
    state.__name__: state
    for state in (
        pending,
        queued,
        delayed,
        snoozed,
        retrying,
        waiting_for_children,
        waiting_for_a_signal,
        waiting_for_a_time,
        waiting_for_a_limit,
    )
}
HOT_TABLES = (
    "ready_tasks", "pending_tasks", "waiting_tasks", "delayed_tasks", "running_tasks", "awaited_tasks", "limit_slots",
)  # fmt: skip
