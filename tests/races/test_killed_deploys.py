"""A deployer that is killed in any phase leaves nothing half-done, and a repetition finishes its work."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.dag.documents import a_document, with_job
from tests.races.test_deploys import STATE, TORN
from tests.support.database.builds import advance, compute, status, with_data
from tests.support.database.dags import cutover, deploy, pointers, rollback
from tests.support.database.events import commit, route
from tests.support.database.jobs import partitions, sales
from tests.support.database.loops import value
from tests.support.database.snapshots import snapshot
from tests.support.database.tasks import Db, a_worker
from tests.support.processes.terminal import ROOT

EDITED = with_job("daily", config={"sql": "select 2"})


@pytest.fixture
def kill(database: str) -> Iterator[Callable[..., None]]:
    """`kill("cutover", "commit")` does something in a process that is killed after this call."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.processes.dying_deployer", database],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout

        def order(action: str, dies_after: str, *, yaml: Any = None, **options: Any) -> None:
            facts = {"name": "orders", "expected": 0, "cutover": True, **options}
            facts |= {"action": action, "dies_after": dies_after, "yaml": json.dumps(yaml)}
            assert process.stdin
            assert process.stdout
            print(json.dumps(facts), file=process.stdin, flush=True)
            assert process.stdout.readline() == "9\n"

        yield order
        process.stdin.close()


def state(db: Db) -> Any:
    """The version that is current by its status and by the pointer, the number of versions and all pointers; no dataset
    points elsewhere than its DAG."""
    assert db.execute(TORN).fetchall() == []
    versions = db.execute("select count(*) from tenuto.dag_versions").fetchall()
    return db.execute(STATE).fetchall(), versions, pointers(db)


def test_a_killed_deployer_leaves_nothing_half_done(db: Db, kill: Callable[..., None]):
    kill("deploy", "commit", yaml=a_document())
    first = state(db)
    assert first[0] == [([1], [1])]
    for call in ("get_deploy_facts", "deploy_dag", "cutover_dag"):
        kill("deploy", call, yaml=EDITED)
        assert state(db) == first, call
    kill("deploy", "commit", yaml=EDITED)
    second = state(db)

    assert second[:2] == ([([2], [2])], [(2,)])
    assert (deploy(db, EDITED)["created"], state(db)) == (False, second)  # a repetition finds it done
    kill("rollback", "rollback_dag", expected=2)
    assert state(db) == second
    kill("rollback", "commit", expected=2)
    assert state(db)[2] == first[2]
    deploy(db, with_job("daily", config={"sql": "select 3"}))
    kill("cutover", "cutover_dag", expected=1)
    assert state(db)[2] == first[2]
    assert cutover(db, expected=1)["version"] == 3
    assert rollback(db, expected=3)["version"] == 1


def test_a_killed_deployer_leaves_no_row_of_a_rebuild_a_cutover_or_a_rollback(db: Db, kill: Callable[..., None]):
    worker = a_worker(db)
    with_data(db, worker, "mon", document=sales("select 1"))
    live = partitions(db, "per_day")

    def unless_committed(action: str, call: str, **order: Any) -> None:
        """Kills a deployer after the call, which leaves no trace, and another one after its commit."""
        before = snapshot(db)
        kill(action, call, name="sales", cutover=False, **order)
        assert snapshot(db) == before
        kill(action, "commit", name="sales", cutover=False, **order)

    unless_committed("deploy", "deploy_dag", yaml=sales("select 2"))
    assert status(db, 2) == "building"
    commit(worker, "tue")  # its event waits in the version that is being computed
    advance(db)
    while compute(worker):
        advance(db)
    assert (status(db, 2), {*partitions(db, "per_day")}) == ("ready", {"mon", "tue"})
    unless_committed("cutover", "cutover_dag", expected=1)
    advance(db)
    while compute(worker):
        advance(db)
    assert (status(db, 2), {*partitions(db, "per_day")}) == ("current", {"mon", "tue"})
    unless_committed("rollback", "rollback_dag", expected=2)
    route(db)

    assert (status(db, 1), partitions(db, "per_day")["mon"]) == ("current", live["mon"])
    assert db.execute(TORN).fetchall() == []
    assert value(db, "select count(*) from tenuto.outbox where kind = 'route_event' and status <> 'done'") == 0
