"""What is stored for later is measured as it will be written then, so that no loop meets a value it cannot write."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, TooLarge
from tests.support.clock import Clock
from tests.support.database.limits import a_key, a_rate
from tests.support.database.loops import count, promote
from tests.support.database.schedules import CRON, fire, put, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one
from tests.support.database.value_bounds import MEGABYTE, json_of

Limit = Callable[[str, int], dict[str, Any]]
FOUR_BYTES = "\U0002070e"
DUE = datetime(2026, 1, 1, 3, tzinfo=UTC)
NEXT = DUE + timedelta(days=1)


@pytest.mark.parametrize("limit", [a_key, lambda key, size: a_rate(key, size, 1)], ids=["key", "rate"])
def test_a_limit_of_a_delayed_task_can_be_made_when_its_time_comes(db: Db, clock: Clock, limit: Limit):
    def delayed(key: str) -> None:
        start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 1, "limits": [limit(key, 1)]}]))

    with pytest.raises(InvalidInput, match="not a text of 1 to 1024 bytes"):
        delayed(FOUR_BYTES * 257)
    delayed(FOUR_BYTES * 256)

    assert promote(db, clock, seconds=2) == 1


def test_the_metadata_of_a_schedule_has_room_for_what_firing_adds(db: Db):
    def metadata(room: int) -> Any:
        return json_of(db, MEGABYTE - room, lambda text: {"note": text})

    with pytest.raises(TooLarge, match="metadata of task 0 has"):
        put(db, DUE, details={"metadata": metadata(16)})
    put(db, DUE, details={"metadata": metadata(200)})

    assert fire(db, DUE, DUE, next_at=NEXT)


def test_a_schedule_that_inherits_more_than_a_route_holds_is_refused(db: Db):
    labels = [f"{number:03}{FOUR_BYTES * 60}" for number in range(7)]
    call(db, "declare_types", **a_worker(db).fence, types={"app.report": {"kind": {"labels": labels}}})

    with pytest.raises(TooLarge, match="more than 2000 bytes together"):
        put(db, DUE, kind={"inherit": True, "queue": FOUR_BYTES * 64, "language": FOUR_BYTES * 64})
    assert schedule(db) == {}


def test_an_org_has_at_most_10000_schedules_and_may_change_those(db: Db):
    put(db, DUE)
    db.execute(
        "insert into tenuto.schedules select org_id, name || n, kind, input, details, cron, timezone, catch_up,"
        " jitter_seconds, paused_at, next_at, last_at, created_at from tenuto.schedules, generate_series(2, 10000) n"
    )

    with pytest.raises(TooLarge, match="its maximum of 10,000 schedules"):
        put(db, DUE, "one more")
    put(db, DUE, cron=CRON)
    assert count(db, "schedules") == 10_000
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={"max_schedules": 5})
    with pytest.raises(TooLarge, match="its maximum of 5 schedules"):
        put(db, DUE, "one more")
