"""Measures soft placement on two addresses: `python -m bench.placement [--quick] [--save]`.

Two workers, at node-1 and node-2, and a dispatcher run tasks of 50 ms whose input object is at node-1. Figures: the
share of tasks that ran at node-1, while its worker has free slots and while it is full, and how long tasks waited.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

from bench.program import own_server, read_options, report
from bench.record import facts

ORG = "00000000-0000-7000-8000-000000000001"
TENUTO = Path(sys.executable).with_name("tenuto")
APP = """import asyncio
from tenuto import App, DataObject
app = App("placed")
@app.task
async def work(data: DataObject) -> None:
    await asyncio.sleep(0.05)
"""
SLOTS = 10  # of each worker
ALIVE = "select count(*) from tenuto.workers where status = 'active'"
ENDED = "select count(*) from tenuto.task_attempts where end_no = 0"
RESULT = """
select count(*) filter (where w.address = 'node-1')::float8 / count(*),
       percentile_cont(0.5) within group (order by extract(epoch from a.started_at - t.created_at)),
       max(extract(epoch from a.started_at - t.created_at))
from tenuto.task_attempts a
join tenuto.tasks t on t.id = a.task_id
join tenuto.sessions s on s.id = a.session_id
join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id
where a.end_no = 0 and a.task_id = any (%s)
"""


def main() -> None:
    options = read_options(__doc__, quick="fewer tasks")
    with own_server() as (url, home), ExitStack() as stack:
        (home / "placed_app.py").write_text(APP)
        stack.enter_context(_running(url, home, "dispatcher"))
        for node in ("node-1", "node-2"):
            stack.enter_context(
                _running(url, home, "worker", "placed_app:app", "--address", node, "--concurrency", str(SLOTS))
            )
        with psycopg.connect(url, autocommit=True) as conn:
            _wait(conn, ALIVE, 2)
            result = {
                **facts(url),
                "with_room": _measure(conn, tasks=SLOTS),
                "node_1_full": _measure(conn, tasks=SLOTS * (40 if options.quick else 100)),
                "no_worker_there": _measure(conn, tasks=SLOTS, at="node-3"),
            }
    report("placement", result, options)


def _measure(conn: psycopg.Connection, *, tasks: int, at: str = "node-1") -> dict[str, float]:
    """Start tasks whose object is at one address; return the share of tasks that ran at node-1, and their seconds in
    the queue."""
    _start(conn, 1, at)  # creates the routes, which workers look up first
    before = _ended(conn)
    ids = _start(conn, tasks, at)
    _wait(conn, ENDED, before + tasks)
    row = conn.execute(RESULT, [ids]).fetchone()
    assert row is not None
    share, median, longest = (round(float(number), 3) for number in row)
    return {"tasks": tasks, "share_at_node_1": share, "median_s": median, "max_s": longest}


def _start(conn: psycopg.Connection, tasks: int, at: str) -> list[object]:
    row = conn.execute("select tenuto.put_object(%s, 'blob', 'x'::bytea)", [ORG]).fetchone()
    assert row is not None
    conn.execute("select tenuto.place_object(%s, %s, array[%s])", [ORG, row[0], at])
    details = [{"task": no, "slots": [{"object": str(row[0])}]} for no in range(tasks)]
    ended = _ended(conn)
    run = conn.execute(
        'select run_id from tenuto.start_run(%s, \'{"name": "placed"}\', \'[{"type": "placed.work"}]\','
        " %s::jsonb[], p_details => %s)",
        [ORG, ['[{"$slot": 0}]'] * tasks, json.dumps(details)],
    ).fetchone()
    assert run is not None
    if tasks == 1:
        _wait(conn, ENDED, ended + 1)
    return [id for (id,) in conn.execute("select id from tenuto._run_tasks(%s)", [run[0]])]


def _ended(conn: psycopg.Connection) -> int:
    row = conn.execute(ENDED).fetchone()
    assert row is not None
    return row[0]


def _wait(conn: psycopg.Connection, query: str, least: int) -> None:
    while True:
        row = conn.execute(query.encode()).fetchone()
        if row is not None and row[0] >= least:
            return
        time.sleep(0.02)


@contextmanager
def _running(url: str, home: Path, *arguments: str) -> Iterator[None]:
    environment = {**os.environ, "TENUTO_DATABASE_URL": url, "TENUTO_HOME": str(home), "PYTHONPATH": str(home)}
    process = subprocess.Popen(
        [TENUTO, *arguments], env=environment, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
