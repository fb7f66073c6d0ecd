"""Times every monitoring view in a database of finished tasks: `python bench/views.py [--quick] [--home FOLDER]`.

Each view is read nine times on a new connection as tenuto_readonly. `first_ms` includes loading and planning. `cpu_ms`
is the CPU time of the server's process for one of the later readings, which other load on the machine does not change.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root: bench/http.py would hide the standard library's http
    sys.path[0] = str(Path(__file__).parents[1])

import argparse
import statistics
import time

import psutil
import psycopg
from psycopg import sql

from bench.history import add_week
from bench.program import kept_server, report
from bench.record import facts

TASKS, QUICK_TASKS = 10_000_000, 100_000
TIMES = 9
VIEWS = (
    "orchestrator_status", "active_workers_health", "recent_task_activity", "worker_performance",
    "task_queue_analysis", "table_sizes", "index_usage", "slow_queries", "pointer_history", "outbox_health",
)  # fmt: skip


def main() -> None:
    options = read_options()
    tasks = QUICK_TASKS if options.quick else TASKS
    with kept_server(options.home) as url:
        with psycopg.connect(url) as conn:
            is_filled = conn.execute("select from tenuto.rollups limit 1").fetchone() is not None
        if not is_filled:
            add_week(url, tasks)
        result: dict[str, object] = {**facts(url), "finished_tasks": tasks}
        for view in VIEWS:
            result[view] = measured = measure(url, view)
            print(view, measured, file=sys.stderr)
    report("views-quick" if options.quick else "views", result, options)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100,000 tasks instead of 10 million")
    parser.add_argument("--home", type=Path, help="keep the database in this folder, and use what is in it")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results/")
    return parser.parse_args()


def measure(url: str, view: str) -> dict[str, float | int]:
    """Return the milliseconds of the first and of the median reading, and how many rows there are."""
    statement = sql.SQL("select * from tenuto.{}").format(sql.Identifier(view))
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("select set_config('tenuto.org_id', (select id::text from tenuto.orgs limit 1), false)")
        conn.execute("set role tenuto_readonly")
        process = psutil.Process(conn.info.backend_pid)
        taken: list[float] = []
        computed = rows = 0
        for _ in range(TIMES):
            began = time.perf_counter()
            rows = len(conn.execute(statement).fetchall())
            taken.append((time.perf_counter() - began) * 1000)
            computed = computed or sum(process.cpu_times()[:2])  # after the first
        cpu = (sum(process.cpu_times()[:2]) - computed) * 1000 / (TIMES - 1)
    return {
        "first_ms": round(taken[0], 1), "median_ms": round(statistics.median(taken), 1), "cpu_ms": round(cpu, 1),
        "rows": rows,
    }  # fmt: skip


if __name__ == "__main__":
    main()
