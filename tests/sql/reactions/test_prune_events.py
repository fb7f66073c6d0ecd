"""Events of weeks that never had a partition are deleted when their retention is over."""

from uuid import UUID

from tests.support.database.events import a_reader, commit, readers, route
from tests.support.database.jobs import deployed
from tests.support.database.loops import an_org, count
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.faults.failing_loops import an_old_event


def test_old_events_that_no_week_takes_along_are_deleted_with_their_reactions(db: Db):
    deployed(db, readers(a_reader()))
    commit(a_worker(db), "mon")
    route(db)
    kept = (count(db, "events"), count(db, "event_reactions"))
    for _ in range(3):
        an_old_event(db, DEFAULT_ORG)
    db.execute(
        """insert into tenuto.event_reactions (event_id, job_id, org_id, job_key, dag_version_id, partition_key,
                                               reaction, reason, created_at)
           select e.id, gen_random_uuid(), e.org_id, e.job_key, e.dag_version_id, '', 'stale', 'old', e.created_at
           from tenuto.events_default e"""
    )

    assert [call(db, "prune_events", limit=2) for _ in range(3)] == [2, 1, 0]
    assert (count(db, "events"), count(db, "event_reactions")) == kept


def test_an_org_keeps_its_events_as_long_as_its_retention_says(db: Db):
    org: UUID = an_org(db, "archive")
    db.execute("update tenuto.orgs set settings = settings || '{\"retention_days\": 60}' where id = %s", [org])
    an_old_event(db, org)
    an_old_event(db, DEFAULT_ORG)

    assert call(db, "prune_events") == 1
    assert db.execute("select org_id from tenuto.events").fetchall() == [(org,)]
    assert call(db, "prune_events", keys=["no such"]) == 0
