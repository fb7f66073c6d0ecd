"""What is asked again and again reads a few rows, among 100,000 tasks and with the statistics of empty tables."""

import psycopg

from tests.plans.crowd import routes_of
from tests.plans.plans import explained
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start, start_graph

MINE = {"type": "app.mine"}
HOT = (
    "ready_tasks", "running_tasks", "delayed_tasks", "waiting_tasks", "pending_tasks", "tasks", "task_attempts", "runs",
)  # fmt: skip


def test_what_is_due_is_the_first_entry_of_each_index(crowded: psycopg.Connection) -> None:
    call(crowded, "list_due_maintenance")

    with explained(crowded) as plans:
        rows = call(crowded, "list_due_maintenance")

    assert {row["what"] for row in rows if row["due_in_seconds"] is not None} >= {"promote_due", "wake_waiting"}
    assert plans.scans_of_all(*HOT) == []
    assert sum(plans.read(table) for table in HOT) <= 20


def test_a_waiting_client_reads_the_runs_it_waits_for(crowded: psycopg.Connection) -> None:
    done = start(crowded, *range(50), kind=MINE)
    graph, _ = start_graph(crowded, 3, [(0, 1)])
    worker = a_worker(crowded)
    worker.complete(*worker.claim(50, routes=routes_of(crowded, "app.mine")))
    call(crowded, "poll_runs", org_id=DEFAULT_ORG, run_ids=[*done, graph])

    with explained(crowded) as plans:
        ends = call(crowded, "poll_runs", org_id=DEFAULT_ORG, run_ids=[*done, graph])

    assert len(ends) == 50
    assert plans.scans_of_all(*HOT) == []
    assert plans.read("runs") <= 2 * 51
    assert plans.read("task_attempts") <= 2 * 51


def test_a_page_of_runs_reads_a_page(crowded: psycopg.Connection) -> None:
    call(crowded, "list_runs", org_id=DEFAULT_ORG, limit=10)

    with explained(crowded) as plans:
        page = call(crowded, "list_runs", org_id=DEFAULT_ORG, limit=10)

    assert len(page) == 10
    assert plans.read("runs") <= 100


def test_failed_runs_and_tasks_are_found_behind_everything_else(crowded: psycopg.Connection) -> None:
    (failed,) = start(crowded, 1, kind=MINE)
    worker = a_worker(crowded)
    worker.fail(*worker.claim(1, routes=routes_of(crowded, "app.mine")), final=True)
    start(crowded, *range(20_000), kind={"type": "app.newer"})

    with explained(crowded) as plans:
        runs = call(crowded, "list_runs", org_id=DEFAULT_ORG, status="failed")
        tasks = call(crowded, "list_tasks", org_id=DEFAULT_ORG, status="failed")

    assert [row["id"] for row in runs] == [row["id"] for row in tasks] == [failed]
    assert plans.scans_of_all("task_attempts", "tasks", "runs") == []
    assert plans.read("task_attempts") <= 50
