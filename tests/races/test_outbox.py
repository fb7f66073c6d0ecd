"""Takers of effects against each other."""

from datetime import timedelta

from tests.support.database.interleave import Play, Race
from tests.support.database.outbox import a_destination
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start

EFFECT = {"kind": "deliver", "payload": {}}


def publish(race: Race, count: int) -> None:
    tasks = start(race.db, *range(count))
    worker = a_worker(race.db)
    worker.complete(*worker.claim(count), effects=[{"task_id": str(task), **EFFECT} for task in tasks])


def take(owner: str, db: Db, limit: int = 2) -> list[int]:
    lease = timedelta(minutes=1)
    return [row["id"] for row in call(db, "take_effects", owner=owner, kinds=["deliver"], limit=limit, lease=lease)]


def test_two_takers_at_once_share_no_effect(race: Race) -> None:
    def scene(play: Play) -> int:
        publish(race, 3)
        one, two = play.run(lambda db: take("one", db), lambda db: take("two", db))
        assert len({*one, *two, *take("last", race.db, 3)}) == 3
        assert not set(one) & set(two)
        return len(two)

    assert set(race.every_order(scene)) == {1, 2}


def test_an_effect_taken_over_while_its_first_owner_finishes_is_done_by_one_of_them(race: Race) -> None:
    def scene(play: Play) -> int:
        publish(race, 1)
        taken = take("slow", race.db)
        race.db.execute("update tenuto.outbox set locked_until = now() - interval '1 second'")
        finished, again = play.run(
            lambda db: call(db, "finish_effects", owner="slow", ids=taken), lambda db: take("quick", db)
        )
        assert (finished in ([], None)) == (again == taken)
        return len(again)

    assert set(race.every_order(scene)) == {0, 1}


def test_an_effect_is_replayed_once(race: Race) -> None:
    def scene(play: Play) -> None:
        publish(race, 1)
        (effect,) = take("one", race.db)
        race.db.execute("update tenuto.outbox set attempts = 20")
        call(race.db, "fail_effects", owner="one", ids=[effect], errors=["no"])
        play.run(
            lambda db: call(db, "replay_effects", org_id=DEFAULT_ORG),
            lambda db: call(db, "replay_effects", org_id=DEFAULT_ORG),
        )
        assert take("one", race.db) == [effect]

    race.every_order(scene)


def test_an_effect_with_a_key_is_published_once_by_two_at_once(race: Race) -> None:
    def scene(play: Play) -> bool:
        a_destination(race.db)

        def publish_one(db: Db) -> dict[str, object]:
            payload = {"destination": "crm", "body": 1}
            (row,) = call(db, "publish_effect", org_id=DEFAULT_ORG, kind="deliver", payload=payload, key="k")
            return row

        one, two = play.run(publish_one, publish_one)
        assert one["id"] == two["id"]
        assert {one["created"], two["created"]} == {True, False}
        return bool(one["created"])

    assert True in race.every_order(scene)
