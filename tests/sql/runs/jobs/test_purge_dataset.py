"""Purging: old versions of a dataset go with their data; what is current, could be, or is used by a task stays."""

from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.jobs import deployed, partitions, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

DAY = "2026-11-17"


def purge(db: Db, name: str = "per_day", **options: Any) -> list[UUID]:
    return [row["id"] for row in call(db, "purge_dataset", org_id=DEFAULT_ORG, name=name, **options)]


def versions(db: Db, name: str = "per_day") -> list[UUID]:
    """The versions that are not purged, newest first."""
    rows = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name=name)
    return [row["id"] for row in rows if row["purged_at"] is None]


def four_versions(db: Db, retention: dict[str, int] | None = None) -> list[UUID]:
    """Four versions of per_day, newest first: each was current, and the last one is."""
    for no in range(4):
        document = sales(f"select {no}")
        if retention:
            document["jobs"][1] = {**document["jobs"][1]}
            document["jobs"][1]["outputs"] = [{**document["jobs"][1]["outputs"][0], "retention": retention}]
        deployed(db, document, expected=no)
    return versions(db)


def effects(db: Db) -> list[UUID]:
    rows = db.execute("select payload ->> 'version_id' from tenuto.outbox where kind = 'delete_data' order by id")
    return [UUID(id) for (id,) in rows]


def test_all_but_the_newest_versions_are_purged_and_their_data_is_deleted_later(db: Db):
    found = four_versions(db)

    assert purge(db, keep=2, dry_run=True) == found[2:]
    assert versions(db) == found
    assert purge(db, keep=2) == found[2:]
    assert (versions(db), sorted(effects(db))) == (found[:2], sorted(found[2:]))
    assert purge(db, keep=2) == []
    later = "select bool_and(available_at >= tenuto.now() + interval '9 minutes') from tenuto.outbox"
    assert db.execute(later).fetchall() == [(True,)]
    (entry,) = call(db, "list_audit", org_id=DEFAULT_ORG, entity="dataset", action="purge")
    assert entry["changes"]["versions"] == {"new": 2}


def test_the_output_says_how_many_are_kept(db: Db):
    found = four_versions(db, {"keep_versions": 3})

    assert purge(db) == found[3:]
    with pytest.raises(InvalidInput, match="the number of versions of raw to keep is not set"):
        purge(db, "raw")
    with pytest.raises(InvalidInput, match="-1 versions cannot be kept"):
        purge(db, keep=-1)
    with pytest.raises(NotFound, match="no dataset weekly"):
        purge(db, "weekly", keep=1)


def test_what_is_current_or_could_become_current_is_kept(db: Db):
    found = four_versions(db)
    deploy(db, sales("select 5"))  # ready
    ready = versions(db)[0]
    rollback(db, expected=4, version=1, name="sales")  # the oldest is current

    assert sorted(purge(db, keep=0)) == sorted(found[:3])
    assert sorted(versions(db)) == sorted([ready, found[3]])


def test_a_version_that_an_open_task_reads_or_writes_is_kept(db: Db):
    deployed(db, sales("select 0"))
    worker = a_worker(db)
    trigger(db, "extract", DAY)
    publish(worker, worker.claim_one(), DAY)
    trigger(db, "daily", DAY)  # of the version that is replaced
    deployed(db, sales("select 1"), expected=1)
    old = versions(db)[1]

    assert purge(db, keep=1) == []
    claim = worker.claim_one()
    assert purge(db, keep=1) == []
    publish(worker, claim, DAY)
    assert purge(db, keep=1) == [old]


def test_a_purged_version_never_becomes_current_and_its_definition_gets_a_new_one(db: Db):
    found = four_versions(db)
    purge(db, keep=1)

    with pytest.raises(Conflict, match="the data of per_day in this version was purged"):
        rollback(db, expected=4, version=1, name="sales")
    with pytest.raises(Conflict, match="the data of per_day in this version was purged"):
        cutover(db, 4, 1, "sales", force=True)
    again = sales("select 0")
    deployed(db, {**again, "description": "once more"}, expected=4)
    assert versions(db)[0] not in found
    assert len(versions(db)) == 2


def test_the_rows_about_the_data_go_in_pieces_and_only_after_the_last_task(db: Db):
    deployed(db, sales("select 0"))
    worker = a_worker(db)
    trigger(db, "extract", "a", "b")
    for claim in worker.claim(2):
        publish(worker, claim, claim.input["job"]["partition"])
    trigger(db, "daily", "a", "b")
    for claim in worker.claim(2):
        publish(worker, claim, claim.input["job"]["partition"])
    deployed(db, sales("select 1"), expected=1)
    (old,) = purge(db, keep=1)

    def step(function: str, **options: Any) -> Any:
        return call(db, function, org_id=DEFAULT_ORG, version_id=old, **options)

    assert step("find_purged_data").endswith(f"{old}/")
    assert [step("delete_partitions", limit=1) for _ in range(3)] == [2, 2, 0]
    assert partitions(db, "raw").keys() == {"a", "b"}
    current = versions(db)[0]
    assert call(db, "delete_partitions", org_id=DEFAULT_ORG, version_id=current) == 0


def test_another_org_purges_nothing(db: Db):
    found = four_versions(db)
    other = call(db, "create_org", slug="other", name="Other")

    with pytest.raises(NotFound):
        call(db, "purge_dataset", org_id=other, name="per_day", keep=0)
    purge(db, keep=1)
    assert call(db, "find_purged_data", org_id=other, version_id=found[3]) is None
