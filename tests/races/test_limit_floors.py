"""Floors of limits move while tasks get in line, take slots and give them back."""

from uuid import UUID

from tests.support.database.interleave import Play, Race, on
from tests.support.database.limits import a_key, a_queue, admitted, start_limited, used
from tests.support.database.loops import count
from tests.support.database.tasks import Claim, Db, Worker, a_worker, call, drain


def start_task(db: Db) -> list[UUID]:
    return start_limited(db, 1, a_key("k", 1))


def move_floors(db: Db) -> None:
    call(db, "move_floors", from_bottom=True)


def one_held(race: Race) -> tuple[Worker, Claim]:
    """A worker that holds the only slot. Many tasks have passed, so that floors move."""
    for sequence in ("ready_seq", "limit_slots_seq_seq"):
        race.db.execute("select setval(%s, nextval(%s) + 10000)", [f"tenuto.{sequence}"] * 2)
    start_task(race.db)
    worker = a_worker(race.db)
    return worker, worker.claim_one()


def test_a_task_that_gets_in_line_while_floors_move_is_admitted_to_the_one_slot(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, held = one_held(race)
        play.run(start_task, lambda db: on(worker, db).complete(held), move_floors)
        call(race.db, "follow_arrivals")
        assert (admitted(race.db, "k"), used(race.db, "k")) == (1, 1)
        assert drain(race.db, a_worker(race.db, "other")) == 1

    race.every_order(scene, 1, 1, 1)


def test_a_task_that_moves_to_its_next_line_while_floors_move_is_admitted(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, held = one_held(race)
        start_limited(race.db, 1, a_key("k", 1), a_queue("default", 1))
        start_limited(race.db, 2, a_queue("default", 1))
        other = a_worker(race.db, "other")
        second = other.claim_one()
        play.run(lambda db: on(worker, db).complete(held), lambda db: on(other, db).complete(second), move_floors)
        drain(race.db, a_worker(race.db, "third"))
        assert count(race.db, "waiting_tasks") == 0

    race.every_order(scene, 1, 1, 1)
