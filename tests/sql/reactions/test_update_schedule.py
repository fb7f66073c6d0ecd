"""A schedule is changed in part; a change computed from other times than it has by now is refused."""

from datetime import timedelta

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, call

OLD = {"old_cron": "0 3 * * *", "old_timezone": "UTC"}


@pytest.fixture
def put(db: Db, clock: Clock) -> dict:
    at = clock.now + timedelta(hours=1)
    kind = {"type": "a.report"}
    (put,) = call(db, "put_schedule", org_id=DEFAULT_ORG, name="n", kind=kind, cron="0 3 * * *", next_at=at)
    return put


def update(db: Db, clock: Clock, **change: object) -> dict:
    at = clock.now + timedelta(hours=9)
    (row,) = call(db, "update_schedule", **{"org_id": DEFAULT_ORG, "name": "n", "next_at": at, **OLD, **change})
    return row


def test_the_next_time_changes_only_with_the_times(db: Db, clock: Clock, put: dict) -> None:
    assert update(db, clock) == put
    changed = {"catch_up": "all", "jitter_seconds": 5.0}
    assert update(db, clock, **changed) == {**put, **changed}
    assert update(db, clock, cron="0 4 * * *")["next_at"] == clock.now + timedelta(hours=9)


def test_a_change_that_was_computed_from_old_times_is_refused(db: Db, clock: Clock, put: dict) -> None:
    update(db, clock, cron="0 4 * * *")

    with pytest.raises(Conflict, match="changed at the same time"):
        update(db, clock, timezone="Asia/Tokyo")
    assert put["name"] == "n"


def test_a_schedule_that_could_not_start_is_refused(db: Db, clock: Clock, put: dict) -> None:
    with pytest.raises(InvalidInput, match="catch_up"):
        update(db, clock, catch_up="some")
    with pytest.raises(InvalidInput, match="jitter"):
        update(db, clock, jitter_seconds=1e6)
    with pytest.raises(NotFound, match="no schedule other"):
        update(db, clock, name="other")
    assert call(db, "get_schedule", org_id=DEFAULT_ORG, name="n") == [put]
