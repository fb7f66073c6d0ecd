"""Calls the functions and views that have the names of other systems, as their clients do: with plain SQL."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.support.database.tasks import Db


def rows(db: Db, query: str, *params: object) -> list[dict[str, Any]]:
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), params).fetchall()


@contextmanager
def refused(code: str, match: str | None = None) -> Iterator[None]:
    """The statement raises an error of this code, and changes nothing."""
    with pytest.raises(psycopg.Error, match=match) as refusal:
        yield
    assert refusal.value.sqlstate == code


def insert_wgp(db: Db, task_type: str = "travel", params: object = None) -> UUID:
    query = "insert into tenuto_compat_wgp.tasks (task_type, params) values (%s, %s) returning id"
    return rows(db, query, task_type, Jsonb(params))[0]["id"]


def claim_wgp(db: Db, worker: str = "gpu-1") -> dict[str, Any]:
    """The claimed task, or nothing."""
    claimed = rows(db, "select * from tenuto_compat.func_claim_available_task(%s)", worker)
    assert len(claimed) <= 1
    return claimed[0] if claimed else {}


def complete_wgp(db: Db, task_id: UUID, result: object = None, worker: str | None = None) -> None:
    db.execute("select tenuto_compat.func_mark_task_complete(%s, %s, %s)", [task_id, Jsonb(result), worker])


def fail_wgp(db: Db, task_id: UUID, error: str | None = "out of memory", worker: str | None = None) -> None:
    db.execute("select tenuto_compat.func_mark_task_failed(%s, %s, %s)", [task_id, error, worker])


def beat_wgp(db: Db, worker: str = "gpu-1", total: int | None = None, used: int | None = None) -> None:
    db.execute("select tenuto_compat.func_update_worker_heartbeat(%s, %s, %s)", [worker, total, used])


def reset_wgp(db: Db, *workers: str) -> int:
    (found,) = rows(db, "select tenuto_compat.func_reset_orphaned_tasks(%s) as count", list(workers))
    return found["count"]


def wgp_task(db: Db, task_id: UUID) -> dict[str, Any]:
    (task,) = rows(db, "select * from tenuto_compat_wgp.tasks where id = %s", task_id)
    return task


def wgp_worker(db: Db, worker: str = "gpu-1") -> dict[str, Any]:
    (found,) = rows(db, "select * from tenuto_compat_wgp.workers where id = %s", worker)
    return found
