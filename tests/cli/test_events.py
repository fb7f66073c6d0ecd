"""`tenuto events` and `tenuto why` of jobs and datasets, as a person runs them."""

from collections.abc import Callable
from typing import Any

from tests.support.database.events import a_reader, commit, readers, route
from tests.support.database.jobs import deployed
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.http.both_ways import run_here as tenuto


def test_why_shows_what_events_did_to_a_job_and_of_a_dataset(database: str, db: Db, asked: Callable[..., Any]):
    deployed(db, readers(a_reader(), a_reader("report")))
    before = [tenuto("why", what, TENUTO_DATABASE_URL=database).stdout for what in ("sales/daily", "raw")]
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="daily", reason="disk full")
    commit(a_worker(db), "mon", fingerprint="a")
    route(db)

    listed = asked("events", "list", "--dataset", "raw")["events"]
    shown = asked("events", "show", listed[0]["id"])["reactions"]
    assert asked("datasets", "cursors", "raw")["cursors"] == []  # no task has completed yet
    job, dataset = asked("why", "sales/daily"), asked("why", "raw")
    printed = [tenuto("why", what, TENUTO_DATABASE_URL=database).stdout for what in ("sales/daily", "raw")]
    unknown = [tenuto("why", what, TENUTO_DATABASE_URL=database) for what in ("sales/dayly", "nothing")]

    assert [text.splitlines()[-1] for text in before] == ["no event has reached it yet", "no event of it is stored"]
    assert [(event["dataset"], event["partition"]) for event in listed] == [("raw", "mon")]
    assert {row["job"]: row["reaction"] for row in shown} == {"daily": "paused", "report": "triggered"}
    assert (job["pause_reason"], [row["reaction"] for row in job["reactions"]]) == ("disk full", ["paused"])
    assert (dataset["event"]["id"], len(dataset["reactions"])) == (listed[0]["id"], 2)
    assert "job sales/daily of version 1 is paused since" in printed[0]
    assert "raw mon: paused, the job is paused, disk full" in printed[0]
    assert "dataset raw is published by sales/extract" in printed[1]
    assert "sales/report: triggered, task" in printed[1]
    assert [done.returncode for done in unknown] == [2, 2]
    assert "a job is written DAG/JOB" in unknown[1].stderr


def test_why_of_a_job_says_what_became_of_the_tasks_that_events_started(
    database: str, db: Db, asked: Callable[..., Any]
):
    deployed(db, readers(a_reader()))
    worker = a_worker(db)
    commit(worker, "mon", fingerprint="a")
    route(db)

    queued = tenuto("why", "sales/daily", TENUTO_DATABASE_URL=database).stdout
    (claim,) = worker.claim(1)
    worker.fail(claim, error="no such\ncolumn", final=True)
    failed = tenuto("why", "sales/daily", TENUTO_DATABASE_URL=database).stdout
    facts = asked("why", "sales/daily")

    assert f"triggered, task {claim.task_id}: " in queued
    assert " is queued: " in queued
    assert "failed at" in failed
    assert "no such\n  column" in failed
    assert "no such\ncolumn" in facts["tasks"][str(claim.task_id)]


def test_why_shows_what_backpressure_holds_and_whose_backlog_it_is(database: str, db: Db, asked: Callable[..., Any]):
    deployed(db, readers(a_reader(scaling={"max_queue_depth": 1})))
    worker = a_worker(db)
    commit(worker, "mon", "tue")
    route(db)
    db.execute("update tenuto.job_backlogs set due_at = now() - interval '1 minute'")
    call(db, "watch_backlogs")

    held, backlog = asked("why", "sales/extract"), asked("why", "sales/daily")["backlog"]
    printed = [tenuto("why", what, TENUTO_DATABASE_URL=database).stdout for what in ("sales/extract", "sales/daily")]

    assert held["hold_reason"].startswith("sales/daily has over 1 tasks queued, the oldest since ")
    assert (backlog["depth"], backlog["max_depth"]) == (2, 1)
    assert "backpressure holds it since" in printed[0]
    assert "its backlog is 2 tasks" in printed[1]
    assert "the jobs that feed it are held" in printed[1]
