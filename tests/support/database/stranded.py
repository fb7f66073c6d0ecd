"""Tasks, runs and jobs that wait although nothing is left to wait for, as a lost hand-over leaves them."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.database.dags import deploy
from tests.support.database.jobs import SALES
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, start_graph, start_one

KEPT = {
    "pending_tasks": "id = any (%(ids)s)",
    "waiting_tasks": "id = any (%(ids)s)",
    "awaited_tasks": "parent_id = any (%(ids)s)",
}


@contextmanager
def missed(db: Db, *ids: UUID) -> Iterator[None]:
    """What happens in the block does not see that these tasks wait."""
    hidden: dict[str, list[tuple[object]]] = {}
    with no_triggers(db):
        for table, where in KEPT.items():
            delete = f"delete from tenuto.{table} t where {where} returning to_jsonb(t)"
            hidden[table] = db.execute(delete.encode(), {"ids": list(ids)}).fetchall()
    yield
    with no_triggers(db):
        for table, rows in hidden.items():
            for (row,) in rows:
                insert = f"insert into tenuto.{table} select * from jsonb_populate_record(null::tenuto.{table}, %s)"
                db.execute(insert.encode(), [Jsonb(row)])


@contextmanager
def no_triggers(db: Db) -> Iterator[None]:
    """Without the triggers of test databases, which allow only the moves of task_transitions."""
    db.execute("set session_replication_role = replica")
    yield
    db.execute("reset session_replication_role")


def a_waiting_parent(db: Db, children: int = 1, org: UUID = DEFAULT_ORG) -> tuple[Worker, Claim, list[Claim]]:
    """A parent that waits for its running children."""
    start_one(db, org_id=org)
    worker = a_worker(db, org_id=org)
    parent = worker.claim_one()
    worker.start_children(parent, *range(children))
    running = worker.claim(children)
    worker.wait(parent, **{"for": "children", "tasks": [str(child.task_id) for child in running]})
    return worker, parent, running


def a_parent_whose_child_ended(db: Db, org: UUID = DEFAULT_ORG) -> UUID:
    worker, parent, (child,) = a_waiting_parent(db, org=org)
    with missed(db, parent.task_id):
        worker.complete(child)
    return parent.task_id


def a_task_whose_signal_was_sent(db: Db, org: UUID = DEFAULT_ORG) -> UUID:
    start_one(db, org_id=org)
    worker = a_worker(db, org_id=org)
    task = worker.claim_one()
    worker.wait(task, **{"for": "signal", "name": "go"})
    with missed(db, task.task_id):
        call(db, "send_signal", org_id=org, run_id=task.run_id, name="go")
    return task.task_id


def a_task_whose_dependency_ended(
    db: Db, org: UUID = DEFAULT_ORG, *, runs_on: str = "completed", fails: bool = False
) -> tuple[UUID, UUID]:
    """Its run, and the task; another task depends on it."""
    run_id, (_, after, _) = start_graph(db, 3, [(0, 1, runs_on), (1, 2)], org_id=org)
    worker = a_worker(db, org_id=org)
    first = worker.claim_one()
    with missed(db, after):
        if fails:
            worker.fail(first, final=True)
        else:
            worker.complete(first)
    return run_id, after


def a_held_task_whose_run_was_released(db: Db, org: UUID = DEFAULT_ORG) -> tuple[UUID, UUID]:
    run_id, (task,) = start_graph(db, 1, org_id=org, run={"hold": True, "max_attempts": 2})
    with missed(db, task):
        call(db, "release_run", org_id=org, run_id=run_id)
    return run_id, task


def a_run_that_nobody_ended(db: Db, org: UUID = DEFAULT_ORG) -> UUID:
    """Its counts are complete, but it was not looked at when they were."""
    run_id, _ = start_graph(db, 2, org_id=org)
    worker = a_worker(db, org_id=org)
    worker.complete(*worker.claim(2))
    call(db, "fold_runs")
    with no_triggers(db):
        db.execute("update tenuto.runs set status = 'running', completed_at = null where id = %s", [run_id])
    return run_id


def a_cancelled_run_without_a_request(db: Db, org: UUID = DEFAULT_ORG) -> UUID:
    run_id, tasks = start_graph(db, 2, [(0, 1)], org_id=org)
    with missed(db, *tasks):
        call(db, "cancel_run", org_id=org, run_id=run_id)
    db.execute("delete from tenuto.cancel_requests")
    call(db, "fold_runs")
    return run_id


def a_job_that_no_backlog_holds(db: Db, org: UUID = DEFAULT_ORG) -> None:
    """The DAG with the backlog was deleted."""
    deploy(db, SALES, org_id=org)
    call(db, "cutover_dag", org_id=org, name="sales", expected=0, actor="ann")
    hold = "update tenuto.job_controls set held_at = now(), hold_reason = 'other/slow has 3 tasks queued'"
    db.execute(f"{hold} where org_id = %s".encode(), [org])
