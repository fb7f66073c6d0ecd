"""What is done is deleted after a while."""

from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.outbox import effects, finish, publish, take, wear_out
from tests.support.database.tasks import Db, call


def done(db: Db, *payloads: object) -> None:
    ids = publish(db, *payloads)
    take(db)
    finish(db, *ids)


def test_what_was_done_a_day_ago_goes_and_what_was_done_since_stays(db: Db, clock: Clock) -> None:
    done(db, "old")
    clock.advance(hours=2)
    done(db, "new")
    clock.advance(hours=22, seconds=1)

    assert call(db, "prune_effects") == 1

    assert effects(db) == [("deliver", "new", "done")]


def test_an_org_says_how_long_it_keeps_what_was_done(db: Db, clock: Clock) -> None:
    done(db, "mine")
    for slug, hours in (("long", 48), ("short", 1.5)):
        publish(db, slug, org_id=an_org(db, slug, effect_retention_hours=hours))
    finish(db, *take(db))

    left = []
    for hours in (2, 23, 24):
        clock.advance(hours=hours)
        left.append((call(db, "prune_effects"), len(effects(db))))

    assert left == [(1, 2), (1, 1), (1, 0)]


def test_what_is_not_done_stays_however_old(db: Db, clock: Clock) -> None:
    dead = publish(db, "dead")
    wear_out(db, *dead)
    publish(db, "taken")
    take(db)
    publish(db, "pending")
    clock.advance(days=400)

    assert call(db, "prune_effects") == 0

    assert [status for _, _, status in effects(db)] == ["dead", "processing", "pending"]


def test_how_long_to_keep_and_how_many_to_delete_can_be_said(db: Db, clock: Clock) -> None:
    done(db, *range(5))
    clock.advance(minutes=2)

    assert [call(db, "prune_effects", keep="1 minute", limit=3) for _ in range(3)] == [3, 2, 0]
