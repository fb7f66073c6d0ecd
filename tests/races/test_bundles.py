"""Bundles that are put, replaced and deleted at once."""

from tenuto.model.errors import Conflict, NotFound
from tests.support.database.interleave import Call, Play, Race, rolled_back
from tests.support.database.loops import value
from tests.support.database.tasks import DEFAULT_ORG, Db, call

OLD, NEW = "a" * 64, "b" * 64


def put(sha256: str, *tasks: str) -> Call:
    def work(db: Db) -> bool:
        manifest = {"name": "images", "tasks": dict.fromkeys(tasks or ("resize",), "pictures:f")}
        new = call(db, "put_bundle", org_id=DEFAULT_ORG, sha256=sha256, manifest=manifest, size=1, created_by="ann")
        if new:
            call(db, "put_bundle_part", org_id=DEFAULT_ORG, sha256=sha256, no=0, data=b"x")
        return new

    return work


def delete(sha256: str) -> Call:
    return lambda db: call(db, "delete_bundle", org_id=DEFAULT_ORG, sha256=sha256)


def parts(db: Db) -> int:
    return value(db, "select count(*) from tenuto.bundle_parts")


def test_a_bundle_put_twice_at_once_is_new_once_and_whole(race: Race) -> None:
    def scene(play: Play) -> None:
        assert sorted(play.run(put(OLD), put(OLD))) == [False, True]
        assert parts(race.db) == 1

    race.every_order(scene)


def test_a_bundle_whose_first_put_is_undone_is_new_to_the_second(race: Race) -> None:
    def scene(play: Play) -> None:
        play.run(rolled_back(put(OLD)), put(OLD))
        assert parts(race.db) == 1
        assert value(race.db, "select count(*) from tenuto.bundle_types") == 1

    race.every_order(scene)


def test_of_two_bundles_for_the_same_types_one_runs_them_all(race: Race) -> None:
    def scene(play: Play) -> str:
        play.run(put(OLD, "a", "b"), put(NEW, "b", "a"))
        running = race.db.execute("select distinct sha256 from tenuto.bundle_types").fetchall()
        assert len(running) == 1
        return running[0][0]

    assert set(race.every_order(scene)) == {OLD, NEW}


def test_a_type_never_leads_to_a_bundle_that_is_gone(race: Race) -> None:
    def scene(play: Play) -> None:
        put(OLD)(race.db)
        _, gone = play.run(put(OLD), delete(OLD))
        assert not isinstance(gone, Conflict)
        types = value(race.db, "select count(*) from tenuto.bundle_types")
        assert types == value(race.db, "select count(*) from tenuto.bundles")
        if types == 0:
            assert parts(race.db) == 0
        assert not isinstance(gone, NotFound)

    race.every_order(scene)
