"""A client's transaction that started tasks and stays open: nobody waits for it, and it hides nobody else's tasks."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.limits import a_key, a_queue, a_rate, admitted, start_limited, used
from tests.support.database.loops import count, value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start, start_one, statuses

UPKEEP = ("follow_arrivals", "move_floors", "sweep_lanes", "sweep_limits", "admit_rates", "prune_limits", "promote_due")


def do_all_upkeep(db: Db) -> None:
    for function in UPKEEP:
        call(db, function)
    call(db, "move_floors", from_bottom=True)


LIMITS = {"key": a_key("k", 5), "queue": a_queue("default", 5), "rate": a_rate("r", 1000, 1)}


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("known", [False, True], ids=["new limit", "limit in use"])
def test_others_under_the_same_limit_go_on(
    db: psycopg.Connection, client: psycopg.Connection, limit: dict[str, Any], known: bool, clock: Clock
) -> None:
    worker = a_worker(db)
    held = []
    if known:
        start_limited(db, 2, limit)
        call(db, "admit_rates")
        held = worker.claim(1)
    mine = start_limited(client, 1, limit)
    theirs = start_limited(db, 1, limit)
    worker.complete(*held)

    for _ in range(3):
        do_all_upkeep(db)
        clock.advance(seconds=1)
    claims = worker.claim(10)
    assert theirs[0] in [claim.task_id for claim in claims]
    worker.complete(*claims)
    client.commit()
    clock.advance(seconds=1)
    call(db, "admit_rates")

    assert [claim.task_id for claim in worker.claim(10)] == mine
    assert count(db, "arrivals") == 0


def test_a_limit_holds_for_those_who_commit_late(db: psycopg.Connection, client: psycopg.Connection) -> None:
    start_limited(client, 3, a_key("k", 2))
    start_limited(db, 3, a_key("k", 2))
    worker = a_worker(db)
    held = worker.claim(10)
    assert len(held) == 2
    client.commit()

    assert worker.claim(10) == []
    worker.complete(*held)
    assert (admitted(db, "k"), used(db, "k")) == (2, 2)


def test_a_start_waits_for_no_limit_that_another_holds(db: psycopg.Connection, client: psycopg.Connection) -> None:
    start_limited(db, 1, a_key("k", 2), a_rate("r", 10, 1))
    call(db, "follow_arrivals")
    client.execute("select from tenuto.limits for update")

    start_limited(db, 1, a_key("k", 3), a_rate("r", 20, 1))

    assert count(db, "waiting_tasks") == 2


def test_many_starts_under_a_limit_that_is_held_leave_two_arrivals(
    db: psycopg.Connection, client: psycopg.Connection
) -> None:
    start_limited(db, 1, a_key("k", 9))
    call(db, "follow_arrivals")
    client.execute("select from tenuto.limits for update")
    for _ in range(5):
        start_limited(db, 1, a_key("k", 9))
    plain = start_one(db)
    worker = a_worker(db)

    assert plain in [claim.task_id for claim in worker.claim(10)]
    assert count(db, "arrivals") == 2  # the newest, and the first in line
    client.rollback()
    assert len(worker.claim(10)) == 5


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_lane_that_a_client_opens_hides_nobody(db: psycopg.Connection, client: psycopg.Connection, end: str) -> None:
    worker = a_worker(db)
    start_one(db)  # the route is there
    worker.complete(worker.claim_one())
    db.execute("delete from tenuto.ready_lanes")
    mine = start_one(client)
    theirs = start_one(db)
    do_all_upkeep(db)

    assert [claim.task_id for claim in worker.claim(10)] == [theirs]

    getattr(client, end)()
    assert [claim.task_id for claim in worker.claim(10)] == ([mine] if end == "commit" else [])


def test_a_lane_removed_while_a_start_of_it_is_open_is_there_when_it_commits(
    db: psycopg.Connection, client: psycopg.Connection, clock: Clock
) -> None:
    start_one(db)
    worker = a_worker(db, lease="1 hour")
    worker.complete(worker.claim_one())
    call(db, "move_floors")
    mine = start_one(client)
    clock.advance(minutes=2)
    assert call(db, "sweep_lanes")[0]["removed"] == 1
    client.commit()

    assert [claim.task_id for claim in worker.claim(10)] == [mine]


def test_a_bulk_start_that_commits_below_the_floor_is_claimed_at_once(db: psycopg.Connection) -> None:
    start_one(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    start(db, *range(1000))
    db.execute("update tenuto.ready_lanes set floor = 1::bigint << 60")  # moved on while the start went on

    assert len(worker.claim(1000)) == 1000


def test_a_task_under_two_limits_goes_on_with_the_next_claim_when_the_second_was_held(
    db: psycopg.Connection, client: psycopg.Connection
) -> None:
    worker = a_worker(db)
    start_limited(db, 1, a_key("customer", 1))
    start_limited(db, 1, a_queue("default", 10))
    first, _ = sorted(worker.claim(2), key=lambda claim: claim.task_id)
    (both,) = start_limited(db, 1, a_key("customer", 1), a_queue("default", 10))
    assert worker.claim(10) == []
    client.execute("select from tenuto.limits where scope = 'queue' for update")
    worker.complete(first)
    assert worker.claim(10) == []
    client.rollback()

    assert [claim.task_id for claim in worker.claim(10)] == [both]


def test_more_than_a_thousand_are_let_in_one_call_after_the_other(db: psycopg.Connection) -> None:
    start_limited(db, 1500, a_key("k", 1200))

    assert call(db, "follow_arrivals") == 1
    assert admitted(db, "k") == 1000
    call(db, "follow_arrivals")
    assert admitted(db, "k") == 1200
    assert call(db, "follow_arrivals") == 0


def test_a_start_with_many_priorities_takes_few_locks(db: psycopg.Connection) -> None:
    details = [{"task": i, "priority": i} for i in range(5000)]
    with db.transaction():
        start(db, *range(5000), details=Jsonb(details))
        assert value(db, "select count(*) < 10 from pg_locks where locktype = 'advisory'")
    for _ in range(5):
        call(db, "follow_arrivals")

    assert count(db, "ready_lanes") == 5000


def test_a_claim_wakes_the_workers_of_what_it_leaves(db: psycopg.Connection, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as listener:
        listener.execute("listen tenuto_ready")
        tasks = start(db, 1, 2, kind={"type": "app.a", "queue": "mine"})
        list(listener.notifies(timeout=60, stop_after=1))
        worker = a_worker(db)

        assert len(worker.claim(1)) == 1  # the lane was not there before
        assert [wake.payload for wake in listener.notifies(timeout=60, stop_after=1)] == ["mine"]
        assert statuses(db, tasks).count("queued") == 1


@pytest.mark.parametrize("paused_first", [False, True], ids=["paused meanwhile", "resumed meanwhile"])
def test_a_queue_is_paused_or_resumed_while_its_first_start_is_open(
    db: psycopg.Connection, client: psycopg.Connection, paused_first: bool
) -> None:
    if paused_first:
        call(db, "pause_queue", org_id=DEFAULT_ORG, queue="mail", new=True)
    mine = start_one(client, kind={"type": "app.new", "queue": "mail"})
    if paused_first:
        call(db, "resume_queue", org_id=DEFAULT_ORG, queue="mail")
    else:
        call(db, "pause_queue", org_id=DEFAULT_ORG, queue="mail", new=True)
    theirs = start_one(db, kind={"type": "app.new", "queue": "mail"})
    client.commit()
    call(db, "follow_arrivals")

    claims = {claim.task_id for claim in a_worker(db).claim(10)}

    assert claims == ({mine, theirs} if paused_first else set())


def test_a_start_in_a_block_of_the_client_leaves_an_arrival(db: psycopg.Connection) -> None:
    start_one(db)
    call(db, "follow_arrivals")
    assert count(db, "arrivals") == 0

    db.execute("""
        do $$ begin
          perform tenuto.start_many('00000000-0000-7000-8000-000000000001', '[{"type": "app.work"}]', '{1}');
        end $$""")

    assert count(db, "arrivals") == 1


def test_claims_of_other_queues_go_on_while_a_queue_is_being_paused(
    db: psycopg.Connection, client: psycopg.Connection
) -> None:
    worker = a_worker(db)
    start_one(db, kind={"queue": "paused"})
    drain(db, worker)
    call(client, "pause_queue", org_id=DEFAULT_ORG, queue="paused")
    start_one(db, kind={"queue": "paused", "priority": 3})
    other = start_one(db, kind={"queue": "other"})

    assert [claim.task_id for claim in worker.claim(5)] == [other]
    client.rollback()
    assert len(worker.claim(5)) == 1
