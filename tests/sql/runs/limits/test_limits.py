"""Concurrency limits admit: never more than their size is ready or running, and every end hands its slots on."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.limits import a_key, a_queue, admitted, start_limited, used
from tests.support.database.loops import an_org, cancel_run, cancel_task, count, lose_workers, promote, value
from tests.support.database.tasks import Claim, Worker, a_worker, call, drain, start, start_graph, status, statuses


@pytest.mark.parametrize("limit", [a_key("db", 2), a_queue("db", 2)], ids=["key", "queue"])
def test_never_more_than_the_size_is_ready_or_running(db: psycopg.Connection, limit: dict[str, Any]) -> None:
    tasks = start_limited(db, 7, limit)
    worker = a_worker(db)
    done = 0
    while claims := worker.claim(10):
        assert len(claims) <= 2
        assert admitted(db, "db") <= 2
        worker.complete(claims[0])
        done += 1
        assert admitted(db, "db") <= 2
        worker.complete(*claims[1:])
        done += len(claims) - 1

    assert done == 7
    assert statuses(db, tasks) == ["completed"] * 7
    assert used(db, "db") == 0


def test_keys_do_not_limit_each_other_and_orgs_do_not_meet(db: psycopg.Connection) -> None:
    start_limited(db, 2, a_key("one", 1))
    start_limited(db, 2, a_key("two", 1))
    start_limited(db, 2, a_queue("one", 1))
    other = an_org(db, "other")
    start(db, 1, org_id=other, details=Jsonb([{"task": 0, "limits": [a_key("one", 1)]}]))

    assert len(a_worker(db).claim(10)) == 3
    assert len(a_worker(db, org_id=other).claim(10)) == 1


def ends_by_snooze(worker: Worker, held: Claim, db: psycopg.Connection, clock: Clock) -> None:
    worker.snooze(held)


def ends_by_failing_for_good(worker: Worker, held: Claim, db: psycopg.Connection, clock: Clock) -> None:
    worker.fail(held, final=True)


def ends_by_waiting_for_time(worker: Worker, held: Claim, db: psycopg.Connection, clock: Clock) -> None:
    worker.wait(held, **{"for": "time", "seconds": 1000})


def ends_lost(worker: Worker, held: Claim, db: psycopg.Connection, clock: Clock) -> None:
    lose_workers(db, clock)


def ends_over_its_time(worker: Worker, held: Claim, db: psycopg.Connection, clock: Clock) -> None:
    clock.advance(seconds=30)
    call(db, "expire_deadlines")


def ends_cancelled(worker: Worker, held: Claim, db: psycopg.Connection, clock: Clock) -> None:
    cancel_task(db, held.task_id)
    worker.interrupt(held)


ENDS = [
    ends_by_snooze,
    ends_by_failing_for_good,
    ends_by_waiting_for_time,
    ends_lost,
    ends_over_its_time,
    ends_cancelled,
]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_every_end_hands_the_slot_to_the_next(
    db: psycopg.Connection, clock: Clock, end: Callable[[Worker, Claim, psycopg.Connection, Clock], None]
) -> None:
    first, second = start_limited(db, 2, a_key("db", 1), kind={"timeout_seconds": 10})
    worker = a_worker(db)
    held = worker.claim_one()
    assert held.task_id == first

    end(worker, held, db, clock)

    assert (used(db, "db"), admitted(db, "db")) == (1, 1)
    assert a_worker(db, "next").claim_one().task_id == second


def test_a_task_cancelled_while_ready_hands_its_slot_on(db: psycopg.Connection) -> None:
    first, second = start_limited(db, 2, a_key("db", 1))

    cancel_task(db, first)

    assert a_worker(db).claim_one().task_id == second


def test_a_task_cancelled_in_line_leaves_the_line_and_what_it_held(db: psycopg.Connection) -> None:
    limits = a_key("a", 2), a_queue("b", 1)
    first, second, third = start_limited(db, 3, *limits)  # the second holds a slot of a and stands in line for b
    call(db, "follow_arrivals")
    assert used(db, "a") == 2

    cancel_task(db, second)

    assert (used(db, "a"), used(db, "b")) == (2, 1)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    assert worker.claim_one().task_id == third
    assert statuses(db, [first, second]) == ["completed", "cancelled"]


def test_a_cancelled_run_of_limited_tasks_leaves_no_slot_taken(db: psycopg.Connection) -> None:
    details = [{"task": i, "limits": [a_key("db", 2)]} for i in range(4)]
    run_id, tasks = start_graph(db, 4, details=details)

    cancel_run(db, run_id)

    assert statuses(db, tasks) == ["cancelled"] * 4
    assert (count(db, "limit_slots"), count(db, "waiting_tasks")) == (0, 0)


def test_two_limits_in_either_order_do_not_wait_for_each_other(db: psycopg.Connection) -> None:
    a, b = a_key("a", 1), a_key("b", 1)
    tasks = [*start_limited(db, 3, a, b), *start_limited(db, 3, b, a)]
    worker = a_worker(db)

    for _ in tasks:
        (held,) = worker.claim(10)
        worker.complete(held)

    assert statuses(db, tasks) == ["completed"] * 6
    assert count(db, "limit_slots") == 0


def test_the_line_is_ordered_by_priority_then_age(db: psycopg.Connection) -> None:
    limits = [a_key("db", 1)]
    first = start_limited(db, 1, *limits)
    call(db, "follow_arrivals")
    details = [{"task": i, "limits": limits, "priority": p} for i, p in enumerate((0, 5, 0, 5))]
    line = start(db, 0, 1, 2, 3, details=Jsonb(details))
    worker = a_worker(db)
    order = []
    while claims := worker.claim(10):
        order += [claim.task_id for claim in claims]
        worker.complete(*claims)

    assert order == [*first, line[1], line[3], line[0], line[2]]


def test_a_later_start_changes_the_size(db: psycopg.Connection) -> None:
    start_limited(db, 5, a_key("db", 1))
    start_limited(db, 1, a_key("db", 3))
    call(db, "follow_arrivals")
    assert admitted(db, "db") == 3

    start_limited(db, 1, a_key("db", 2))
    worker = a_worker(db)
    held = worker.claim(10)
    assert len(held) == 3
    worker.complete(held[0], held[1])
    assert admitted(db, "db") == 2
    worker.complete(held[2])
    assert drain(db, worker) == 4


def test_a_task_that_comes_back_does_not_bring_an_old_size_back(db: psycopg.Connection) -> None:
    start_limited(db, 1, a_key("db", 1))
    worker = a_worker(db)
    old = worker.claim_one()
    start_limited(db, 3, a_key("db", 2))

    worker.fail(old, retry=0)
    promote(db)
    call(db, "follow_arrivals")

    assert value(db, "select size from tenuto.limits") == 2
    assert admitted(db, "db") == 2


def test_a_limited_dependent_lines_up_when_it_is_released(db: psycopg.Connection) -> None:
    limited = start_limited(db, 1, a_key("db", 1))
    _, (_, dependent) = start_graph(db, 2, [(0, 1)], details=[{"task": 1, "limits": [a_key("db", 1)]}])
    worker = a_worker(db)
    claims = worker.claim(10)
    worker.complete(*[claim for claim in claims if claim.task_id not in limited])
    assert worker.claim() == []

    worker.complete(*[claim for claim in claims if claim.task_id in limited])

    assert worker.claim_one().task_id == dependent


def test_a_task_in_line_is_shown_as_queued(db: psycopg.Connection) -> None:
    _, second = start_limited(db, 2, a_key("db", 1))

    assert status(db, second) == "queued"
