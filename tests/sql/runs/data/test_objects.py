"""Data objects: put, get, reference, release, collect."""

from uuid import UUID, uuid4

import psycopg
import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound, TooLarge
from tests.support.clock import Clock
from tests.support.database.data_objects import an_object, collected, reference
from tests.support.database.loops import an_org, count
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start, start_graph, start_one


def test_an_object_comes_back_as_it_was_put(db: psycopg.Connection, clock: Clock) -> None:
    object_id = call(
        db, "put_object", org_id=DEFAULT_ORG, type="image", payload=b"\x00\xff", checksum="abc", metadata={"w": 1}
    )

    (row,) = call(db, "get_object", org_id=DEFAULT_ORG, object_id=object_id)

    assert (row["id"], row["type"], bytes(row["payload"]), row["size"]) == (object_id, "image", b"\x00\xff", 2)
    assert (row["uri"], row["checksum"], row["metadata"]) == (None, "abc", {"w": 1})
    assert (row["created_at"], row["addresses"], row["hard"]) == (clock.now, [], False)


def test_an_object_stored_elsewhere_is_a_uri(db: psycopg.Connection) -> None:
    mine = uuid4()
    put = {"org_id": DEFAULT_ORG, "type": "blob", "uri": "s3://b/k", "size": 5_000_000_000, "id": mine}
    assert call(db, "put_object", **put) == mine

    (row,) = call(db, "get_object", org_id=DEFAULT_ORG, object_id=mine)

    assert (row["uri"], row["payload"], row["size"]) == ("s3://b/k", None, 5_000_000_000)
    with pytest.raises(Conflict):
        call(db, "put_object", **put)


def test_an_object_is_either_a_payload_or_a_uri_and_has_a_type(db: psycopg.Connection) -> None:
    for wrong in ({}, {"payload": b"x", "uri": "s3://b/k"}):
        with pytest.raises(InvalidInput, match="either a payload or a uri"):
            call(db, "put_object", org_id=DEFAULT_ORG, type="blob", **wrong)
    with pytest.raises(InvalidInput, match="type of a data object is missing"):
        call(db, "put_object", org_id=DEFAULT_ORG, type="", payload=b"x")
    with pytest.raises(InvalidInput):
        call(db, "put_object", org_id=DEFAULT_ORG, type="blob", uri="s3://b/k", size=-1)


def test_a_payload_has_at_most_a_megabyte(db: psycopg.Connection) -> None:
    put = {"org_id": DEFAULT_ORG, "type": "blob"}
    assert call(db, "put_object", **put, payload=b"x" * 1_048_576)

    with pytest.raises(TooLarge, match="1048577 bytes"):
        call(db, "put_object", **put, payload=b"x" * 1_048_577)


def test_the_object_of_another_org_is_not_found(db: psycopg.Connection) -> None:
    mine, other = an_object(db), an_org(db, "other")

    for function, more in {
        "get_object": {},
        "place_object": {"addresses": ["a"]},
        "reference_object": {"holder": "run", "holder_id": uuid4()},
    }.items():
        with pytest.raises(NotFound):
            call(db, function, org_id=other, object_id=mine, **more)
        with pytest.raises(NotFound):
            call(db, function, org_id=DEFAULT_ORG, object_id=uuid4(), **more)


def test_placing_replaces_what_was_said_before(db: psycopg.Connection) -> None:
    object_id = an_object(db, at=["a", "b", "b"], hard=True)
    (row,) = call(db, "get_object", org_id=DEFAULT_ORG, object_id=object_id)
    assert (row["addresses"], row["hard"]) == (["a", "b"], True)

    call(db, "place_object", org_id=DEFAULT_ORG, object_id=object_id, addresses=["c"])

    (row,) = call(db, "get_object", org_id=DEFAULT_ORG, object_id=object_id)
    assert (row["addresses"], row["hard"]) == (["c"], False)


def test_an_object_that_nothing_references_is_collected_after_its_time(db: psycopg.Connection, clock: Clock) -> None:
    object_id = an_object(db, at=["a"])
    clock.advance(hours=23)
    assert call(db, "collect_objects") == []

    clock.advance(hours=2)
    assert [row["id"] for row in call(db, "collect_objects")] == [object_id]

    assert (count(db, "data_objects"), count(db, "data_locality")) == (0, 0)


