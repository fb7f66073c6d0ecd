"""One task of a final run goes with its children and data; the rest of the run stays as it is."""

from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, NotFound
from tests.sql.runs.retention.test_delete_run import a_run_with_everything
from tests.support.database.loops import an_org, count, fenced, run, settle, value
from tests.support.database.references import count_references
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start_graph, start_one


def delete(db: Db, task_id: UUID, org_id: UUID = DEFAULT_ORG) -> int:
    return call(db, "delete_task", org_id=org_id, task_id=task_id)


def parent_of(db: Db, run_id: UUID) -> UUID:
    return value(db, "select parent_id from tenuto.tasks where run_id = %s and parent_id is not null", run_id)


def test_it_goes_with_everything_below_it(db: psycopg.Connection) -> None:
    run_id = a_run_with_everything(db, "first")
    parent = parent_of(db, run_id)
    ids = [row[0] for row in db.execute("select id from tenuto.get_task_tree(%s, %s)", [DEFAULT_ORG, parent])]
    before = run(db, run_id)
    assert len(ids) == 2
    assert {"tasks", "task_attempts", "task_slots", "task_logs", "task_steps", "task_inputs"} <= set(
        count_references(db, ids)
    )

    assert delete(db, parent) == 2

    # What other rows say about it: a slot of the task that took its output, the signal that it took.
    assert set(count_references(db, ids)) <= {"task_slots", "task_dependencies", "signals"}
    after = run(db, run_id)
    counts = ("status", "total_tasks", "completed_tasks", "output", "completed_at")
    assert [after[column] for column in counts] == [before[column] for column in counts]
    assert count(db, "tasks", "run_id = %s", run_id) == 1


def test_run_data_that_it_wrote_goes_too(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    worker = a_worker(db)
    first, second = worker.claim(2)
    for held in (first, second):
        call(db, "put_task_data", **fenced(worker, held, values=Jsonb({str(held.task_id): 1})))
    call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values={"own": 1})
    worker.complete(first, second)
    settle(db)

    assert delete(db, first.task_id) == 1

    assert {row["key"] for row in call(db, "get_run_data", org_id=DEFAULT_ORG, run_id=run_id)} == {
        "own",
        str(second.task_id),
    }


def test_the_output_of_a_task_before_it_does_not_become_that_of_the_run(db: psycopg.Connection) -> None:
    run_id, (_, last) = start_graph(db, 2, [(0, 1)])
    drain(db, a_worker(db))
    settle(db)

    delete(db, last)

    assert run(db, run_id)["output"] is None


def test_a_run_whose_tasks_were_deleted_is_not_retried(db: psycopg.Connection) -> None:
    run_id, (first, _) = start_graph(db, 2)
    worker = a_worker(db)
    worker.fail(*worker.claim(2), final=True)
    settle(db)
    delete(db, first)

    for reuse in (True, False):
        with pytest.raises(Conflict, match=f"run {run_id} cannot be retried: 1 of its tasks were deleted"):
            call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id, reuse=reuse)
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
    assert count(db, "tasks") == 0


def test_only_tasks_of_final_runs_and_not_the_one_that_began_it(db: psycopg.Connection) -> None:
    single = start_one(db)
    _, (first, _) = start_graph(db, 2)
    worker = a_worker(db)
    held, *others = worker.claim(3)
    worker.complete(held)
    with pytest.raises(Conflict, match="is running, not final"):
        delete(db, first)
    with pytest.raises(Conflict, match=f"task {single} cannot be deleted without its run {single}; delete the run"):
        delete(db, single)
    parent = start_one(db)
    (family,) = worker.claim(1)
    worker.start_children(family, 1)
    worker.complete(family, *others)
    drain(db, worker)
    settle(db)
    with pytest.raises(Conflict, match="delete the run "):
        delete(db, parent)
    assert count(db, "tasks") == 5


def test_a_task_that_is_gone_or_another_orgs_is_not_found(db: psycopg.Connection) -> None:
    run_id, (first, _) = start_graph(db, 2)
    drain(db, a_worker(db))
    settle(db)
    for missing, org in ((uuid4(), DEFAULT_ORG), (run_id, DEFAULT_ORG), (first, an_org(db, "other"))):
        with pytest.raises(NotFound, match=f"no task {missing}"):
            delete(db, missing, org)

    delete(db, first)
    with pytest.raises(NotFound):
        delete(db, first)


def test_not_while_a_retry_copies_the_run(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 1001)
    worker = a_worker(db)
    while claims := worker.claim(1001):
        worker.fail(*claims, final=True)
    settle(db)
    call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)

    with pytest.raises(Conflict, match=f"run {run_id} is being copied by its retry"):
        delete(db, tasks[0])
