"""Dedupe keys in the facts for OpenLineage, in the view of Trace's tasks, and of get_dedupe_key: keys that users set,
not those that Tenuto made."""

from typing import Any

from psycopg.types.json import Jsonb

from tests.sql.reactions.test_webhooks import a_dag, receive
from tests.support.database.builds import advance
from tests.support.database.events import a_reader, commit, readers
from tests.support.database.jobs import deployed, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def keys(db: Db, job: str) -> list[tuple[Any, Any, Any]]:
    """For each task of a job: the key that receivers of OpenLineage events get, that of Trace's view, and the run's."""
    tasks = db.execute("select id, run_id from tenuto.tasks where input #>> '{job,job}' = %s order by id", [job])
    found: list[tuple[Any, Any, Any]] = []
    for task_id, run_id in tasks.fetchall():
        subject = Jsonb({"task_id": str(task_id), "attempt": 1})
        (row,) = call(db, "get_lineage_facts", org_id=DEFAULT_ORG, subject=subject, event=Jsonb({"type": "START"}))
        ((shown,),) = db.execute("select dedupe_key from tenuto_compat_trace.tasks where id = %s", [task_id]).fetchall()
        own = call(db, "get_dedupe_key", org_id=DEFAULT_ORG, run_id=run_id)
        found.append((row["facts"]["dedupe_key"], shown, own))
    return found


def test_a_task_that_data_started_has_no_key_and_one_that_a_user_started_has_theirs(db: Db):
    deployed(db, readers(a_reader("weekly")))
    commit(a_worker(db), "mon")
    advance(db)
    trigger(db, "weekly", "mon", dedupe_key="nightly")

    assert keys(db, "weekly") == [(None, None, None), ("nightly/mon", "nightly/mon", "nightly/mon")]
    assert db.execute("select count(*) from tenuto.dedupe_keys where key = '/mon'").fetchall() == [(1,)]


def test_the_key_of_a_request_to_a_webhook_is_neither_a_tag_nor_in_the_view(db: Db):
    deployed(db, a_dag(orders="/new"))
    receive(db, "k1")

    assert keys(db, "orders") == [(None, None, "@webhook/k1")]
