"""Tasks of jobs with `runtime: dispatcher` wait in a queue of their own, which dispatchers look into."""

from tests.journeys.test_dispatcher_jobs import TICKS
from tests.support.database.jobs import SALES, deployed, trigger
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def found(db: Db, org_id: object = DEFAULT_ORG) -> object:
    return call(db, "find_dispatcher_task", org_id=org_id)


def test_a_task_is_found_while_it_waits_and_only_in_its_org(db: Db):
    deployed(db, TICKS)
    deployed(db, SALES)
    trigger(db)
    assert found(db) is None
    (task,) = trigger(db, "tick", dag="ticks")

    assert (found(db), found(db, an_org(db, "other"))) == (task["task_id"], None)
    assert len(a_worker(db).claim(10)) == 2
    assert found(db) is None
