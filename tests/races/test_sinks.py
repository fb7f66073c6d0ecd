"""Flushing sinks against other dispatchers, completions and the collection of rows: every row is added once."""

from tests.support.database.interleave import Play, Race
from tests.support.database.jobs import deployed
from tests.support.database.loops import value
from tests.support.database.outbox import take
from tests.support.database.sinks import SENSORS, append
from tests.support.database.tasks import Db, a_worker, call


def flush(db: Db, owner: str) -> object:
    db.execute("set role tenuto_dispatcher")
    ids = [row[0] for row in db.execute("select id from tenuto.outbox where locked_by = %s", [owner]).fetchall()]
    return call(db, "flush_sinks", owner=owner, ids=ids)


def added(db: Db) -> int:
    return value(db, "select coalesce(sum(rows), 0) from tenuto.partition_versions")


def test_two_dispatchers_add_rows_to_one_dataset(race: Race) -> None:
    def scene(play: Play) -> int:
        deployed(race.db, SENSORS)
        worker = a_worker(race.db)
        append(worker, "north", [["1", "n"]])
        take(race.db, "one", kinds=("sink",))
        append(worker, "south", [["1", "s"]])
        take(race.db, "two", kinds=("sink",))
        play.run(lambda db: flush(db, "one"), lambda db: flush(db, "two"))
        return added(race.db)

    assert set(race.every_order(scene)) == {2}  # two commits; readers see the later row of the key


def test_rows_are_added_while_old_rows_are_collected(race: Race) -> None:
    def collect(db: Db) -> None:
        db.execute("set role tenuto_dispatcher")
        call(db, "collect_rows")

    def scene(play: Play) -> int:
        deployed(race.db, SENSORS)
        append(a_worker(race.db), "north", [["1", "n"]])
        race.db.execute("update tenuto.row_sets set created_at = tenuto.now() - interval '2 days'")
        take(race.db, "one", kinds=("sink",))
        play.run(lambda db: flush(db, "one"), collect)
        call(race.db, "collect_rows")
        return added(race.db)

    assert set(race.every_order(scene)) == {1}


def test_an_effect_that_two_dispatchers_hold_is_flushed_once(race: Race) -> None:
    def scene(play: Play) -> int:
        deployed(race.db, SENSORS)
        append(a_worker(race.db), "north", [["1", "n"]])
        take(race.db, "one", kinds=("sink",))
        play.run(lambda db: flush(db, "one"), lambda db: flush(db, "one"))
        return value(race.db, "select count(*) from tenuto.partition_versions")

    assert set(race.every_order(scene)) == {1}
