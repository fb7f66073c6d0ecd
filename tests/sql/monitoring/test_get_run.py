"""One run or task as it is now, and its attempts."""

from uuid import uuid4

import pytest

from tenuto.db import monitoring
from tenuto.model.errors import NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org, lose_workers, promote
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_graph, start_one
from tests.support.database.wrappers import call_wrapper


def test_a_run_and_its_task_are_shown_with_everything_they_have(db: Db, database: str) -> None:
    run_id, tasks = start_graph(db, 2, [(0, 1)])
    worker = a_worker(db)
    worker.complete(worker.claim_one(), outputs=["first"])

    run = call_wrapper(database, monitoring.get_run, org_id=DEFAULT_ORG, run_id=run_id)
    task = call_wrapper(database, monitoring.get_task, org_id=DEFAULT_ORG, task_id=tasks[0])

    assert (run.name, run.status, run.total_tasks, run.resource_group) == ("graph", "running", 2, "default")
    assert (task.status, task.attempt, task.output, task.type) == ("completed", 1, "first", "app.work")


@pytest.mark.parametrize(("function", "name"), [("get_run", "run_id"), ("get_task", "task_id")])
def test_what_is_not_there_or_belongs_to_others_is_not_found(db: Db, function: str, name: str) -> None:
    theirs = start_one(db, org_id=an_org(db, "other"))

    for missing in (uuid4(), theirs):
        with pytest.raises(NotFound, match=str(missing)):
            call(db, function, org_id=DEFAULT_ORG, **{name: missing})


def test_attempts_are_listed_with_the_one_that_runs(db: Db, clock: Clock, database: str) -> None:
    task_id = start_one(db, kind={"backoff_seconds": 0})
    first = a_worker(db, "first")
    first.fail(first.claim_one(), error="boom")
    promote(db, clock)
    a_worker(db, "second").claim_one()
    lose_workers(db, clock)
    promote(db, clock)
    a_worker(db, "third").claim_one()

    attempts = call_wrapper(database, monitoring.list_attempts, org_id=DEFAULT_ORG, task_id=task_id)

    assert [(a.attempt, a.outcome, a.worker_id, a.reported) for a in attempts] == [
        (1, "retrying", "first", True),
        (2, "lost", "second", False),
        (3, "running", "third", False),
    ]
    assert attempts[0].error == {"message": "boom"}
    assert (attempts[2].ended_at, attempts[2].duration_seconds) == (None, None)


def test_attempts_of_a_task_that_is_not_there_are_not_found(db: Db) -> None:
    theirs = start_one(db, org_id=an_org(db, "other"))

    for missing in (uuid4(), theirs):
        with pytest.raises(NotFound, match=str(missing)):
            call(db, "list_attempts", org_id=DEFAULT_ORG, task_id=missing)


def test_a_task_that_never_ran_has_no_attempts(db: Db) -> None:
    assert call(db, "list_attempts", org_id=DEFAULT_ORG, task_id=start_one(db)) == []
