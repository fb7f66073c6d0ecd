"""What people do to runs reads what it is about, whatever else is stored and whatever statistics say."""

from collections.abc import Iterator

import psycopg
import pytest

from tenuto.db.connection.call import call_sync
from tests.plans.conftest import ALWAYS, WITHOUT_TRIGGERS, WORKER
from tests.plans.plans import explained
from tests.support.database.loops import cancel_run, cancel_task
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_graph, start_one, statuses
from tests.support.postgres.server import fresh_database

STRANGERS = 20_000  # rows of others in the tables that an end looks at
ROWS_OF_OTHERS = """
insert into tenuto.task_parents (id, org_id, open) select gen_random_uuid(), %(org)s, 0 from generate_series(1, %(n)s);
insert into tenuto.pending_tasks (id, org_id, run_id, route_id, group_no, priority, attempt, remaining, flags)
select gen_random_uuid(), %(org)s, gen_random_uuid(), 1, 1, 0, 0, 1, 0 from generate_series(1, %(n)s);
insert into tenuto.task_dependencies (parent_id, child_id, org_id, runs_on)
select tenuto._uuid7(), gen_random_uuid(), %(org)s, 'completed' from generate_series(1, %(n)s);
insert into tenuto.task_attempts (task_id, org_id, ended_at, end_no, attempt, outcome, reported)
select tenuto._uuid7(), %(org)s, now(), 0, 0, 'skipped', false from generate_series(1, %(n)s);
"""
TABLES = (
    "tasks",
    "task_attempts",
    "task_dependencies",
    "task_parents",
    "pending_tasks",
    "ready_tasks",
    "running_tasks",
)


@pytest.fixture(scope="module")
def others(server: str, template: str) -> Iterator[Db]:
    """A new database without statistics, in which others have stored much."""
    with (
        fresh_database(server, f"run_verbs_{WORKER}", template) as url,
        psycopg.connect(url, autocommit=True, options=WITHOUT_TRIGGERS) as conn,
    ):
        conn.execute(ALWAYS)
        for statement in ROWS_OF_OTHERS.strip().split(";\n"):
            conn.execute(statement.encode(), {"org": DEFAULT_ORG, "n": STRANGERS})
        yield conn


def test_cancelling_a_task_reads_that_task(others: Db) -> None:
    task_id = start_one(others)

    with explained(others) as plans:
        cancel_task(others, task_id)

    assert plans.scans_of_all(*TABLES) == []
    assert sum(plans.read(table) for table in TABLES) < 50


def test_a_sweep_looks_only_at_what_a_cancelled_run_left_open(others: Db) -> None:
    run_id, _ = start_graph(others, 500)
    worker = a_worker(others)
    worker.claim(2)
    cancel_run(others, run_id)
    call(others, "sweep_cancelled")

    with explained(others) as plans:
        call(others, "sweep_cancelled")

    assert plans.scans_of_all(*TABLES) == []
    assert sum(plans.read(table) for table in TABLES) < 50


def test_dependents_of_a_task_that_fails_are_found_without_statistics(others: Db) -> None:
    dependents = 1000
    edges = [(0, n + 1) for n in range(dependents)]
    _, tasks = start_graph(others, dependents + 1, edges, kinds=[{"type": "app.root", "max_attempts": 1}])
    worker = a_worker(others)
    root = worker.claim(1, routes=worker.routes(types=["app.root"]))

    with explained(others) as plans:
        worker.fail(*root)

    assert set(statuses(others, tasks[1:5])) == {"cancelled"}
    assert plans.scans_of_all(*TABLES) == []
    assert plans.read("task_dependencies") < 10 * dependents


def test_a_start_joins_no_kind_with_details_that_are_not_its_own(others: Db) -> None:
    tasks = 200
    kinds = [{"type": "app.work", "max_attempts": 1 + n % 100} for n in range(tasks)]
    details = [{"task": n, "priority": n % 3} for n in range(tasks)]

    with explained(others) as plans:
        start_graph(others, tasks, kinds=kinds, task_kinds=list(range(tasks)), details=details)

    assert max(node.rows for node in plans.nodes) < 10 * tasks


def test_a_retry_copies_a_run_by_look_ups(others: Db) -> None:
    tasks = 300
    run_id, _ = start_graph(others, tasks, kinds=[{"type": "app.retried", "max_attempts": 1}])
    worker = a_worker(others)
    worker.fail(*worker.claim(tasks, routes=worker.routes(types=["app.retried"])))
    call(others, "fold_runs")

    with explained(others) as plans:
        call(others, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)

    assert max(node.read for node in plans.nodes) < 20 * tasks
    assert plans.read("task_attempts") < 20 * tasks


def test_inputs_are_read_by_their_keys_by_connections_that_planned_on_empty_tables(server: str, template: str) -> None:
    """A join read all attempts of the week for each input, on connections of workers that were there from the start."""
    count = 10
    merge = [{"task": count, "slots": [{"task": no} for no in range(count)]}]
    with (
        fresh_database(server, f"inputs_{WORKER}", template) as url,
        psycopg.connect(url, autocommit=True, options=WITHOUT_TRIGGERS) as conn,
    ):
        conn.execute(ALWAYS)
        worker = a_worker(conn)

        def run_parts() -> None:
            start_graph(conn, count + 1, details=merge)
            worker.complete(*worker.claim(count), outputs=["made"] * count)

        for _ in range(8):  # enough for plans that are kept
            run_parts()
            worker.complete(worker.claim_one())
        for statement in ROWS_OF_OTHERS.strip().split(";\n"):
            conn.execute(statement.encode(), {"org": DEFAULT_ORG, "n": STRANGERS})
        run_parts()

        with explained(conn) as plans:
            claim = worker.claim_one()
            ends = call_sync(conn, "poll_tasks", org_id=DEFAULT_ORG, task_ids=[claim.task_id])

    assert (claim.slots, ends) == (["made"] * count, [])
    assert plans.read("task_attempts") <= 3 * count
