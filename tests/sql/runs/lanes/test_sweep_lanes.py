"""Lanes are removed when they have been empty for a minute, and added when tasks wait in them unseen."""

import psycopg

from tests.support.clock import Clock
from tests.support.database.loops import count
from tests.support.database.tasks import a_worker, call, drain, start_one


def sweep(db: psycopg.Connection) -> tuple[int, int]:
    call(db, "move_floors")
    (row,) = call(db, "sweep_lanes")
    return row["added"], row["removed"]


def an_empty_lane(db: psycopg.Connection) -> None:
    start_one(db)
    drain(db, a_worker(db, lease="1 day"))
    call(db, "move_floors")


def test_an_empty_lane_is_removed_after_a_minute(db: psycopg.Connection, clock: Clock) -> None:
    an_empty_lane(db)

    clock.advance(seconds=60)
    assert sweep(db) == (0, 0)
    clock.advance(seconds=1)
    assert sweep(db) == (0, 1)

    assert count(db, "ready_lanes") == 0


def test_a_lane_that_got_work_stays(db: psycopg.Connection, clock: Clock) -> None:
    an_empty_lane(db)
    clock.advance(minutes=5)
    start_one(db)

    (row,) = call(db, "sweep_lanes")

    assert (row["added"], row["removed"]) == (0, 0)
    assert len(a_worker(db).claim(5)) == 1


def test_a_start_after_the_removal_makes_the_lane_anew(db: psycopg.Connection, clock: Clock) -> None:
    an_empty_lane(db)
    clock.advance(minutes=5)
    assert sweep(db) == (0, 1)

    task_id = start_one(db)

    assert a_worker(db).claim_one().task_id == task_id


def test_a_lane_removed_while_a_start_was_in_flight_is_added_again(
    db: psycopg.Connection, database: str, clock: Clock
) -> None:
    an_empty_lane(db)
    worker = a_worker(db)
    clock.advance(minutes=5)
    with psycopg.connect(database) as other:
        in_flight = start_one(other)
        assert sweep(db) == (0, 1)
    db.execute("delete from tenuto.arrivals")  # which would bring it back with the next claim
    assert worker.claim() == []

    assert sweep(db) == (1, 0)

    assert worker.claim_one().task_id == in_flight


def test_a_lane_left_to_a_start_that_rolled_back_is_added(db: psycopg.Connection, database: str, clock: Clock) -> None:
    an_empty_lane(db)
    clock.advance(minutes=5)
    sweep(db)
    worker = a_worker(db)
    with psycopg.connect(database) as other:
        start_one(other)
        second = start_one(db)  # leaves the lane to the other transaction
        other.rollback()

    sweep(db)

    assert [claim.task_id for claim in worker.claim(5)] == [second]
