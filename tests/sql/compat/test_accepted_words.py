"""The words of other systems: a view accepts the words that have an effect, and refuses the others."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from tests.support.database.compat import insert_wgp, refused, rows
from tests.support.database.jobs import deployed, trigger
from tests.support.database.loops import settle
from tests.support.database.tasks import Db, start_one

WGP = {"Queued", "In Progress", "Complete", "Failed", "Cancelled"}
FOREMAN_RUN = {"pending", "running", "completed", "failed", "cancelled"}
FOREMAN = FOREMAN_RUN | {"queued", "retrying"}
SPIDER_JOB = {"RUNNING", "PENDING_RETRY", "SUCCEEDED", "FAILED", "CANCELLED"}
SPIDER_TASK = {"PENDING", "READY", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"}
TRACE = {"Queued", "Running", "Completed", "Failed", "Canceled"}


def foreman_run(db: Db) -> UUID:
    (run,) = rows(db, "insert into tenuto_compat_foreman.run (input_data) values ('{}') returning id")
    return run["id"]


def foreman_task(db: Db, status: str | None = None) -> UUID:
    query = """insert into tenuto_compat_foreman.task (run_id, type, input_data, status)
               values (%s, 'mail.send', '{}', %s) returning id"""
    (task,) = rows(db, query, foreman_run(db), status)
    return task["id"]


def trace_task(db: Db) -> UUID:
    if not rows(db, "select from tenuto.dags"):
        deployed(db)
    (task,) = trigger(db, "extract", "2026-11-16")
    return task["task_id"]


def accepted(db: Db, statement: str, word: str, *params: Any) -> bool:
    """Whether the statement takes the word; if not, it raises TN003 and changes nothing."""
    try:
        db.execute(statement.encode(), [word, *params])
    except Exception as error:
        assert getattr(error, "sqlstate", None) == "TN003", error  # noqa: PT017 - it also returns
        return False
    return True


@pytest.mark.parametrize(
    ("view", "words", "make", "cancelled"),
    [
        ("tenuto_compat_wgp.tasks", WGP, insert_wgp, "Cancelled"),
        ("tenuto_compat_foreman.run", FOREMAN_RUN, foreman_run, "cancelled"),
        ("tenuto_compat_foreman.task", FOREMAN, foreman_task, "cancelled"),
        ("tenuto_compat_spider.jobs", SPIDER_JOB, start_one, "CANCELLED"),
        ("tenuto_compat_spider.tasks", SPIDER_TASK, start_one, "CANCELLED"),
        ("tenuto_compat_trace.tasks", TRACE, trace_task, "Canceled"),
    ],
)
def test_an_update_takes_only_the_word_for_cancelled_and_then_shows_it(
    view: str, words: set[str], make: Callable[[Db], UUID], cancelled: str, db: Db
):
    column = "state" if "spider" in view else "status"
    made = {word: make(db) for word in words | {"moon", words.copy().pop().swapcase()}}
    before = {word: rows(db, f"select * from {view} where id = %s", id) for word, id in made.items()}

    taken = {
        word for word, id in made.items() if accepted(db, f"update {view} set {column} = %s where id = %s", word, id)
    }

    settle(db)
    assert taken == {cancelled}
    assert [row[column] for row in rows(db, f"select * from {view} where id = %s", made[cancelled])] == [cancelled]
    for word in made.keys() - taken:
        assert rows(db, f"select * from {view} where id = %s", made[word]) == before[word]


def test_an_insert_takes_only_words_of_tasks_that_wait(db: Db):
    wgp = "insert into tenuto_compat_wgp.tasks (status, task_type) values (%s, 'travel')"
    run = "insert into tenuto_compat_foreman.run (status, input_data) values (%s, '{}')"
    task = "insert into tenuto_compat_foreman.task (status, run_id, type, input_data) values (%s, %s, 'a.b', '{}')"

    assert {word for word in WGP if accepted(db, wgp, word)} == {"Queued"}
    assert {word for word in FOREMAN_RUN if accepted(db, run, word)} == {"pending"}
    open_run = foreman_run(db)
    assert {word for word in FOREMAN if accepted(db, task, word, open_run)} == {"pending", "queued"}
    assert {row["status"] for row in rows(db, "select status from tenuto_compat_wgp.tasks")} == {"Queued"}
    assert {row["status"] for row in rows(db, "select status from tenuto_compat_foreman.task")} == {"queued"}


def test_jobs_show_only_runtimes_that_run(db: Db):
    trace_task(db)

    assert {row["runtime"] for row in rows(db, "select runtime from tenuto_compat_trace.jobs")} == {"worker"}
    with refused("TN003", "use tenuto deploy"):
        db.execute("update tenuto_compat_trace.jobs set runtime = 'lambda'")
