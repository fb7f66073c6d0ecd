"""What the database writes as JSON is what the description names, with the same values."""

from dataclasses import fields
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from tenuto.model.monitoring import TaskStatus
from tenuto.server.app import create_app
from tenuto.server.schemas.runs import RunResponse
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.clock import Clock
from tests.support.database.task_states import RESTING
from tests.support.database.tasks import Db, a_worker, call, start_one, task

TASK = TypeAdapter(TaskStatus)


def run(db: Db, run_id: UUID) -> dict[str, Any]:
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("select * from tenuto.run_status where id = %s", [run_id]).fetchone() or {}


def check_shown(admin: TestClient, db: Db, task_id: UUID) -> None:
    row = task(db, task_id)
    shown = admin.get(f"/v1/tasks/{task_id}").json()
    assert list(shown) == [field.name for field in fields(TaskStatus)]
    assert TASK.validate_python(shown) == TASK.validate_python(row)
    shown = admin.get(f"/v1/runs/{row['run_id']}").json()
    assert list(shown) == list(RunResponse.model_fields)
    assert RunResponse.model_validate(shown) == RunResponse.model_validate(run(db, row["run_id"]))


@pytest.mark.parametrize("state", RESTING)
def test_a_task_that_does_not_run(admin: TestClient, db: psycopg.Connection, clock: Clock, state: str) -> None:
    check_shown(admin, db, RESTING[state](db, a_worker(db)))


@pytest.mark.parametrize("output", [None, 1.5, 'ä\u2028"\\', {"a": [1, {"b": None}]}, 10**30])
def test_a_task_from_its_claim_to_its_end(admin: TestClient, db: psycopg.Connection, clock: Clock, output: Any) -> None:
    details = Jsonb([{"task": 0, "name": "näme", "metadata": {"a": 1}}])
    task_id = start_one(db, kind={"timeout_seconds": 0.1}, details=details)
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "report_progress", **worker.fence, task_ids=[task_id], attempts=[1], progress=[0.1], messages=["a tenth"])
    check_shown(admin, db, task_id)
    clock.advance(seconds=0.25)

    worker.complete(held, outputs=[output])

    check_shown(admin, db, task_id)


def test_a_moment_is_told_in_utc_whatever_the_database_thinks(
    settings: ServerSettings, make_headers: MakeKey, db: psycopg.Connection, clock: Clock
) -> None:
    name = db.info.dbname
    db.execute(f"alter database {name} set timezone = 'Asia/Kathmandu'".encode())
    task_id = start_one(db)

    with TestClient(create_app(settings), headers=make_headers("*")) as admin:  # over new connections
        shown = admin.get(f"/v1/tasks/{task_id}").json()
    assert shown["created_at"] == f"{clock.now:%Y-%m-%dT%H:%M:%S.%f}Z"
