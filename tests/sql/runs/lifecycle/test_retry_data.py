"""A retry has the data of the run that it continues."""

from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tests.support.database.loops import fenced, run, settle
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start_graph

WORK = {"type": "app.work", "max_attempts": 1}


def a_failed_run(db: Db, size: int) -> UUID:
    """Its tasks and a client wrote data, one key twice."""
    run_id, _ = start_graph(db, size, kinds=[WORK])
    worker = a_worker(db)
    first, *others = worker.claim(size)
    for value in (1, 2):
        call(db, "put_task_data", **fenced(worker, first, values=Jsonb({"score": value}), tags=["mail"]))
    call(
        db,
        "put_run_data",
        org_id=DEFAULT_ORG,
        run_id=run_id,
        values=Jsonb({"customer": "ada"}),
        metadata=Jsonb({"m": 1}),
    )
    worker.fail(first)
    worker.complete(*others)
    settle(db)
    return run_id


def data(db: Db, run_id: UUID) -> list[tuple[Any, ...]]:
    rows = call(db, "get_run_data", org_id=DEFAULT_ORG, run_id=run_id, history=True)
    return [(row["key"], row["value"], row["tags"], row["task_id"], row["metadata"]) for row in rows]


@pytest.mark.parametrize("size", [2, 1001])
def test_a_retry_has_the_latest_value_of_each_key_unless_it_starts_from_scratch(db: Db, size: int) -> None:
    old = a_failed_run(db, size)
    before = data(db, old)

    kept = call(db, "retry_run", org_id=DEFAULT_ORG, run_id=old)
    scratch = call(db, "retry_run", org_id=DEFAULT_ORG, run_id=old, reuse=False, force=True)
    while call(db, "advance_requests"):
        pass

    assert data(db, kept) == [("customer", "ada", [], None, {"m": 1}), ("score", 2, ["mail"], None, None)]
    assert data(db, scratch) == []
    assert data(db, old) == before
    drain(db, a_worker(db, "next"))
    settle(db)
    assert run(db, kept)["status"] == "completed"
