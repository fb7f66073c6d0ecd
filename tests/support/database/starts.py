"""Starts as a client writes them, valid and invalid, and the rows they wrote."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync, json_array
from tests.support.database.tasks import DEFAULT_ORG, Db

TABLES = (
    "runs",
    "tasks",
    "ready_tasks",
    "delayed_tasks",
    "pending_tasks",
    "waiting_tasks",
    "task_dependencies",
    "task_slots",
    "run_slots",
    "dedupe_keys",
    "routes",
    "limits",
    "data_references",
)


def start_many(db: Db, count: int = 1, **values: Any) -> list[tuple[UUID, bool]]:
    """(run, created) of each; what is not said is a batch of `count` plain tasks. JSON is wrapped here."""
    call = {"kinds": [{"type": "app.work"}], "inputs": list(range(count)), "org_id": DEFAULT_ORG, **values}
    rows = call_sync(db, "start_many", **_wrapped(call))
    return [(row["run_id"], row["created"]) for row in rows]


def start_run(db: Db, count: int = 1, **values: Any) -> tuple[UUID, bool]:
    call = {"run": {}, "kinds": [{"type": "app.work"}], "inputs": list(range(count)), "org_id": DEFAULT_ORG, **values}
    (row,) = call_sync(db, "start_run", **_wrapped(call))
    return row["run_id"], row["created"]


def rows_written(db: Db) -> dict[str, int]:
    """How many rows a start left in each of the tables it may write, where any."""
    counts = {}
    for table in TABLES:
        row = db.execute(f"select count(*) from tenuto.{table}".encode()).fetchone()
        counts[table] = row[0] if row else 0
    return {table: count for table, count in counts.items() if count}


def _wrapped(call: dict[str, Any]) -> dict[str, Any]:
    wrapped = {**call, "inputs": json_array(call["inputs"])}
    for name in ("run", "kinds", "details", "edges"):
        if name in call:
            wrapped[name] = Jsonb(call[name])
    return wrapped
