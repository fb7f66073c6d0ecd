"""list_open_runs: open runs that only wait to be closed."""

from typing import Any

from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def listed(db: Db) -> list[Any]:
    return [row["run_id"] for row in call(db, "list_open_runs", org_id=DEFAULT_ORG)]


def test_a_run_without_open_tasks_is_listed_after_a_day_until_it_is_closed(db: Db, clock: Clock) -> None:
    ((run, _),) = [row.values() for row in call(db, "open_run", org_id=DEFAULT_ORG, run=Jsonb({"name": "import"}))]
    assert listed(db) == []

    clock.advance(hours=25)
    assert listed(db) == [run]

    call(db, "close_run", org_id=DEFAULT_ORG, run_id=run)
    assert listed(db) == []
