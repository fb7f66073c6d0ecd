"""Token buckets: so many at once, so many a second, never more."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.waiting import wait_until


def take(db: Db, rate: float = 1.0, burst: float = 5.0, **more: Any) -> tuple[bool, float]:
    buckets = {"org_id": DEFAULT_ORG, "buckets": ["key"], "rates": [rate], "bursts": [burst]}
    (row,) = call(db, "take_tokens", **{**buckets, **more})
    return row["allowed"], round(row["retry_after"], 3)


def take_all(db: Db, **more: Any) -> int:
    taken = 0
    while take(db, **more)[0]:
        taken += 1
    return taken


def test_a_full_bucket_gives_its_burst_and_then_says_when_to_come_back(db: Db, clock: Clock) -> None:
    assert [take(db) for _ in range(6)] == [(True, 0)] * 5 + [(False, 1.0)]


def test_tokens_come_back_at_the_rate_and_never_above_the_burst(db: Db, clock: Clock) -> None:
    take_all(db)
    clock.advance(seconds=2.5)
    assert (take_all(db), take(db)) == (2, (False, 0.5))

    clock.advance(hours=1)
    assert take_all(db) == 5


def test_a_refusal_costs_nothing(db: Db, clock: Clock) -> None:
    take_all(db)
    for _ in range(10):
        take(db)
    clock.advance(seconds=1)

    assert take_all(db) == 1


def test_a_large_request_costs_more(db: Db, clock: Clock) -> None:
    assert take(db, cost=4.0) == (True, 0)
    assert take(db, cost=4.0) == (False, 3.0)
    assert take(db, cost=1.0) == (True, 0)


def test_all_buckets_give_or_none_does(db: Db, clock: Clock) -> None:
    both: dict[str, Any] = {"buckets": ["key", "org"], "rates": [1.0, 1.0], "bursts": [5.0, 2.0]}
    assert take_all(db, **both) == 2

    assert take(db, **both) == (False, 1.0)
    assert take_all(db) == 3


def test_orgs_have_buckets_of_their_own(db: Db, clock: Clock) -> None:
    take_all(db)

    assert take_all(db, org_id=an_org(db, "acme")) == 5


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(waits=st.lists(st.floats(0, 3), max_size=12), rate=st.floats(0.1, 20), burst=st.floats(1, 10))
def test_no_span_of_time_gives_more_than_burst_and_rate(
    db: Db, clock: Clock, waits: list[float], rate: float, burst: float
) -> None:
    db.execute("delete from tenuto.rate_buckets")
    taken, passed = take_all(db, rate=rate, burst=burst), 0.0
    for seconds in waits:
        clock.advance(seconds=seconds)
        passed += seconds
        taken += take_all(db, rate=rate, burst=burst)

    assert taken <= burst + rate * passed + 0.01


def test_those_who_come_at_once_get_together_what_the_bucket_holds(db: Db, clock: Clock, database: str) -> None:
    def many(_: int) -> int:
        with psycopg.connect(database, autocommit=True) as conn:
            conn.execute("select set_config('tenuto.fake_now', %s, false)", [clock.now.isoformat()])
            buckets: dict[str, Any] = {"buckets": ["org", "key"], "rates": [1.0, 1.0], "bursts": [40.0, 60.0]}
            return sum(take(conn, **buckets)[0] for _ in range(20))

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(many, range(6))) == 40

    assert take_all(db, buckets=["key"], bursts=[60.0]) == 20


def test_a_call_that_waited_for_another_gets_the_tokens_that_came_back_meanwhile(db: Db, database: str) -> None:
    def waits() -> object:
        return db.execute("select from pg_locks where not granted").fetchall()

    def refilled() -> object:
        (full,) = first.execute("select clock_timestamp() > full_at from tenuto.rate_buckets").fetchone() or (False,)
        return full

    with psycopg.connect(database) as first, psycopg.connect(database, autocommit=True) as second:
        assert take(first, rate=5.0, burst=1.0) == (True, 0)
        with ThreadPoolExecutor(1) as thread:
            late = thread.submit(take, second, rate=5.0, burst=1.0)
            wait_until(waits)
            wait_until(refilled)
            first.commit()

            assert late.result() == (True, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"rates": [0.0]},
        {"rates": [-1.0]},
        {"bursts": [0.5]},
        {"cost": -1.0},
        {"rates": []},
        {"bursts": [3.0], "cost": 4.0},
    ],
)
def test_a_bucket_that_could_never_give_is_refused(db: Db, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="every rate must be positive"):
        take(db, **wrong)
