"""The inputs of a run by position: its tasks that depend on no other task."""

from uuid import UUID

import psycopg
import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.loops import an_org, settle
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_graph, start_one


def inputs(db: Db, run_id: UUID, **page: int) -> list[tuple[int, UUID, object]]:
    rows = call(db, "list_run_inputs", org_id=DEFAULT_ORG, run_id=run_id, **page)
    return [(row["position"], row["task_id"], row["input"]) for row in rows]


def test_the_inputs_are_the_tasks_without_dependencies(db: psycopg.Connection) -> None:
    kinds = [{"type": "app.work"}, {"type": "app.after", "handler": "completed"}]
    run_id, tasks = start_graph(db, 5, [(0, 2), (1, 2), (2, 3)], kinds=kinds, task_kinds=[0, 0, 0, 0, 1])
    assert inputs(db, run_id) == [(0, tasks[0], 0), (1, tasks[1], 1)]
    assert inputs(db, run_id, limit=1) == [(0, tasks[0], 0)]
    assert inputs(db, run_id, after=0) == [(1, tasks[1], 1)]

    worker = a_worker(db)
    held = worker.claim(2)
    worker.start_children(held[0], 7)
    assert len(inputs(db, run_id)) == 2
    single = start_one(db)
    assert [place[1] for place in inputs(db, single)] == [single]


def test_a_retry_has_the_inputs_of_its_run(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 3, [(0, 1), (1, 2)], kinds=[{"type": "app.work", "max_attempts": 1}])
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    worker.fail(worker.claim_one())
    settle(db)
    retry = call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)
    assert [(position, value) for position, _, value in inputs(db, retry)] == [(0, 0)]


def test_only_runs_of_the_org_have_inputs(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    with pytest.raises(NotFound):
        call(db, "list_run_inputs", org_id=an_org(db, "other"), run_id=run_id)
    with pytest.raises(InvalidInput, match="page size"):
        inputs(db, run_id, limit=201)
