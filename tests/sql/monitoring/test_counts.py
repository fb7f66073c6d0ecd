"""Numbers of runs and tasks: exact up to 10,000, then estimated from how often the newest were created."""

from datetime import timedelta

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.old_runs import ids_at
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph

OTHER = {"type": "app.other"}


def count(db: Db, function: str, **filter: object) -> tuple[int, bool]:
    (row,) = call(db, function, org_id=DEFAULT_ORG, **filter)
    return row["count"], row["exact"]


def test_few_are_counted_exactly(db: Db) -> None:
    start(db, 1, 2, 3)
    start(db, 4, kind=OTHER)
    start_graph(db, 3)
    worker = a_worker(db)
    worker.fail(*worker.claim(1), final=True)

    assert count(db, "count_runs") == (5, True)
    assert count(db, "count_runs", statuses=["failed"]) == (1, True)
    assert count(db, "count_runs", statuses=["failed", "pending"], type="app.work")[0] == 3
    assert count(db, "count_runs", name="graph") == (1, True)
    assert count(db, "count_tasks") == (7, True)
    assert count(db, "count_tasks", statuses=["failed", "queued"]) == (7, True)
    assert count(db, "count_tasks", type="app.other", queue="default") == (1, True)
    for function in ("count_runs", "count_tasks"):
        with pytest.raises(InvalidInput, match="'stuck' is not a status"):
            count(db, function, statuses=["failed", "stuck"])


def test_many_are_estimated_from_the_newest(db: Db, clock: Clock) -> None:
    since = clock.now
    for _ in range(6):
        start(db, *range(2_500), ids=ids_at(db, clock.now, 2_500))
        clock.advance(hours=1)

    for function in ("count_runs", "count_tasks"):
        estimate, exact = count(db, function, since=since)
        assert not exact
        assert 11_000 <= estimate <= 19_000
    assert count(db, "count_runs", since=since, until=since + timedelta(hours=1)) == (2_500, True)
