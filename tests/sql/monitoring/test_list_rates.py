"""Rates over time, from the rollups."""

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start


def test_ends_are_counted_per_minute_with_their_run_times(db: Db, clock: Clock) -> None:
    clock.advance(seconds=60 - clock.now.second)  # to a new minute, in which all of the following fits
    start(db, 1, 2, 3, kind={"max_attempts": 1})
    worker = a_worker(db)
    clock.advance(seconds=4)
    first, second, third = worker.claim(3)
    clock.advance(seconds=2)
    worker.complete(first)
    worker.fail(second)
    clock.advance(minutes=2)
    worker.complete(third)
    clock.advance(seconds=1)
    call(db, "roll_up_activity")

    early, late = call(db, "list_rates", org_id=DEFAULT_ORG)

    assert (early["completed"], early["failed"], early["queue_seconds"]) == (1, 1, 4)
    assert 1 < early["p50_seconds"] <= early["p95_seconds"] < 3
    assert (late["completed"], late["failed"]) == (1, 0)
    assert late["starts_at"] > early["starts_at"]
    assert call(db, "list_rates", org_id=DEFAULT_ORG, limit=1) == [late]
    assert sum(row["completed"] for row in call(db, "list_rates", org_id=DEFAULT_ORG, period="day")) == 2
    assert call(db, "list_rates", org_id=DEFAULT_ORG, type="app.other") == []
    assert call(db, "list_rates", org_id=call(db, "create_org", slug="other")) == []


@pytest.mark.parametrize("period", ["total", "second"])
def test_only_periods_that_are_kept_can_be_asked_for(db: Db, period: str) -> None:
    with pytest.raises(InvalidInput, match="is not a period"):
        call(db, "list_rates", org_id=DEFAULT_ORG, period=period)
