"""What the collection of uncommitted data takes and finds; tests/dispatcher/test_staging.py shows what it deletes."""

from uuid import uuid4

from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.orgs import a_busy_org
from tests.support.database.tables import location_of
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def test_a_version_is_taken_once_a_day_and_the_longest_waiting_first(db: Db):
    deployed(db)
    assert call(db, "take_staging_checks") == []
    old = "update tenuto.dataset_versions set staging_checked_at = tenuto.now() - interval '25 hours'"
    db.execute(old.encode())
    newest = "where id = (select max(id::text)::uuid from tenuto.dataset_versions) returning id"
    (first,) = db.execute(f"{old} - interval '1 hour' {newest}".encode()).fetchall()[0]

    assert [row["version_id"] for row in call(db, "take_staging_checks", limit=1)] == [first]
    assert len(call(db, "take_staging_checks")) == 1
    assert call(db, "take_staging_checks") == []


def test_neither_committed_nor_running_locations_are_found(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db, "extract", "committed", "running", "failed")
    claims = {claim.input["job"]["partition"]: claim for claim in worker.claim(3)}
    publish(worker, claims["committed"], "committed")
    worker.fail(claims["failed"])
    version = claims["failed"].input["job"]["outputs"][0]["version_id"]
    locations = [location_of(claim, name) for name, claim in claims.items()]
    named = {"locations": locations, "task_ids": [claim.task_id for claim in claims.values()], "attempts": [1, 1, 1]}

    found = call(db, "find_uncommitted", org_id=DEFAULT_ORG, version_id=version, **named)
    assert found == location_of(claims["failed"], "failed")
    # The commit of another org or dataset version does not count.
    assert len(call(db, "find_uncommitted", org_id=uuid4(), version_id=version, **named)) == 2
    assert len(call(db, "find_uncommitted", org_id=DEFAULT_ORG, version_id=uuid4(), **named)) == 2


def test_row_sets_with_a_commit_are_looked_at_once(db: Db):
    a_busy_org(db, "busy")
    db.execute("update tenuto.row_sets set created_at = created_at - interval '25 hours'")

    assert [call(db, "collect_rows"), call(db, "collect_rows")] == [1, 0]
