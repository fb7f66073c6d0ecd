"""Reads how tasks ended, which worker ran them, and which attempts were charged."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from tests.support.database.loops import count, value
from tests.support.database.tasks import Db, start
from tests.support.waiting import wait_until

CHARGED = "outcome in ('lost', 'failed', 'retrying')"


def start_tasks(db: Db, task: str, *inputs: object, **kind: Any) -> list[UUID]:
    """Runs of one task each: a list is the arguments, anything else the only one."""
    return start(db, *inputs, kind={"type": task, **kind})


def ended(db: Db, outcome: str = "completed") -> int:
    """How many tasks reached this final state."""
    return count(db, "task_attempts", "end_no = 0 and outcome = %s", outcome)


def wait_for(db: Db, completed: int, *, timeout: float = 120.0) -> None:
    """Until so many tasks have completed."""
    wait_until(lambda: ended(db) >= completed, timeout=timeout)


def end_lease(db: Db, worker_id: str) -> datetime:
    """End the lease of a worker that is gone now instead of waiting for its end, which is returned. Workers keep leases
    that a busy machine can renew."""
    statement = "update tenuto.sessions set expires_at = tenuto.now() where worker_id = %s returning expires_at"
    return value(db, statement, worker_id)


def outcomes(db: Db, task_id: UUID) -> list[str]:
    """How each attempt of the task ended, oldest first."""
    rows = db.execute("select outcome from tenuto.task_attempts where task_id = %s order by attempt", [task_id])
    return [outcome for (outcome,) in rows]


def charged(db: Db, *task_ids: UUID) -> int:
    """How many attempts cost something, of these tasks or of all."""
    if task_ids:
        return count(db, "task_attempts", f"{CHARGED} and task_id = any(%s)", list(task_ids))
    return count(db, "task_attempts", CHARGED)


def started_at(db: Db, task_id: UUID, attempt: int) -> datetime:
    return value(
        db, "select started_at from tenuto.task_attempts where task_id = %s and attempt = %s", task_id, attempt
    )


def running(db: Db) -> int:
    return count(db, "running_tasks")


def error_of(db: Db, task_id: UUID) -> Any:
    return value(db, "select error from tenuto.task_attempts where task_id = %s and end_no = 0", task_id)


def by_worker(db: Db, task_ids: Sequence[UUID]) -> dict[str, int]:
    """How many of these tasks each worker completed."""
    rows = db.execute(
        "select s.worker_id, count(*) from tenuto.task_attempts a join tenuto.sessions s on s.id = a.session_id"
        " where a.end_no = 0 and a.task_id = any(%s) group by 1",
        [list(task_ids)],
    )
    return dict(rows.fetchall())
