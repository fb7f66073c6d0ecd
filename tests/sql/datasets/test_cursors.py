"""Cursors: how far each job has read a dataset."""

from typing import Any

import psycopg
import pytest

from tenuto.model.errors import NotFound
from tests.support.database.builds import advance
from tests.support.database.events import NO_OUTPUT, a_reader, commit, readers, route
from tests.support.database.jobs import deployed, publish
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

EACH = {"execution_strategy": "PerUpdate"}


def cursors(db: Db, name: str = "raw") -> dict[str, tuple[str, int]]:
    """(commit, events after it) of each job; a commit is written as its partition."""
    keys = dict(db.execute("select id, partition_key from tenuto.partition_versions").fetchall())
    rows: list[dict[str, Any]] = call(db, "list_cursors", org_id=DEFAULT_ORG, name=name)
    return {row["job"]: (keys[row["cursor"]], row["behind"]) for row in rows}


def test_the_completion_of_a_task_moves_the_cursor_of_its_job(db: Db):
    worker = a_worker(db)
    deployed(db, readers(a_reader("each", **EACH), a_reader("silent", **EACH, **NO_OUTPUT)))
    commit(worker, "mon")
    commit(worker, "tue")
    advance(db)
    assert cursors(db) == {}
    claims = {(claim.input["job"]["job"], claim.input["job"]["partition"]): claim for claim in worker.claim(9)}

    publish(worker, claims["each", "tue"], "tue")
    worker.complete(claims["silent", "mon"], published=[[]])  # it publishes nothing
    assert cursors(db) == {"each": ("tue", 0), "silent": ("mon", 1)}
    publish(worker, claims["each", "mon"], "mon")  # a task that started earlier: a cursor never moves back

    assert cursors(db) == {"each": ("tue", 0), "silent": ("mon", 1)}


def test_a_cursor_moves_past_events_that_a_filter_leaves_out(db: Db):
    source = {**readers()["jobs"][0], "outputs": [{"dataset": "raw", "partition": {"kind": "key", "column": "shop"}}]}
    inputs = [{"from": {"dataset": "raw"}, "where": {"shop": "berlin"}}]
    deployed(db, readers(a_reader("each", **EACH, inputs=inputs), source=source))
    worker = a_worker(db)
    commit(worker, "paris")
    route(db)
    assert cursors(db) == {"each": ("paris", 0)}
    (row,) = call(db, "list_cursors", org_id=DEFAULT_ORG, name="raw")
    assert row["task_id"] is None

    commit(worker, "berlin")
    route(db)
    assert cursors(db) == {"each": ("paris", 1)}


def test_completions_at_the_same_time_do_not_wait_and_the_newest_counts(db: Db, database: str):
    deployed(db, readers(a_reader("each", **EACH)))
    commit(a_worker(db), "mon", "tue")
    (mon, version), (tue, _) = db.execute(
        "select id, dataset_version_id from tenuto.partition_versions order by partition_key"
    ).fetchall()
    ((job,),) = db.execute("select job_key from tenuto.jobs where name = 'each'").fetchall()
    move = "select tenuto._move_cursors(%s, %s, %s, %s, array[null::uuid])"
    with psycopg.connect(database) as first, psycopg.connect(database) as second:
        for conn, cursor in ((first, max(mon, tue)), (second, min(mon, tue))):
            conn.execute("set local lock_timeout = '2s'")
            conn.execute(move, [[DEFAULT_ORG], [job], [version], [cursor]])

    (row,) = call(db, "list_cursors", org_id=DEFAULT_ORG, name="raw")
    assert row["cursor"] == max(mon, tue)
    assert db.execute("select count(*) from tenuto.dataset_cursors").fetchall() == [(2,)]


def test_cursors_are_of_one_org_and_come_in_pages(db: Db):
    worker = a_worker(db)
    deployed(db, readers(a_reader("one", **EACH), a_reader("two", **EACH)))
    commit(worker, "mon")
    advance(db)
    for claim in worker.claim(9):
        publish(worker, claim, "mon")
    (first,) = call(db, "list_cursors", org_id=DEFAULT_ORG, name="raw", limit=1)
    (second,) = call(db, "list_cursors", org_id=DEFAULT_ORG, name="raw", after=first["job_key"])

    assert {first["job"], second["job"]} == {"one", "two"}
    with pytest.raises(NotFound):
        call(db, "list_cursors", org_id=an_org(db, "other"), name="raw")
