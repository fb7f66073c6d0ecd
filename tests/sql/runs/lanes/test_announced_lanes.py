"""Which starts leave an arrival for their lane: those inside a client's transaction, once per lane."""

from contextlib import nullcontext

import psycopg
import pytest

from tenuto.model.ids import uuid7
from tests.support.database.loops import count
from tests.support.database.starts import start_many
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start_graph, start_one

START = "select run_id from tenuto.start_many(%s, %s, array['1'::jsonb], array[%s::uuid])"


@pytest.mark.parametrize("own_transaction", [True, False])
def test_a_prepared_start_is_known_to_be_a_transaction_of_its_own(
    db: psycopg.Connection, own_transaction: bool
) -> None:
    db.execute(START, [DEFAULT_ORG, '[{"type": "app.first"}]', uuid7()], prepare=True)
    twins = db.execute("select count(*) from tenuto.routes where twin <> 0").fetchone()
    worker = a_worker(db)
    drain(db, worker)

    with nullcontext() if own_transaction else db.transaction():
        db.execute(START, [DEFAULT_ORG, '[{"type": "app.first"}]', uuid7()], prepare=True)

    assert twins == (0,)
    assert count(db, "arrivals") == (0 if own_transaction else 1)
    assert len(worker.claim(5)) == 1


def test_many_starts_of_a_transaction_in_one_lane_leave_one_arrival(db: psycopg.Connection, database: str) -> None:
    drain(db, a_worker(db))
    with psycopg.connect(database) as client:
        ids = [start_one(client) for _ in range(5)]

    assert count(db, "arrivals") == 1
    assert {claim.task_id for claim in a_worker(db, "v").claim(10)} == set(ids)


def test_starts_in_two_lanes_by_turns_are_all_seen(db: psycopg.Connection, database: str) -> None:
    with psycopg.connect(database) as client:
        ids = [start_one(client, kind={"priority": no % 2}) for no in range(6)]

    assert {claim.task_id for claim in a_worker(db).claim(10)} == set(ids)


def test_a_start_after_a_savepoint_was_rolled_back_leaves_its_own_arrival(
    db: psycopg.Connection, database: str
) -> None:
    start_one(db)
    worker = a_worker(db)
    drain(db, worker)
    with psycopg.connect(database) as client:
        try:
            with client.transaction():
                start_one(client)
                raise psycopg.Rollback
        except psycopg.Rollback:
            pass
        late = start_one(client)
        start_one(db)
        drain(db, worker)
        call(db, "move_floors")
        newest = start_one(db)
        call(db, "move_floors")
        assert [claim.task_id for claim in worker.claim(5)] == [newest]

    assert count(db, "arrivals") == 1
    assert [claim.task_id for claim in worker.claim(5)] == [late]


def test_graphs_of_a_transaction_leave_one_arrival(db: psycopg.Connection, database: str) -> None:
    with psycopg.connect(database) as client:
        for _ in range(3):
            start_graph(client, 3, [(0, 1), (1, 2)])

    assert count(db, "arrivals") == 1
    assert len(a_worker(db).claim(10)) == 3


def test_what_is_given_back_in_a_transaction_is_seen_at_its_old_place(db: psycopg.Connection, database: str) -> None:
    first = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    with psycopg.connect(database) as client:
        later = start_one(client)
        call(client, "interrupt_tasks", **worker.fence, task_ids=[held.task_id], attempts=[held.attempt])

    assert count(db, "arrivals") == 2
    call(db, "move_floors")
    assert {claim.task_id for claim in worker.claim(5)} == {first, later}


def test_a_claim_follows_few_of_many_arrivals_and_leaves_the_rest_to_dispatchers(db: psycopg.Connection) -> None:
    start_one(db, kind={"type": "app.other"})
    worker = a_worker(db)
    (other,) = worker.routes(types=["app.other"])
    start_many(db, 250, kinds=[{"type": "app.work", "priority": no} for no in range(250)], task_kinds=list(range(250)))
    assert count(db, "arrivals") > 250

    assert len(worker.claim(1, routes=[other])) == 1

    assert count(db, "arrivals") > 100
    call(db, "follow_arrivals")
    assert count(db, "arrivals") == 0
    assert len(worker.claim(250)) == 250


def test_a_claim_of_many_tasks_follows_as_many_arrivals(db: psycopg.Connection) -> None:
    start_many(db, 250, kinds=[{"type": "app.work", "priority": no} for no in range(250)], task_kinds=list(range(250)))

    assert len(a_worker(db).claim(250)) == 250