def test_an_org_says_how_long_it_keeps_objects_that_nothing_references(db: psycopg.Connection, clock: Clock) -> None:
    long, short = an_org(db, "long", object_retention_hours=48), an_org(db, "short", object_retention_hours=2)
    for org in (long, short, DEFAULT_ORG):
        call(db, "put_object", org_id=org, type="blob", payload=b"x")

    gone = []
    for hours in (3, 22, 24):
        clock.advance(hours=hours)
        gone += [[row["org_id"] for row in call(db, "collect_objects")]]

    assert gone == [[short], [DEFAULT_ORG], [long]]


def test_what_was_collected_is_answered_with_its_uri(db: psycopg.Connection) -> None:
    call(db, "put_object", org_id=DEFAULT_ORG, type="blob", uri="s3://b/k")

    (row,) = call(db, "collect_objects", keep="-1 second")

    assert (row["uri"], row["org_id"]) == ("s3://b/k", DEFAULT_ORG)


def two_holders(db: psycopg.Connection, holder: str) -> list[UUID]:
    if holder == "group":
        return [call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id=name) for name in ("a", "b")]
    return start(db, 1, 2)  # a run of one has its task's id


@pytest.mark.parametrize("holder", ["run", "group", "task"])
def test_a_referenced_object_stays_until_its_last_holder_releases_it(db: psycopg.Connection, holder: str) -> None:
    object_id, (first, second) = an_object(db), two_holders(db, holder)
    for holder_id in (first, first, second):
        reference(db, object_id, holder, holder_id)
    release = {"org_id": DEFAULT_ORG, "object_id": object_id, "holder": holder}

    assert call(db, "release_object", **release, holder_id=first) is True
    assert call(db, "release_object", **release, holder_id=first) is False
    assert collected(db) == []
    assert call(db, "release_object", **release, holder_id=second) is True
    assert collected(db) == [object_id]


@pytest.mark.parametrize("holder", ["run", "group", "task"])
def test_a_holder_that_does_not_exist_holds_nothing(db: psycopg.Connection, holder: str) -> None:
    with pytest.raises(NotFound, match=f"no {holder}"):
        reference(db, an_object(db), holder, uuid4())


def test_only_runs_groups_and_tasks_hold_objects(db: psycopg.Connection) -> None:
    with pytest.raises(InvalidInput, match="cannot be attached to"):
        reference(db, an_object(db), "worker", uuid4())


def test_another_org_cannot_release_a_reference(db: psycopg.Connection) -> None:
    object_id, run_id = an_object(db), start_one(db)
    reference(db, object_id, "run", run_id)
    theirs = {"org_id": an_org(db, "other"), "object_id": object_id, "holder": "run", "holder_id": run_id}

    assert call(db, "release_object", **theirs) is False

    assert collected(db) == []


def test_the_task_that_takes_an_object_holds_it(db: psycopg.Connection) -> None:
    object_id = an_object(db)
    start_graph(db, 1, details=[{"task": 0, "slots": [{"object": str(object_id)}]}])
    assert collected(db) == []
    drain(db, a_worker(db))

    assert collected(db) == []  # the run is there, and may be retried


def test_no_more_objects_are_collected_than_asked_for(db: psycopg.Connection, clock: Clock) -> None:
    objects = []
    for _ in range(3):
        objects.append(an_object(db))
        clock.advance(seconds=1)

    taken = [[row["id"] for row in call(db, "collect_objects", keep="0 seconds", limit=2)] for _ in range(3)]

    assert sorted(taken[0]) == sorted(objects[:2])
    assert taken[1:] == [objects[2:], []]


def test_an_object_that_is_being_referenced_is_not_collected(db: psycopg.Connection, database: str) -> None:
    object_id, run_id = an_object(db), start_one(db)
    with psycopg.connect(database) as other:
        reference(other, object_id, "run", run_id)
        assert collected(db) == []

    assert collected(db) == []


def test_orgs_choose_ids_of_objects_independently(db: psycopg.Connection) -> None:
    id, other = an_object(db), an_org(db, "other")
    call(db, "put_object", org_id=other, type="blob", payload=b"theirs", id=id)
    for org_id, address in ((DEFAULT_ORG, "node-1"), (other, "node-2")):
        call(db, "place_object", org_id=org_id, object_id=id, addresses=[address])
    reference(db, id, "run", start_one(db))

    assert collected(db) == [id]  # the one of the other org, which nothing holds

    (mine,) = call(db, "get_object", org_id=DEFAULT_ORG, object_id=id)
    assert mine["addresses"] == ["node-1"]
    with pytest.raises(NotFound):
        call(db, "get_object", org_id=other, object_id=id)
