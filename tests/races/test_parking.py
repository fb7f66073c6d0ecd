"""Dispatchers that fail on the same rows, or try them again, at the same time."""

from tests.support.database.interleave import Play, Race
from tests.support.database.loops import value
from tests.support.database.tasks import Db, call
from tests.support.faults.failing_rows import park

LOOP = "promote_due"


def take(db: Db, limit: int = 2) -> set[str]:
    return {row["key"] for row in call(db, "take_parked", loops=[LOOP], limit=limit)}


def make_due(race: Race) -> None:
    race.db.execute("update tenuto.parked_rows set retry_at = now() - interval '1 second'")


def test_two_dispatchers_that_fail_on_the_same_rows_count_them_once(race: Race) -> None:
    def scene(play: Play) -> None:
        one, two = play.run(lambda db: park(db, LOOP, "a", "b"), lambda db: park(db, LOOP, "b", "a"))
        assert sorted(row["key"] for row in [*one, *two]) == ["a", "b"]
        assert value(race.db, "select array_agg(failures) from tenuto.parked_rows") == [1, 1]

    race.every_order(scene)


def test_two_dispatchers_that_try_again_share_no_row(race: Race) -> None:
    def scene(play: Play) -> int:
        park(race.db, LOOP, "a", "b", "c")
        make_due(race)
        one, two = play.run(take, take)
        assert not one & two
        assert one | two | take(race.db, 3) == {"a", "b", "c"}
        return len(two)

    assert set(race.every_order(scene)) == {1, 2}  # 1: the first one holds two of three, and it does not wait


def test_a_row_that_is_served_while_another_dispatcher_fails_on_it_is_forgotten_or_parked_anew(race: Race) -> None:
    def scene(play: Play) -> tuple[int, int | None]:
        park(race.db, LOOP, "a")
        make_due(race)
        gone, _ = play.run(lambda db: call(db, "unpark_rows", loop=LOOP, keys=["a"]), lambda db: park(db, LOOP, "a"))
        return gone, value(race.db, "select failures from tenuto.parked_rows")

    assert set(race.every_order(scene)) == {(1, None), (1, 1)}
