"""Reads what a user can see of a worker and its sessions, and brings a worker into a state."""

from typing import Any

from psycopg.rows import dict_row

from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

STATES = ("starting", "active", "draining", "error", "terminated")


def worker_row(db: Db, name: str = "w") -> dict[str, Any]:
    """The worker, or an empty answer when there is none."""
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("select * from tenuto.workers where id = %s", [name]).fetchone() or {}


def session_ends(db: Db) -> list[str | None]:
    """Why each session ended, oldest first; None for one that lives."""
    return [reason for (reason,) in db.execute("select end_reason from tenuto.sessions order by id")]


def a_worker_that_is(db: Db, state: str, name: str = "w") -> None:
    who = {"org_id": DEFAULT_ORG, "worker_id": name}
    if state == "starting":
        call(db, "expect_worker", **who, instance_type="ecs")
        return
    a_worker(db, name)
    if state == "draining":
        call(db, "drain_worker", **who)
    elif state == "error":
        call(db, "fail_worker", **who, error="CUDA")
    elif state == "terminated":
        call(db, "terminate_worker", **who)
