"""processing -> done, for the owner only."""

from tests.support.clock import Clock
from tests.support.database.outbox import effect, fail, finish, publish, take, wear_out
from tests.support.database.tasks import Db


def test_a_finished_effect_is_done_and_says_when(db: Db, clock: Clock) -> None:
    (one,) = publish(db, 1)
    take(db)

    assert finish(db, one) == [one]

    row = effect(db, one)
    assert (row["status"], row["processed_at"], row["locked_by"]) == ("done", clock.now, None)


def test_only_the_owner_can_finish(db: Db) -> None:
    (one,) = publish(db, 1)
    take(db, "one")

    assert finish(db, one, owner="two") == []

    assert (effect(db, one)["status"], effect(db, one)["locked_by"]) == ("processing", "one")


def test_an_owner_that_is_late_can_still_finish_until_another_took_it(db: Db, clock: Clock) -> None:
    slow, lost = publish(db, 1, 2)
    take(db, "one")
    clock.advance(minutes=5)

    assert finish(db, slow, owner="one") == [slow]
    take(db, "two")
    assert finish(db, lost, owner="one") == []

    assert effect(db, lost)["locked_by"] == "two"


def test_finishing_twice_is_answered_once_and_keeps_the_time(db: Db, clock: Clock) -> None:
    (one,) = publish(db, 1)
    take(db)
    finish(db, one)
    first = effect(db, one)
    clock.advance(seconds=5)

    assert finish(db, one) == []
    assert effect(db, one) == first


def test_what_is_pending_dead_or_not_there_cannot_be_finished(db: Db) -> None:
    (dead,) = publish(db, 1)
    wear_out(db, dead)
    (pending,) = publish(db, 2)

    assert finish(db, dead, pending, 999_999) == []
    assert finish(db) == []

    assert [effect(db, each)["status"] for each in (dead, pending)] == ["dead", "pending"]


def test_of_a_batch_only_what_was_finished_is_answered(db: Db) -> None:
    one, two, three = publish(db, 1, 2, 3)
    take(db)
    fail(db, two)

    assert finish(db, one, two, three, three) == [one, three]
