"""The floor of a lane, below which a claim does not read."""

import psycopg

from tests.support.database.loops import count, value
from tests.support.database.tasks import a_worker, call, drain, start, start_one

FLOOR = "select floor from tenuto.ready_lanes"
FIRST = "select min(seq) from tenuto.ready_tasks"


def test_the_floor_moves_up_to_the_first_task(db: psycopg.Connection) -> None:
    start(db, *range(5))
    worker = a_worker(db)
    worker.claim(3)

    assert call(db, "move_floors") == 1

    assert value(db, FLOOR) == value(db, FIRST)
    assert len(worker.claim(5)) == 2


def test_a_floor_that_is_right_stays(db: psycopg.Connection) -> None:
    start(db, 1, 2)
    call(db, "move_floors")

    assert call(db, "move_floors") == 0


def test_the_floor_of_an_empty_lane_rises_but_not_above_starts_that_may_be_open(
    db: psycopg.Connection, database: str
) -> None:
    start_one(db)
    worker = a_worker(db)
    drain(db, worker)
    call(db, "move_floors")
    with psycopg.connect(database) as other:
        late = start_one(other)
        db.execute("select setval('tenuto.ready_seq', nextval('tenuto.ready_seq') + 10000)")
        before = value(db, FLOOR)
        call(db, "move_floors")
        assert value(db, FLOOR) > before
        assert call(db, "move_floors") == 0
    newest = start_one(db)

    assert {claim.task_id for claim in worker.claim(5)} == {late, newest}


def test_a_task_that_commits_late_below_the_floor_is_claimed_at_once(db: psycopg.Connection, database: str) -> None:
    start_one(db)  # the lane is there
    worker = a_worker(db)
    with psycopg.connect(database) as other:
        late = start_one(other)
        start_one(db)
        drain(db, worker)
        call(db, "move_floors")
        newest = start_one(db)
        call(db, "move_floors")
        assert [claim.task_id for claim in worker.claim(5)] == [newest]

    assert [claim.task_id for claim in worker.claim(5)] == [late]


def test_a_task_below_the_floor_without_an_arrival_is_found_from_the_bottom(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    call(db, "follow_arrivals")
    db.execute("update tenuto.ready_lanes set floor = 1::bigint << 60")
    worker = a_worker(db)

    call(db, "move_floors")
    assert worker.claim(5) == []
    call(db, "move_floors", from_bottom=True)
    assert [claim.task_id for claim in worker.claim(5)] == [task_id]


def test_claims_do_not_read_dead_arrivals_and_those_below_their_floor_are_found(
    db: psycopg.Connection, database: str
) -> None:
    start_one(db)
    worker = a_worker(db)
    drain(db, worker)
    with psycopg.connect(database) as other:
        late = start_one(other)
        db.execute("select setval('tenuto.arrivals_id_seq', 100000)")
        call(db, "move_floors")
        assert value(db, "select floor from tenuto.arrival_floor") == 100000
    call(db, "move_floors", from_bottom=True)

    assert [claim.task_id for claim in worker.claim(5)] == [late]
    assert count(db, "arrivals") == 0


def test_an_empty_lane_is_noted_and_forgotten_when_it_gets_work(db: psycopg.Connection) -> None:
    start_one(db)
    drain(db, a_worker(db))

    call(db, "move_floors")
    assert value(db, "select empty_since is not null from tenuto.ready_lanes") is True

    start_one(db)
    call(db, "move_floors")
    assert value(db, "select empty_since is null from tenuto.ready_lanes") is True


def test_lanes_are_moved_each_for_itself(db: psycopg.Connection) -> None:
    start(db, 1, 2, kind={"type": "app.a"})
    start(db, 1, 2, kind={"type": "app.b", "priority": 5})
    worker = a_worker(db)
    worker.claim(2, routes=worker.routes(types=["app.b"]))

    call(db, "move_floors")

    assert len(worker.claim(5)) == 2


def test_a_lane_that_another_transaction_moves_is_left_to_it(db: psycopg.Connection, database: str) -> None:
    start_one(db)
    call(db, "follow_arrivals")
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.ready_lanes for update")
        assert call(db, "move_floors") == 0

    assert call(db, "move_floors") == 1
