"""Pages of tasks."""

from typing import Any
from uuid import UUID

import pytest

from tenuto.db import monitoring
from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.jobs import deployed, trigger
from tests.support.database.loops import an_org, cancel_task
from tests.support.database.task_states import RESTING
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph, start_one
from tests.support.database.wrappers import call_wrapper

SHOWN_AS = {
    "pending": "pending", "queued": "queued", "delayed": "queued", "snoozed": "queued", "retrying": "retrying",
    "waiting_for_children": "waiting", "waiting_for_a_signal": "waiting", "waiting_for_a_time": "waiting",
    "waiting_for_a_limit": "queued",
}  # fmt: skip


def listed(db: Db, **filters: Any) -> list[UUID]:
    return [row["id"] for row in call(db, "list_tasks", org_id=DEFAULT_ORG, **filters)]


def test_tasks_come_newest_first_and_page_by_page(db: Db) -> None:
    tasks = sorted(start(db, *range(5)), reverse=True)

    first = listed(db, limit=3)

    assert [first, listed(db, limit=3, before=first[-1])] == [tasks[:3], tasks[3:]]


def test_tasks_of_jobs_are_listed_with_job_and_partition(db: Db) -> None:
    plain = start_one(db)
    deployed(db)
    trigger(db, "extract", "mon")
    trigger(db, "extract")

    rows = call(db, "list_tasks", org_id=DEFAULT_ORG)

    assert [(row["job"], row["partition"]) for row in rows] == [
        ("sales/extract", None), ("sales/extract", "mon"), (None, None),
    ]  # fmt: skip
    assert rows[2]["id"] == plain


def test_tasks_of_one_job_are_found_and_counted_with_every_other_filter(db: Db) -> None:
    plain = start_one(db)
    deployed(db)
    monday, tuesday, wednesday = (trigger(db, "extract", day)[0]["task_id"] for day in ("mon", "tue", "wed"))
    trigger(db, "daily", "mon")
    worker = a_worker(db)
    worker.fail(next(claim for claim in worker.claim(5) if claim.task_id == tuesday), final=True)
    job = {"job": "sales/extract"}
    beginning = UUID(int=0)

    assert listed(db, **job) == [wednesday, tuesday, monday]
    assert listed(db, **job, limit=2) + listed(db, **job, before=tuesday) == [wednesday, tuesday, monday]
    assert listed(db, **job, after=beginning, limit=2) + listed(db, **job, after=tuesday) == [
        monday,
        tuesday,
        wednesday,
    ]
    assert listed(db, **job, status="failed") == listed(db, **job, after=beginning, status="failed") == [tuesday]
    assert listed(db, **job, statuses=["running", "failed"]) == [wednesday, tuesday, monday]
    assert listed(db, **job, run_id=monday) == listed(db, **job, run_id=monday, after=beginning) == [monday]
    assert listed(db, **job, run_id=plain) == listed(db, **job, queue="nowhere") == []
    assert listed(db, **job, queue="nowhere", after=beginning) == listed(db, **job, metadata={"team": "bi"}) == []
    counts = [call(db, "count_tasks", org_id=DEFAULT_ORG, **job, **more) for more in ({}, {"statuses": ["failed"]})]
    assert [(row["count"], row["exact"]) for (row,) in counts] == [(3, True), (1, True)]


def test_the_name_of_a_job_is_checked(db: Db) -> None:
    deployed(db)

    with pytest.raises(InvalidInput, match="extract is not the name of a job; write DAG/JOB"):
        listed(db, job="extract")
    with pytest.raises(NotFound, match="no job extrac in a DAG sales; did you mean sales/extract"):
        listed(db, job="sales/extrac")


@pytest.mark.parametrize("state", RESTING)
def test_open_tasks_are_found_by_their_status(db: Db, state: str) -> None:
    task_id = RESTING[state](db, a_worker(db))

    found = {status for status in set(SHOWN_AS.values()) if task_id in listed(db, status=status)}

    assert found == {SHOWN_AS[state]}


