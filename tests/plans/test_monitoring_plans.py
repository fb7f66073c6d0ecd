"""What is asked again and again reads a few rows, among 20,000 tasks and with the statistics of empty tables."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.plans.crowd import routes_of
from tests.plans.plans import explained
from tests.support.database.jobs import deployed
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


TASKS_OF_JOBS = """
insert into tenuto.job_tasks
  (task_id, org_id, job_key, dag_version_id, config_hash, partition_key, input_versions, rebuild)
select t.id, j.org_id, j.job_key, j.dag_version_id, j.config_hash, 'p' || t.no %% 7, '[]', false
from (select t.id, row_number() over (order by t.id) as no from tenuto.tasks t where t.org_id = %s) t
join tenuto.jobs j on j.name = case when t.no %% 2 = 0 then 'extract' else 'daily' end
"""


def test_a_page_of_the_tasks_of_a_job_reads_a_page(crowded: psycopg.Connection) -> None:
    deployed(crowded)
    crowded.execute(TASKS_OF_JOBS, [DEFAULT_ORG])
    job = {"org_id": DEFAULT_ORG, "job": "sales/extract", "limit": 10}

    with explained(crowded) as plans:
        pages = [call(crowded, "list_tasks", **job), call(crowded, "list_tasks", **job, after=UUID(int=0))]

    assert [len(page) for page in pages] == [10, 10]
    assert plans.scans_of_all("job_tasks", "tasks") == []
    assert plans.read("job_tasks") <= 100


@pytest.mark.parametrize("status", ["failed", "queued", "completed"])
def test_a_search_among_the_tasks_of_a_job_reads_these(crowded: psycopg.Connection, status: str) -> None:
    deployed(crowded)
    crowded.execute(TASKS_OF_JOBS, [DEFAULT_ORG])
    crowded.execute("delete from tenuto.job_tasks where partition_key <> 'p1' and job_key = %s", [key_of(crowded)])

    with explained(crowded) as plans:
        call(crowded, "list_tasks", org_id=DEFAULT_ORG, job="sales/extract", status=status)

    (left,) = crowded.execute("select count(*) from tenuto.job_tasks where job_key = %s", [key_of(crowded)]).fetchall()
    assert plans.scans_of_all("job_tasks", "tasks", "task_attempts") == []
    assert plans.read("job_tasks") <= 2 * left[0]
    assert plans.read("tasks") <= left[0] + 100
    assert plans.read("task_attempts") <= left[0] + 200


def key_of(db: psycopg.Connection) -> UUID:
    ((key,),) = db.execute("select job_key from tenuto.jobs where name = 'extract'").fetchall()
    return key


def test_a_page_of_cancelled_runs_reads_few_of_many(crowded: psycopg.Connection) -> None:
    start(crowded, *range(200), kind={"type": "app.gone", "queue": "gone"})
    call(crowded, "purge_queue", org_id=DEFAULT_ORG, queue="gone", limit=200)

    with explained(crowded) as plans:
        page = call(crowded, "list_runs", org_id=DEFAULT_ORG, status="cancelled", limit=5)

    assert len(page) == 5
    assert plans.read("runs") <= 100


def test_rare_metadata_is_found_by_index_behind_everything_else(crowded: psycopg.Connection) -> None:
    details = Jsonb([{"task": 0, "metadata": {"order": 7}}])
    (rare,) = start(crowded, 1, kind=MINE, details=details)
    start(crowded, *range(20_000), kind={"type": "app.newer"})

    with explained(crowded) as plans:
        runs = call(crowded, "list_runs", org_id=DEFAULT_ORG, metadata=Jsonb({"order": 7}))
        tasks = call(crowded, "list_tasks", org_id=DEFAULT_ORG, metadata=Jsonb({"order": 7}))

    assert [row["id"] for row in runs] == [row["id"] for row in tasks] == [rare]
    assert plans.scans_of_all("task_attempts", "tasks", "runs") == []
    assert {"tasks", "runs"} <= {node.index.partition("_")[0] for node in plans.nodes if "metadata" in node.index}


def test_several_statuses_and_a_range_of_times_read_a_page(crowded: psycopg.Connection) -> None:
    (newest,) = start(crowded, 1, kind=MINE)
    worker = a_worker(crowded)
    worker.fail(*worker.claim(1, routes=routes_of(crowded, "app.mine")), final=True)
    until = datetime.now(UTC) + timedelta(minutes=1)

    for since in (until - timedelta(hours=1), None):
        with explained(crowded) as plans:
            chosen = {"org_id": DEFAULT_ORG, "statuses": ["failed", "cancelled"], "since": since, "until": until}
            runs, tasks = call(crowded, "list_runs", **chosen), call(crowded, "list_tasks", **chosen)
            page = call(crowded, "list_runs", org_id=DEFAULT_ORG, since=since, until=until, limit=10)
            chosen = {"org_id": DEFAULT_ORG, "since": since, "until": until, "limit": 10}
            call(crowded, "list_audit", **chosen)
            call(crowded, "list_audit", **chosen, ip="10.0.0.1")
            call(crowded, "list_audit", **chosen, actor_id="ann", action="revoke")

        assert (runs[0]["id"], tasks[0]["id"], len(page)) == (newest, newest, 10)
        assert plans.scans_of_all(*HOT, "audit_log") == []


def test_a_count_stops_after_ten_thousand(crowded: psycopg.Connection) -> None:
    with explained(crowded) as plans:
        (runs,) = call(crowded, "count_runs", org_id=DEFAULT_ORG)
        (tasks,) = call(crowded, "count_tasks", org_id=DEFAULT_ORG)

    assert (runs["exact"], tasks["exact"]) == (False, False)
    assert plans.scans_of_all("task_attempts", "runs", "tasks") == []
