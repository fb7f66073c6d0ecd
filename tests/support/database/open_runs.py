"""Opens runs, adds tasks to them and closes them."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync, json_array
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def open_run(db: Db, *, org_id: UUID = DEFAULT_ORG, **run: Any) -> UUID:
    (row,) = call_sync(db, "open_run", org_id=org_id, run=Jsonb(run))
    return row["run_id"]


def add_tasks(
    db: Db, run_id: UUID, *inputs: object, org_id: UUID = DEFAULT_ORG, kind: dict[str, Any] | None = None, **more: Any
) -> list[UUID]:
    """Adds a task per input, by default one without input."""
    kinds = Jsonb([{"type": "app.work", "backoff_seconds": 0, **(kind or {})}])
    return call(
        db, "add_tasks", org_id=org_id, run_id=run_id, kinds=kinds, inputs=json_array(inputs or (None,)), **more
    )


def close_run(db: Db, run_id: UUID, *, org_id: UUID = DEFAULT_ORG) -> None:
    call(db, "close_run", org_id=org_id, run_id=run_id)
