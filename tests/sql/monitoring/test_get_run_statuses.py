"""The status of runs that a dedupe key found."""

from tenuto.db import monitoring
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, start, start_graph
from tests.support.database.wrappers import call_wrapper


def test_every_run_of_the_org_is_returned_with_its_status(db: Db, database: str) -> None:
    done, failed, running, waiting = start(db, *range(4))
    graph, _ = start_graph(db, 2)
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(3)}
    worker.complete(claims[done])
    worker.fail(claims[failed], final=True)
    run_ids = [done, failed, running, waiting, graph]

    found = call_wrapper(database, monitoring.get_run_statuses, org_id=DEFAULT_ORG, run_ids=run_ids)

    assert {one.id: one.status for one in found} == {
        done: "completed", failed: "failed", running: "running", waiting: "pending", graph: "pending",
    }  # fmt: skip
    assert call_wrapper(database, monitoring.get_run_statuses, org_id=an_org(db, "other"), run_ids=run_ids) == []