def test_tasks_that_run_or_ended_are_found_by_their_status(db: Db) -> None:
    done, failed, stopped, running = start(db, *range(4))
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(4)}
    worker.complete(claims[done])
    worker.fail(claims[failed], final=True)
    cancel_task(db, stopped)
    worker.fail(claims[stopped])

    found = {status: listed(db, status=status) for status in ("completed", "failed", "cancelled", "running", "skipped")}

    assert found == {
        "completed": [done],
        "failed": [failed],
        "cancelled": [stopped],
        "running": [running],
        "skipped": [],
    }


def test_tasks_of_one_run_queue_or_type_are_found(db: Db) -> None:
    kinds = [{"type": "app.a", "queue": "x"}, {"type": "app.b", "queue": "x"}]
    run_id, (first, second) = start_graph(db, 2, [(0, 1)], kinds=kinds, task_kinds=[0, 1])
    alone = start_one(db, kind={"type": "app.a", "queue": "y"})

    assert listed(db, run_id=run_id) == [second, first]
    assert listed(db, run_id=run_id, status="pending") == [second]
    assert listed(db, run_id=run_id, type="app.a") == [first]
    assert listed(db, run_id=alone) == [alone]
    assert listed(db, queue="x") == [second, first]
    assert listed(db, type="app.a") == [alone, first]
    assert listed(db, type="app.a", status="queued", queue="y") == [alone]
    assert listed(db, queue="nowhere") == []


def test_a_line_says_where_a_task_is(db: Db, database: str) -> None:
    task_id = start_one(db, kind={"labels": ["gpu=1"], "priority": 5})
    a_worker(db, "w", labels=["gpu=1"]).claim_one()

    (line,) = call_wrapper(database, monitoring.list_tasks, org_id=DEFAULT_ORG)

    assert (line.id, line.status, line.worker_id, line.attempt) == (task_id, "running", "w", 1)
    assert (line.labels, line.priority, line.max_attempts) == (["gpu=1"], 5, 3)


def test_tasks_of_other_orgs_are_not_listed(db: Db) -> None:
    theirs = start_one(db, org_id=an_org(db, "other"))

    assert listed(db) == listed(db, run_id=theirs) == listed(db, status="queued") == []


def test_a_page_is_one_to_200_long(db: Db) -> None:
    with pytest.raises(InvalidInput, match="a page size of 1000 is not between 1 and 200"):
        listed(db, limit=1000)


def test_a_status_that_no_task_has_is_refused(db: Db) -> None:
    with pytest.raises(InvalidInput, match="'ready' is not a status of a task"):
        listed(db, status="ready")


def test_with_a_place_to_go_on_after_they_come_oldest_first(db: Db) -> None:
    run_id, tasks = start_graph(db, 3)
    (other,) = start(db, kind={"type": "app.other", "queue": "mail"})
    beginning = UUID(int=0)

    assert listed(db, after=beginning, limit=2) + listed(db, after=tasks[1]) == [*tasks, other]
    assert listed(db, after=beginning, run_id=run_id) == listed(db, run_id=run_id)[::-1] == list(tasks)
    assert listed(db, after=beginning, queue="mail") == listed(db, after=beginning, type="app.other") == [other]
    assert listed(db, after=beginning, status="completed") == []


def test_lists_show_the_beginning_of_a_large_error(db: Db) -> None:
    task_id, worker = start_one(db), a_worker(db)
    worker.fail(worker.claim_one(), error="x" * 900_000, final=True)

    (listed,) = call(db, "list_tasks", org_id=DEFAULT_ORG, run_id=task_id)
    (attempt,) = call(db, "list_attempts", org_id=DEFAULT_ORG, task_id=task_id)
    (shown,) = call(db, "get_task", org_id=DEFAULT_ORG, task_id=task_id)

    for error in (listed["error"], attempt["error"]):
        assert error["message"].startswith("x" * 8_000)
        assert len(error["message"]) < 10_000
    assert shown["error"] == {"message": "x" * 900_000}
