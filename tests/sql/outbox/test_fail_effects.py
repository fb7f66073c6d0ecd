"""processing -> pending with backoff, or -> dead."""

import pytest

from tests.support.clock import Clock
from tests.support.database.outbox import effect, fail, finish, publish, take, wear_out
from tests.support.database.tasks import Db, call


def test_a_failed_effect_is_pending_again_after_a_backoff_and_says_why(db: Db, clock: Clock) -> None:
    (one,) = publish(db, 1)
    take(db)

    assert fail(db, one, error="502 bad gateway") == [(one, "pending")]

    row = effect(db, one)
    assert (row["last_error"], row["locked_by"], row["locked_until"]) == ("502 bad gateway", None, None)
    assert 1 <= (row["available_at"] - clock.now).total_seconds() <= 3
    assert take(db) == []
    clock.advance(seconds=3)
    assert take(db) == [one]


@pytest.mark.parametrize(("failures", "least", "most"), [(3, 4, 12), (9, 256, 768), (10, 300, 900), (19, 300, 900)])
def test_the_backoff_doubles_up_to_ten_minutes_with_jitter(
    db: Db, clock: Clock, failures: int, least: float, most: float
) -> None:
    (one,) = publish(db, 1)

    wear_out(db, one, times=failures)

    assert least <= (effect(db, one)["available_at"] - clock.now).total_seconds() <= most


def test_the_twentieth_failure_makes_a_dead_letter(db: Db) -> None:
    (one,) = publish(db, 1)
    wear_out(db, one, times=19)
    assert effect(db, one)["status"] == "pending"

    wear_out(db, one, times=1)

    assert (effect(db, one)["status"], effect(db, one)["attempts"]) == ("dead", 20)
    assert take(db) == []


def test_only_the_owner_can_fail_it(db: Db, clock: Clock) -> None:
    (one,) = publish(db, 1)
    take(db, "one")
    clock.advance(minutes=1)
    take(db, "two")

    assert fail(db, one, owner="one") == []

    assert (effect(db, one)["locked_by"], effect(db, one)["last_error"]) == ("two", None)


def test_what_is_pending_or_done_cannot_fail(db: Db) -> None:
    done, pending = publish(db, 1, 2)
    take(db, limit=1)
    finish(db, done)

    assert fail(db, done, pending, 999_999) == []

    assert [effect(db, each)["status"] for each in (done, pending)] == ["done", "pending"]


def test_each_of_a_batch_has_its_own_error_and_a_long_one_is_cut(db: Db) -> None:
    one, two = publish(db, 1, 2)
    take(db)

    call(db, "fail_effects", owner="one", ids=[one, two], errors=["e" * 10_000, "short"])

    assert [len(effect(db, each)["last_error"]) for each in (one, two)] == [4096, 5]
