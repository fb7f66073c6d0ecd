"""Postgres goes away and comes back: every accepted task completes, and is accepted once."""

import os
import re
import signal
from pathlib import Path
from uuid import UUID

import psycopg

from tenuto.db import embedded
from tests.support.database.attempts import ended, running, start_tasks, wait_for
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import count
from tests.support.database.tasks import Db
from tests.support.postgres.server import PG_BIN
from tests.support.processes.workers import Fleet, a_fleet
from tests.support.waiting import wait_until

TASKS = 600
OTHERS = """
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
"""


def start_notes(db: Db, first: int, last: int) -> list[UUID]:
    return start_tasks(db, "plain.note", *([f"note {no}"] for no in range(first, last)))


def test_a_worker_says_once_that_its_database_is_away_and_once_that_it_is_back(home: Path, tmp_path: Path):
    with embedded.server(home, pg_bin=PG_BIN) as url, a_fleet(url, tmp_path) as fleet:
        worker = fleet.start("plain", "--lease", "3s", "--processes", "2")
        os.kill(embedded.start(home, pg_bin=PG_BIN).pid, signal.SIGKILL)
        wait_until(lambda: worker.log.count("the lease cannot be renewed") == 2)

        with psycopg.connect(embedded.start(home, pg_bin=PG_BIN).url, autocommit=True) as db:
            start_notes(db, 0, 1)
            wait_for(db, completed=1)
            wait_until(lambda: "available again after " in worker.log)

        assert (worker.log.count("server not available"), worker.log.count("available again")) == (1, 1)
        failed = re.findall(r"dispatcher loop (\w+) failed", worker.log)  # each that had a turn says so, once
        assert sorted(failed) == sorted(set(failed))
        assert "error connecting" not in worker.log


def test_every_accepted_task_completes_once_when_postgres_is_killed_under_load(home: Path, tmp_path: Path):
    with embedded.server(home, pg_bin=PG_BIN) as url, a_fleet(url, tmp_path) as fleet:
        fleet.start("plain", "--lease", "10s")
        fleet.start("plain", "--lease", "10s")
        accepted: list[UUID] = []
        for crash in range(2):
            server = embedded.start(home, pg_bin=PG_BIN)
            with psycopg.connect(server.url, autocommit=True) as db:
                goal = ended(db) + 50
                accepted += start_notes(db, crash * TASKS, (crash + 1) * TASKS)
                wait_until(lambda db=db, goal=goal: ended(db) >= goal)
                os.kill(server.pid, signal.SIGKILL)
        with psycopg.connect(embedded.start(home, pg_bin=PG_BIN).url, autocommit=True) as db:
            wait_for(db, completed=len(accepted))

            assert count(db, "task_attempts", "end_no = 0") == len(accepted) == 2 * TASKS
            assert ended(db) == len(accepted)
            assert set(fleet.effects()) == {f"note {no}" for no in range(2 * TASKS)}
            assert running(db) == 0
            assert_invariants(db)


def test_workers_outlive_the_end_of_all_their_connections_under_load(db: Db, fleet: Fleet):
    workers = [fleet.start("plain") for _ in range(2)]
    start_tasks(db, "plain.nap", *([0.01] for _ in range(TASKS)))
    for no in range(1, 6):
        wait_until(lambda goal=no * 80: ended(db) >= goal)
        db.execute(OTHERS)
    wait_for(db, completed=TASKS)

    assert count(db, "task_attempts", "outcome in ('lost', 'failed', 'retrying')") == 0
    assert [worker.process.poll() for worker in workers] == [None, None]
    assert_invariants(db)
