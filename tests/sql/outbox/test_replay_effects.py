"""dead -> pending."""

from tests.support.clock import Clock
from tests.support.database.outbox import effect, fail, finish, publish, replay, take, wear_out
from tests.support.database.tasks import Db, call


def test_a_replayed_dead_letter_has_a_fresh_count_and_can_be_taken_at_once(db: Db) -> None:
    (one,) = publish(db, 1)
    wear_out(db, one)

    assert replay(db) == [one]

    assert (effect(db, one)["status"], effect(db, one)["attempts"]) == ("pending", 0)
    assert take(db) == [one]
    assert fail(db, one) == [(one, "pending")]


def test_only_those_named_are_replayed(db: Db) -> None:
    one, two = publish(db, 1, 2)
    wear_out(db, one, two)

    assert replay(db, ids=[two, 999_999]) == [two]

    assert effect(db, one)["status"] == "dead"


def test_only_those_of_the_kind_are_replayed(db: Db, clock: Clock) -> None:
    (delivery,) = publish(db, 1)
    (event,) = publish(db, 2, kind="route_event")
    for _ in range(21):
        take(db, kinds=("deliver", "route_event"))
        clock.advance(seconds=31)

    assert replay(db, kind="route_event") == [event]

    assert effect(db, delivery)["status"] == "dead"


def test_another_orgs_dead_letters_stay_dead(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    (theirs,) = publish(db, 1, org_id=other)
    wear_out(db, theirs)

    assert replay(db) == []
    assert replay(db, ids=[theirs]) == []

    assert effect(db, theirs)["status"] == "dead"


def test_only_dead_letters_are_replayed_and_each_once(db: Db) -> None:
    (dead,) = publish(db, 1)
    wear_out(db, dead)
    done, taken, pending = publish(db, 2, 3, 4)
    take(db, limit=2)
    finish(db, done)

    assert [replay(db), replay(db)] == [[dead], []]

    assert [effect(db, each)["status"] for each in (done, taken, pending)] == ["done", "processing", "pending"]
