"""Measures every API call behind a page of the dashboard: `python -m bench.pages [--quick] [--json] [--save]
[--finished N] [--open N]`. Each figure is the 95th percentile of one client's requests, in milliseconds."""

import argparse
import http.client
import json
import time
from urllib.parse import quote

import psycopg

from bench.history import add_history
from bench.http import ORG, create_key, server
from bench.program import own_server, report
from bench.record import facts

GRAPH = 1000  # tasks of the run whose graph is read
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
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results/")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    with own_server() as (url, _):
        result = measure(url, finished=options.finished // share, open_tasks=options.open // share)
    report("pages", result, options)


def measure(url: str, *, finished: int, open_tasks: int) -> dict[str, object]:
    """Fill a database, and read every page from it."""
    run_id, task_id = fill(url, finished, open_tasks)
    key = create_key(url)
    with server("ours", url) as port:
        figures = {path: p95(port, key, path.format(run=run_id, task=task_id)) for path in PATHS}
    return {
        **facts(url),
        "finished_tasks": finished,
        "open_tasks": open_tasks,
        "graph": GRAPH,
        "p95_ms": figures,
        "over_limit": sorted(path for path, figure in figures.items() if figure > LIMIT_MS),
    }


def fill(url: str, finished: int, open_tasks: int) -> tuple[str, str]:
    """Create the rows; returns a run with a large graph and an open task."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("select from tenuto.register_worker(%s, 'bench')", (ORG,))
        first = _start(conn, 1)
        while open_tasks > 0:
            _start(conn, min(open_tasks, PIECE))
            open_tasks -= PIECE
        row = conn.execute(
            "select run_id from tenuto.start_run(%s, p_run => %s, p_kinds => %s, p_inputs => %s::jsonb[])",
            (ORG, '{"name": "graph"}', '[{"type": "bench.node"}]', [json.dumps([no]) for no in range(GRAPH)]),
        ).fetchone()
    assert row is not None
    if finished > 0:
        add_history(url, finished)
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("select tenuto.roll_up_activity()")
        conn.execute("vacuum analyze")
    return str(row[0]), first


def _start(conn: psycopg.Connection, count: int) -> str:
    row = conn.execute(
        "select run_id from tenuto.start_many(%s, %s, %s::jsonb[]) limit 1",
        (ORG, '[{"type": "bench.noop"}]', ["[1]"] * count),
    ).fetchone()
    assert row is not None
    return str(row[0])


def p95(port: int, key: str, path: str) -> float:
    """Return the 95th percentile of the times of one request after the other, in milliseconds."""
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
