"""Tasks of jobs with `runtime: dispatcher` wait in a queue of their own, which dispatchers look into."""

from tests.journeys.test_dispatcher_jobs import TICKS
from tests.support.database.jobs import SALES, deployed, trigger
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def found(db: Db, org_id: object = DEFAULT_ORG) -> object:
    ((task_id,),) = [tuple(row.values()) for row in call(db, "find_dispatcher_task", org_id=org_id)]
    return task_id


def test_a_task_is_found_while_it_waits_and_only_in_its_org(db: Db):
    deployed(db, TICKS)
    deployed(db, SALES)
    trigger(db)
    assert found(db) is None
    (task,) = trigger(db, "tick", dag="ticks")

    assert (found(db), found(db, an_org(db))) == (task["task_id"], None)
    assert {claim.task_id for claim in a_worker(db, queues=["tenuto.dispatcher"]).claim(10)} == {task["task_id"]}
    assert found(db) is None
