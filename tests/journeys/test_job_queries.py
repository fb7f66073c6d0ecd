"""Tasks of jobs that query their inputs with `ctx.query`: functions and bundles, on direct workers and over HTTP."""

from typing import Any

import pytest

from tests.journeys.test_bundles import a_bundle_dag
from tests.journeys.test_jobs import rows
from tests.support.database.attempts import start_tasks
from tests.support.database.jobs import deployed, trigger
from tests.support.database.loops import value
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.processes.bundles import a_bundle, a_manifest, hash_of
from tests.support.processes.workers import Fleet
from tests.support.sandbox.availability import require_full_sandbox
from tests.support.waiting import wait_until

# The code of a bundle: it queries the input of its job, and cannot read any other dataset.
BUNDLE = b"""
from tenuto.model.errors import TenutoError

def doubled(ctx, job):
    ctx.lineage({"n": "numbers.n"})
    rows = ctx.query("select n * 2 as n from numbers order by n").dicts()
    try:
        ctx.query("select * from summed_rows")
    except TenutoError as error:
        return [*rows, {"n": 0 if "summed_rows that you can read" in str(error) else -1}]
    return []

def misled(ctx, job):
    ctx.lineage({"n": ["secrets.n"]})
    return [{"n": 1}]
"""
ENDED = "select count(*) from tenuto.run_status where status in ('completed', 'failed')"


@pytest.fixture(autouse=True)
def full_sandbox() -> None:
    require_full_sandbox()


def put_bundle(db: Db, code: bytes, *tasks: str) -> str:
    said: dict[str, Any] = {"name": "queries", "tasks": {task: f"reads_:{task}" for task in tasks}}
    bundle = a_bundle({"reads_.py": code}, **said)
    whose = {"org_id": DEFAULT_ORG, "sha256": hash_of(bundle)}
    with db.transaction():
        manifest = a_manifest({"reads_.py": code}, **said)
        call(db, "put_bundle", **whose, manifest=manifest, size=len(bundle), created_by="ann")
        call(db, "put_bundle_part", **whose, no=0, data=bundle)
    return whose["sha256"]


def a_reader(function: str) -> dict[str, Any]:
    """A job that runs a function of tests/journeys/apps/jobs.py over the numbers."""
    return {
        "name": function,
        "activation": "reactive",
        "operator": "python",
        "execution_strategy": "PerUpdate",
        "inputs": [{"from": {"dataset": "numbers"}}],
        "config": {"task": f"jobs.{function}"},
        "max_attempts": 1,
        "outputs": [{"dataset": f"{function}_rows"}],
    }


def test_tasks_of_jobs_query_their_inputs_and_nothing_else(db: Db, workers: Fleet) -> None:
    dag = a_bundle_dag(put_bundle(db, BUNDLE, "doubled", "misled"), "doubled", "misled")
    deployed(db, {**dag, "jobs": [*dag["jobs"], a_reader("summed"), a_reader("summed_async")]})
    workers.start("jobs", "--bundles")
    trigger(db, "numbers", dag="udf")  # its event starts the others
    start_tasks(db, "jobs.query_alone", ["numbers"])
    start_tasks(db, "jobs.query_in_process", ["numbers"])
    wait_until(lambda: value(db, ENDED) == 7)

    failed = db.execute("select error ->> 'message' from tenuto.run_status where status = 'failed'").fetchall()
    assert {message for (message,) in failed} == {
        "there is no dataset numbers that you can read",
        "in its process: there is no dataset numbers that you can read",
        "the lineage of n names 'secrets.n', which is not an input; write INPUT.COLUMN; the inputs are numbers",
    }
    assert rows(db, workers.folder, "summed_rows", "") == [{"n": 2, "total": 3}]
    assert rows(db, workers.folder, "summed_async_rows", "") == [{"n": 2, "truncated": True}]
    assert rows(db, workers.folder, "doubled_rows", "") == [{"n": 2}, {"n": 4}, {"n": 0}]
    assert workers.effects() == [
        "read [('numbers', 1)]", "there is no dataset summed_rows that you can read",
    ]  # fmt: skip
    recorded = "select action, count(*) from tenuto.audit_log where entity = 'query' and actor_kind = 'task' group by 1"
    assert dict(db.execute(recorded).fetchall()) == {"run": 3, "deny": 4}
    stated = "select column_name, input_column, kind from tenuto.column_lineage"
    assert db.execute(stated).fetchall() == [("n", "n", "direct")]
