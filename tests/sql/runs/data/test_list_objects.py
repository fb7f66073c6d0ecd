"""Data objects in lists, references by run and by group, and persisted objects."""

from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.clock import Clock
from tests.support.database.data_objects import an_object, collected, reference
from tests.support.database.loops import an_org, settle, value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start_graph


def listed(db: Db, **filter: object) -> list[UUID]:
    return [row["id"] for row in call(db, "list_objects", org_id=DEFAULT_ORG, **filter)]


def release(db: Db, object_id: UUID, **holder: object) -> bool:
    return call(db, "release_object", org_id=DEFAULT_ORG, object_id=object_id, **holder)


def test_objects_are_listed_with_those_who_hold_them(db: psycopg.Connection, clock: Clock) -> None:
    run_id, (task_id, _) = start_graph(db, 2)
    free, placed, held = an_object(db), an_object(db, at=["a", "b"], hard=True), an_object(db)
    kept = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x", persisted=True)
    reference(db, held, "run", run_id)
    reference(db, held, "task", task_id)
    call(db, "reference_object", org_id=DEFAULT_ORG, object_id=held, holder="group", group="default")
    group_id = value(db, "select id from tenuto.resource_groups where org_id = %s", DEFAULT_ORG)

    rows = {row["id"]: row for row in call(db, "list_objects", org_id=DEFAULT_ORG)}
    assert rows.keys() == {free, placed, held, kept}
    assert (rows[free]["reference_count"], rows[free]["holders"], rows[free]["persisted"]) == (0, [], False)
    assert rows[free]["collect_at"] == clock.now + timedelta(hours=24)
    assert (rows[placed]["addresses"], rows[placed]["hard"]) == (["a", "b"], True)
    assert (rows[kept]["persisted"], rows[kept]["collect_at"]) == (True, None)
    assert (rows[held]["reference_count"], rows[held]["collect_at"]) == (3, None)
    assert rows[held]["holders"] == [f"group:{group_id}", f"run:{run_id}", f"task:{task_id}"]
    assert listed(db, held_by=run_id) == listed(db, held_by=task_id) == listed(db, group="default") == [held]
    assert listed(db, held_by=uuid4()) == []
    first = listed(db, limit=3)
    assert [*first, *listed(db, limit=3, before=first[-1])] == sorted(rows, reverse=True)


def test_a_page_shows_only_objects_of_the_org(db: psycopg.Connection) -> None:
    other = an_org(db, "other")
    run_id, _ = start_graph(db, 1)
    mine = an_object(db)
    an_object(db, org_id=other)
    reference(db, mine, "run", run_id)
    assert listed(db) == [mine]
    assert [row["id"] for row in call(db, "list_objects", org_id=other, held_by=run_id)] == []
    with pytest.raises(NotFound, match="no group unknown"):
        listed(db, group="unknown")
    with pytest.raises(InvalidInput, match="page size"):
        listed(db, limit=0)


def test_an_object_stays_while_a_run_or_a_group_holds_it(db: psycopg.Connection) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="team")
    run_id, _ = start_graph(db, 2)
    of_run, of_group = an_object(db), an_object(db)
    reference(db, of_run, "run", run_id)
    call(db, "reference_object", org_id=DEFAULT_ORG, object_id=of_group, holder="group", group="team")
    assert collected(db) == []
    drain(db, a_worker(db))
    settle(db)
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
    assert collected(db) == [of_run]
    with pytest.raises(Conflict, match="is held by group"):
        call(db, "delete_object", org_id=DEFAULT_ORG, object_id=of_group)
    assert [release(db, of_group, holder="group", group="team") for _ in range(2)] == [True, False]
    assert collected(db) == [of_group]


def test_a_persisted_object_is_deleted_only_by_name(db: psycopg.Connection) -> None:
    kept = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x", persisted=True)
    run_id, _ = start_graph(db, 1)
    reference(db, kept, "run", run_id)
    assert release(db, kept, holder="run", holder_id=run_id)
    assert collected(db) == []
    assert call(db, "get_object", org_id=DEFAULT_ORG, object_id=kept)[0]["persisted"]
    call(db, "delete_object", org_id=DEFAULT_ORG, object_id=kept)
    assert listed(db) == []


def test_holders_that_do_not_exist_are_refused(db: psycopg.Connection) -> None:
    object_id = an_object(db)
    run_id, _ = start_graph(db, 1)
    for wrong in (
        {"holder": "run"}, {"holder": "worker", "holder_id": run_id}, {"holder": "run", "group": "default"},
        {"holder": "group", "holder_id": uuid4(), "group": "default"},
    ):  # fmt: skip
        with pytest.raises(InvalidInput):
            call(db, "reference_object", org_id=DEFAULT_ORG, object_id=object_id, **wrong)
    for missing in (
        {"holder": "run", "holder_id": uuid4()}, {"holder": "group", "holder_id": uuid4()},
        {"holder": "group", "group": "unknown"}, {"holder": "task", "holder_id": uuid4()},
    ):  # fmt: skip
        with pytest.raises(NotFound):
            call(db, "reference_object", org_id=DEFAULT_ORG, object_id=object_id, **missing)
    other = an_org(db, "other")
    theirs = an_object(db, org_id=other)
    with pytest.raises(NotFound):
        call(db, "reference_object", org_id=other, object_id=theirs, holder="run", holder_id=run_id)
    assert not call(db, "release_object", org_id=other, object_id=object_id, holder="run", holder_id=run_id)
