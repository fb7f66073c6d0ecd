"""`tenuto up --pool`: a burst grows the pool and its end shrinks it; killed workers lose nothing; no worker outlives
the process that started it."""

import os
import signal

import psutil
import psycopg
import pytest

from tenuto.providers.local import pid_of
from tests.support.database.attempts import ended, wait_for
from tests.support.database.pools import decisions
from tests.support.database.tasks import start
from tests.support.processes.command_line import running
from tests.support.waiting import wait_until, wait_until_dead

POLICY = "local:min=0,max=2,idle_timeout=1s,over_capacity_timeout=1s,scale_down_grace=0s"
TASKS = 40


@pytest.mark.timeout(600)
def test_a_burst_scales_up_and_down_and_killed_workers_lose_nothing(
    db: psycopg.Connection, database: str, tmp_path: object
) -> None:
    place = {"TENUTO_DATABASE_URL": database, "TENUTO_HOME": str(tmp_path)}
    app = "tests.journeys.apps.pool:app"
    with running("up", "--port", "0", "--pool", POLICY, app, ready="press Ctrl-C", **place) as up:
        start(db, *([no] for no in range(TASKS)), kind={"type": "pool.work"})
        wait_until(lambda: ended(db) > 2, timeout=240)
        (first,) = db.execute("select provider_id from tenuto.workers where status = 'active' limit 1").fetchall()[0]
        os.kill(pid_of(first), signal.SIGKILL)
        wait_for(db, TASKS, timeout=240)
        open_machines = "select count(*) from tenuto.workers where machine_ended_at is null"
        wait_until(lambda: db.execute(open_machines).fetchall() == [(0,)], timeout=240)
        assert up.stop() == 0
        said = up.said()

    sizes = [(entry["workers"], entry["wanted"]) for entry in reversed(decisions(db, "local"))]
    assert (0, 2) in sizes
    assert sizes[-1][1] == 0
    assert "pool local: 0 -> 2 workers: " in said
    assert "is gone" in said
    (lost,) = db.execute("select error from tenuto.workers where diagnostics is not null").fetchall()[0]
    assert lost == "its machine has ended"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_workers_stop_however_the_process_that_started_them_ends(
    number: signal.Signals, db: psycopg.Connection, database: str, tmp_path: object
) -> None:
    place = {"TENUTO_DATABASE_URL": database, "TENUTO_HOME": str(tmp_path)}
    app = "tests.journeys.apps.pool:app"
    with running("up", "--port", "0", "--pool", "local:min=2,max=2", app, ready="press Ctrl-C", **place) as up:
        active = "select provider_id from tenuto.workers where status = 'active' and provider_id is not null"
        wait_until(lambda: len(db.execute(active).fetchall()) == 2, timeout=240)
        workers = [psutil.Process(pid_of(provider_id)) for (provider_id,) in db.execute(active).fetchall()]
        workers += [child for worker in workers for child in worker.children(recursive=True)]
        assert len(workers) >= 4  # each has a child that runs user code
        up.stop(number)
        wait_until_dead(workers)
    left = "select count(*) from tenuto.workers where status <> 'terminated'"
    assert db.execute(left).fetchall() == [(0,)]
