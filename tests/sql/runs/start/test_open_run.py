"""Opening a run: it has no tasks yet, and does not end before it is closed."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync
from tenuto.model.errors import InvalidInput
from tests.support.database.loops import an_org, run, settle, value
from tests.support.database.open_runs import add_tasks, close_run, open_run
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain


def test_an_open_run_has_its_options_and_no_tasks(db: psycopg.Connection) -> None:
    run_id = open_run(db, name="import", input={"day": 1}, metadata={"team": "a"}, max_attempts=2)
    settle(db)

    seen = run(db, run_id)
    assert (seen["status"], seen["open"], seen["total_tasks"], seen["fraction"]) == ("pending", True, 0, 0)
    assert (seen["name"], seen["input"], seen["metadata"], seen["max_attempts"]) == (
        "import",
        {"day": 1},
        {"team": "a"},
        2,
    )
    assert not seen["single_task"]


def test_an_open_run_does_not_end_when_its_tasks_have_ended(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    add_tasks(db, run_id, 1, 2)
    drain(db, a_worker(db))
    settle(db)

    seen = run(db, run_id)
    assert (seen["status"], seen["open"], seen["total_tasks"], seen["completed_tasks"]) == ("running", True, 2, 2)
    assert call(db, "poll_runs", org_id=DEFAULT_ORG, run_ids=[run_id]) == []

    close_run(db, run_id)
    (ended,) = call_sync(db, "poll_runs", org_id=DEFAULT_ORG, run_ids=[run_id])
    assert ended["status"] == "completed"


def test_a_dedupe_key_returns_the_run_that_has_it(db: psycopg.Connection) -> None:
    first = open_run(db, name="import", dedupe_key="monday")
    (again,) = call_sync(db, "open_run", org_id=DEFAULT_ORG, run=Jsonb({"name": "import", "dedupe_key": "monday"}))

    assert again == {"run_id": first, "created": False}
    assert value(db, "select count(*) from tenuto.open_runs") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dedupe_key": "monday"}, "no name"),
        ({"outputs": []}, "outputs"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"group": "none"}, "none"),
        ({"name": ""}, "name"),
    ],
)
def test_options_that_an_open_run_cannot_have_are_refused(
    db: psycopg.Connection, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(Exception, match=message) as refused:
        open_run(db, **options)
    assert isinstance(refused.value, InvalidInput) or "group" in options


def test_the_org_of_an_open_run_is_the_callers(db: psycopg.Connection) -> None:
    other = an_org(db, "other")
    run_id = open_run(db, org_id=other, id=str(uuid4()))

    assert run(db, run_id)["org_id"] == other
    assert value(db, "select org_id from tenuto.open_runs") == other
