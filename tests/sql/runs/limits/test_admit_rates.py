"""Rate limits: no more than their size is let in within any window of their seconds, evenly; nobody is forgotten."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.invariants import assert_invariants
from tests.support.database.limits import a_key, a_rate, admitted, start_limited, used
from tests.support.database.loops import cancel_task, count, lose_workers, promote, value
from tests.support.database.tasks import Claim, Db, Worker, a_worker, call, start_one, status, statuses


def admit(db: Db, clock: Clock | None = None, **passed: float) -> int:
    """How many are let in, after some time."""
    if clock is not None:
        clock.advance(**passed)
    return call(db, "admit_rates")


def in_line(db: Db) -> int:
    return count(db, "waiting_tasks")


def due_in(db: Db, clock: Clock) -> float | None:
    due = value(db, "select min(due_at) from tenuto.limits")
    return None if due is None else (due - clock.now).total_seconds()


def test_a_task_under_a_rate_waits_until_a_dispatcher_lets_it_in(db: Db) -> None:
    (task_id,) = start_limited(db, 1, a_rate("mail", 1, 60))
    worker = a_worker(db)
    assert (status(db, task_id), worker.claim()) == ("queued", [])

    assert admit(db) == 1

    assert worker.complete(worker.claim_one()) == ["accepted"]


def test_tasks_are_let_in_one_by_one_evenly(db: Db, clock: Clock) -> None:
    start_limited(db, 4, a_rate("mail", 60, 60))

    assert [admit(db), admit(db), due_in(db, clock)] == [1, 0, 1]
    assert [admit(db, clock, seconds=0.5), admit(db, clock, seconds=0.5)] == [0, 1]
    assert [admit(db, clock, seconds=10), admit(db)] == [1, 0]


def test_a_fast_rate_makes_up_for_a_late_call_by_a_quarter_of_a_second(db: Db, clock: Clock) -> None:
    start_limited(db, 100, a_rate("api", 100, 1))
    assert admit(db) == 25

    assert [admit(db, clock, seconds=0.05), admit(db, clock, seconds=0.1), admit(db, clock, seconds=0.5)] == [5, 10, 25]


def windows(times: list[datetime], seconds: float) -> int:
    """The most that were let in within any window."""
    span = timedelta(seconds=seconds)
    return max(sum(1 for time in times if start <= time < start + span) for start in times)


@pytest.mark.parametrize(("size", "seconds"), [(1, 1), (3, 1), (7, 1), (10, 0.1), (5, 60), (100, 3600), (40, 2)])
def test_no_window_ever_holds_more_than_the_size(db: Db, clock: Clock, size: int, seconds: float) -> None:
    chance = random.Random(size)  # noqa: S311 (chance, not a secret)
    times: list[datetime] = []
    for _ in range(60):
        clock.advance(seconds=chance.choice([0, 0.05, 0.3, 1, 5]) * chance.random() * seconds)
        if chance.random() < 0.5:
            start_limited(db, chance.randint(1, size), a_rate("r", size, seconds))
        times += [clock.now] * admit(db)

    assert len(times) >= 10
    assert windows(times, seconds) <= size


@pytest.mark.parametrize(("size", "seconds", "tick"), [(10, 1, 0.05), (7, 1, 0.03), (60, 60, 0.7), (20, 1, 0.011)])
def test_a_full_line_is_served_at_the_whole_rate(db: Db, clock: Clock, size: int, seconds: float, tick: float) -> None:
    start_limited(db, size * 5, a_rate("r", size, seconds))
    served = 0
    ticks = round(3 * seconds / tick)
    for _ in range(ticks):
        served += admit(db, clock, seconds=max(tick, due_in(db, clock) or 0))
        if count(db, "waiting_tasks") == 0:
            break

    passed = (clock.now - value(db, "select min(created_at) from tenuto.tasks")).total_seconds()
    assert served >= 0.9 * size * passed / seconds - 1


def test_those_first_in_line_come_first_and_higher_priorities_before_them(db: Db, clock: Clock) -> None:
    first, second = start_limited(db, 2, a_rate("r", 1, 1))
    (urgent,) = start_limited(db, 1, a_rate("r", 1, 1), kind={"priority": 5})
    worker = a_worker(db)
    order = []
    for _ in range(3):
        admit(db, clock, seconds=1)
        order.append(worker.claim_one().task_id)

    assert order == [urgent, first, second]


def test_no_rate_waits_behind_another(db: Db, clock: Clock) -> None:
    start_limited(db, 50, a_rate("busy", 1, 1))
    clock.advance(seconds=1)
    start_limited(db, 1, a_rate("quiet", 1, 1))

    let_in = [call(db, "admit_rates", limit=1) for _ in range(2)]

    assert let_in == [1, 1]
    assert (admitted(db, "busy"), admitted(db, "quiet")) == (1, 1)


def ends_by_failing(worker: Worker, held: Claim, db: Db, clock: Clock) -> None:
    worker.fail(held, retry=0)


def ends_lost(worker: Worker, held: Claim, db: Db, clock: Clock) -> None:
    lose_workers(db, clock)


def ends_by_a_nap(worker: Worker, held: Claim, db: Db, clock: Clock) -> None:
    worker.snooze(held, seconds=0)


@pytest.mark.parametrize("end", [ends_by_failing, ends_lost, ends_by_a_nap])
def test_every_attempt_but_one_that_is_given_back_costs_a_token(db: Db, clock: Clock, end: Callable[..., None]) -> None:
    (task_id,) = start_limited(db, 1, a_rate("r", 1, 3600))
    worker = a_worker(db)
    admit(db)
    end(worker, worker.claim_one(), db, clock)
    promote(db)
    assert (admit(db), status(db, task_id)) == (0, "queued")

    assert admit(db, clock, hours=1) == 1

    assert a_worker(db, "again").claim_one().attempt == 2


def test_the_rate_comes_after_the_other_limits_and_holds_their_slots(db: Db, clock: Clock) -> None:
    tasks = start_limited(db, 2, a_key("k", 1), a_rate("r", 1, 60))
    call(db, "follow_arrivals")
    assert used(db, "k") == 1
    assert admit(db) == 1
    worker = a_worker(db)
    held = worker.claim_one()

    assert admit(db, clock, seconds=60) == 0
    worker.beat(held)
    worker.complete(held)

    assert used(db, "k") == 1
    assert admit(db) == 1
    worker.complete(worker.claim_one())
    assert statuses(db, tasks) == ["completed", "completed"]
    assert (used(db, "k"), count(db, "limit_slots")) == (0, 0)
    assert_invariants(db)


def test_a_cancelled_task_costs_no_token_and_leaves_nothing(db: Db, clock: Clock) -> None:
    first, second = start_limited(db, 2, a_key("k", 2), a_rate("r", 1, 60))
    cancel_task(db, first)

    assert admit(db) == 1

    assert statuses(db, [first, second]) == ["cancelled", "queued"]
    assert used(db, "k") == 1


def test_a_deleted_run_leaves_its_rate_as_it_is(db: Db, clock: Clock) -> None:
    (run_id,) = start_limited(db, 1, a_rate("r", 1, 60))
    admit(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    call(db, "delete_run", org_id=worker.org_id, run_id=run_id)
    start_limited(db, 1, a_rate("r", 1, 60))

    assert [admit(db), admit(db, clock, seconds=60)] == [0, 1]


def test_a_rate_that_nobody_waits_for_is_looked_at_ever_less_and_then_not_at_all(db: Db, clock: Clock) -> None:
    start_limited(db, 1, a_rate("r", 10, 1))
    admit(db)
    looks = 0
    while (seconds := due_in(db, clock)) is not None:
        assert admit(db, clock, seconds=seconds) == 0
        looks += 1

    assert looks <= 12
    start_limited(db, 1, a_rate("r", 10, 1))
    call(db, "follow_arrivals")
    assert (due_in(db, clock), admit(db)) == (0, 1)


def test_a_line_that_a_dispatcher_forgot_is_found_by_the_sweep(db: Db, clock: Clock) -> None:
    start_limited(db, 1, a_rate("r", 1, 1))
    call(db, "follow_arrivals")
    db.execute("update tenuto.limits set due_at = null")
    assert admit(db) == 0

    call(db, "sweep_limits")

    assert admit(db) == 1


def test_the_newest_task_decides_the_rate(db: Db, clock: Clock) -> None:
    start_limited(db, 3, a_rate("r", 1, 3600))
    assert admit(db) == 1
    clock.advance(seconds=1)
    start_limited(db, 1, a_rate("r", 100, 1))
    call(db, "follow_arrivals")

    assert value(db, "select (size, seconds)::text from tenuto.limits") == "(100,1)"
    assert admit(db, clock, hours=1) == 3


def test_the_old_pace_holds_until_its_next_moment_when_the_rate_is_lowered(db: Db, clock: Clock) -> None:
    start_limited(db, 10, a_rate("r", 10, 1))
    for _ in range(5):
        admit(db, clock, seconds=0.1)
    start_limited(db, 1, a_rate("r", 2, 60))

    assert [admit(db, clock, seconds=30), admit(db, clock, seconds=31)] == [0, 1]


def test_a_rate_is_kept_while_what_it_let_in_is_in_its_window(db: Db, clock: Clock) -> None:
    (task_id,) = start_limited(db, 1, a_rate("r", 1, 10 * 86400))
    admit(db)
    worker = a_worker(db, lease="1 day")
    worker.complete(worker.claim_one())
    for days in (1, 2, 3):
        clock.advance(days=days)
        call(db, "prune_limits")
    start_limited(db, 1, a_rate("r", 1, 10 * 86400))
    assert admit(db) == 0

    assert admit(db, clock, days=4) == 1
    assert status(db, task_id) == "completed"


WRONG: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no seconds": ([{"scope": "rate", "key": "r", "size": 1}], "the seconds of limit"),
    "zero seconds": ([a_rate("r", 1, 0)], "the seconds of limit"),
    "seconds of a year": ([a_rate("r", 1, 3e7)], "the seconds of limit"),
    "seconds that are no number": ([{**a_rate("r", 1, 1), "seconds": "1"}], "the seconds of limit"),
    "seconds of a key": ([{**a_key("k", 1), "seconds": 1}], "has seconds; only limits of scope rate"),
    "two rates": ([a_rate("r", 1, 1), a_rate("s", 1, 1)], "more than one rate"),
}


@pytest.mark.parametrize(("limits", "message"), WRONG.values(), ids=WRONG)
def test_a_rate_that_cannot_be_is_refused(db: Db, limits: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        start_limited(db, 1, *limits)


def test_nothing_to_let_in_is_fine(db: Db) -> None:
    start_one(db)

    assert [admit(db), admit(db), in_line(db)] == [0, 0, 0]
