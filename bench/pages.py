"""Measures every API call behind a page of the dashboard: `python -m bench.pages [--quick] [--json] [--save]
[--finished N] [--open N] [--home FOLDER]`. Each figure of `p95_ms` is the 95th percentile of one client's requests, in
milliseconds. `cpu_ms` is the CPU time of the server and Postgres per request, which other load does not change."""

import argparse
import http.client
import json
import os
import time
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

from bench.history import add_week
from bench.http import ORG, create_key, server
from bench.program import kept_server, report
from bench.record import facts

GRAPH = 1000  # tasks of the run whose graph is read
LAYER = 50  # tasks of that run that can run at the same time
REQUESTS = 60  # per call; the first ten are not counted
LIMIT_MS = 100
PIECE = 10_000
PATHS = (
    "/v1/status",
    "/v1/rates",
    "/v1/rates?period=day&limit=90",
    "/v1/activity",
    "/v1/search?q=bench",
    "/v1/search?q={run}",
    "/v1/runs",
    "/v1/runs?status=failed",
    "/v1/runs?status=running&count=true&limit=1",
    "/v1/runs?status=pending&count=true&limit=1",
    "/v1/runs?status=completed",
    "/v1/runs?type=app.type7",
    "/v1/runs?name=graph",
    f"/v1/runs?metadata={quote(json.dumps({'team': 'a'}))}",
    "/v1/runs/{run}",
    "/v1/runs/{run}/graph?limit=2000",
    "/v1/runs/{run}/attempts?limit=2000",
    "/v1/runs/{run}/tasks?limit=100&sort=created_at",
    "/v1/runs/{run}/data",
    "/v1/runs/{run}/logs",
    "/v1/tasks",
    "/v1/tasks?type=bench.noop",
    "/v1/tasks?type=app.type7",
    "/v1/tasks?status=failed",
    "/v1/tasks?status=completed",
    "/v1/tasks/{task}/details",
    "/v1/tasks/{task}/why",
    "/v1/tasks/{task}/logs",
    "/v1/queues",
    "/v1/limits",
    "/v1/schedules",
    "/v1/workers",
    "/v1/workers/bench",
    "/v1/dispatchers",
    "/v1/pools",
    "/v1/dags",
    "/v1/jobs",
    "/v1/datasets",
    "/v1/events",
    "/v1/backfills",
    "/v1/alerts",
    "/v1/alert-rules",
    "/v1/outbox",
    "/v1/users",
    "/v1/roles",
    "/v1/keys",
    "/v1/audit",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--finished", type=int, default=200_000, help="finished tasks")
    parser.add_argument("--open", type=int, default=10_000, help="open tasks")
    parser.add_argument("--home", type=Path, help="keep the database in this folder, and use what is in it")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results/")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    with kept_server(options.home) as url:
        result = measure(url, finished=options.finished // share, open_tasks=options.open // share)
    report("pages", result, options)


def measure(url: str, *, finished: int, open_tasks: int) -> dict[str, object]:
    """Fill a database, and read every page from it."""
    run_id, task_id = fill(url, finished, open_tasks)
    key = create_key(url)
    load = os.getloadavg()[0]
    with server("ours", url) as port:
        processes = _processes(url)
        figures: dict[str, float] = {}
        computed: dict[str, float] = {}
        for path in PATHS:
            before = _cpu_seconds(processes)
            figures[path] = p95(port, key, path.format(run=run_id, task=task_id))
            computed[path] = round(1000 * (_cpu_seconds(processes) - before) / REQUESTS, 1)
    return {
        **facts(url),
        "finished_tasks": finished,
        "open_tasks": open_tasks,
        "graph": GRAPH,
        "load_before": round(load, 1),
        "p95_ms": figures,
        "cpu_ms": computed,
        "over_limit": sorted(path for path, figure in figures.items() if figure > LIMIT_MS),
    }


def _processes(url: str) -> list[psutil.Process]:
    """Return the HTTP server, which is a child of this process, and the Postgres server."""
    with psycopg.connect(url) as conn:
        postgres = psutil.Process(conn.info.backend_pid).parent()
    assert postgres is not None
    return [postgres, *psutil.Process().children()]


def _cpu_seconds(processes: list[psutil.Process]) -> float:
    every = {found for process in processes for found in [process, *process.children(recursive=True)]}
    return sum(sum(process.cpu_times()[:2]) for process in every if process.is_running())


def fill(url: str, finished: int, open_tasks: int) -> tuple[str, str]:
    """Create the rows unless they exist. Return the ids of a run with a large graph and of an open task."""
    with psycopg.connect(url, autocommit=True) as conn:
        existing = conn.execute(
            "select r.id, (select max(t.id::text) from tenuto.ready_tasks t where t.run_id <> r.id) "
            "from tenuto.runs r where r.name = 'graph'"
        ).fetchone()
    if existing is not None:
        return str(existing[0]), str(existing[1])
    if finished > 0:
        add_week(url, finished)
    with psycopg.connect(url, autocommit=True) as conn:
        task_id = _start(conn, 1)
        for first in range(0, open_tasks, PIECE):
            _start(conn, min(open_tasks - first, PIECE))
        run_id = _start_graph(conn)
        conn.execute("vacuum analyze")
    return run_id, task_id


def _start(conn: psycopg.Connection, count: int) -> str:
    row = conn.execute(
        "select run_id from tenuto.start_many(%s, %s, %s::jsonb[]) limit 1",
        (ORG, '[{"type": "bench.noop"}]', ["[1]"] * count),
    ).fetchone()
    assert row is not None
    return str(row[0])


def _start_graph(conn: psycopg.Connection) -> str:
    """Start a run in which each task depends on two tasks of the layer before, and complete its first layers."""
    edges = [{"from": no - LAYER + step, "to": no} for no in range(LAYER, GRAPH) for step in (0, 1)]
    row = conn.execute(
        "select run_id from tenuto.start_run(%s, p_run => %s, p_kinds => %s, p_inputs => %s::jsonb[], p_edges => %s)",
        (ORG, '{"name": "graph"}', '[{"type": "bench.node"}]', [json.dumps([no]) for no in range(GRAPH)],
         json.dumps(edges)),
    ).fetchone()  # fmt: skip
    assert row is not None
    session = conn.execute(
        "select session_id, token from tenuto.register_worker(%s, 'bench', p_lease => '1 day')", (ORG,)
    ).fetchone()
    route = conn.execute("select array_agg(id) from tenuto.routes where type = 'bench.node'").fetchone()
    assert session is not None
    assert route is not None
    ended: list[tuple[object, int]] = []
    for claim in range(1, GRAPH // LAYER // 2 + 1):
        ended = conn.execute(
            "select task_id, attempt from tenuto.complete_and_claim(%s, %s, %s, %s, %s::jsonb[], %s, %s, %s)",
            (*session, [task for task, _ in ended], [attempt for _, attempt in ended], ["1"] * len(ended), claim,
             route[0], LAYER),
        ).fetchall()  # fmt: skip
    return str(row[0])


def p95(port: int, key: str, path: str) -> float:
    """Send requests one after the other; return the 95th percentile of their times in milliseconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times: list[float] = []
    for _ in range(REQUESTS):
        started = time.perf_counter()
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            raise RuntimeError(f"{path} returned {response.status}")
        times.append(1000 * (time.perf_counter() - started))
    connection.close()
    counted = sorted(times[10:])
    return round(counted[int(0.95 * len(counted))], 1)


if __name__ == "__main__":
    main()
