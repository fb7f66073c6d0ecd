"""What idle workers of other queues cost: `python bench/idle.py [--quick]`.

One worker runs a graph at a fixed rate; beside it are idle ones of another queue, each with its loops, its listener and
its poll every 2 s. Figures are milliseconds of CPU that the processes of Postgres use per second.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # from the folder above, as bench/kernel.py does
    sys.path[0] = str(Path(__file__).parents[1])

import asyncio
import select
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import psycopg

from bench.program import own_server, read_options, report
from bench.record import facts
from tenuto.db import embedded
from tenuto.db.connection import claim_connection
from tenuto.dispatcher.main import dispatch

ORG = "00000000-0000-7000-8000-000000000001"
SECONDS, TRIPS_PER_SECOND, POLL = 8.0, 40, 2.0


def main() -> None:
    options = read_options(__doc__, quick="with 0 and 10 idle workers instead of 0, 10 and 50")
    with own_server() as (url, home):
        postmaster = psutil.Process(embedded.start(home).pid)
        result: dict[str, object] = dict(facts(url))
        with psycopg.connect(url, autocommit=True) as conn:
            for idle in (0, 10) if options.quick else (0, 10, 50):
                with busy(url), idle_workers(url, conn, idle):
                    time.sleep(10)  # until all have connected and asked everything once
                    rounds = [cpu_per_second(postmaster) for _ in range(1 if options.quick else 3)]
                result[f"server_ms_per_s_{idle}_idle"] = round(statistics.median(rounds), 1)
    report("idle", result, options)


def cpu_per_second(postmaster: psutil.Process) -> float:
    before, began = _cpu(postmaster), time.monotonic()
    time.sleep(SECONDS)
    return 1000 * (_cpu(postmaster) - before) / (time.monotonic() - began)


def _cpu(postmaster: psutil.Process) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in postmaster.children())


@contextmanager
def busy(url: str) -> Iterator[None]:
    """A worker that completes and claims at a fixed rate, and nudges as real ones do."""
    stop = threading.Event()
    thread = threading.Thread(target=_work, args=[url, stop])
    thread.start()
    yield
    stop.set()
    thread.join()


def _work(url: str, stop: threading.Event) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        lane = _open_lane(url, conn, "busy", "a")
        lines = [f'{{"type": "bench.{name}", "queue": "a"}}' for name in ("one", "two")]
        lane.serve(lane.session_id, lane.token, _routes(conn, lane.session_id, "a"))
        done: list[claim_connection.Row] = []
        claim_no = 0
        while not stop.wait(1 / TRIPS_PER_SECOND):
            claim_no += 1
            done = lane.exchange([row[1] for row in done], [row[2] for row in done], None, claim_no=claim_no, limit=5)
            if not done:
                _start_graph(conn, lines)
                lane.serve(lane.session_id, lane.token, _routes(conn, lane.session_id, "a"))
            elif claim_no % 2:
                lane.nudge({row[3] for row in done})
        lane.close()


def _start_graph(conn: psycopg.Connection, kinds: list[str]) -> None:
    """500 tasks, and 500 more that wait for one of them each."""
    edges = ",".join(f'{{"from": {no}, "to": {no + 500}}}' for no in range(500))
    conn.execute(
        "select from tenuto.start_run(p_org_id => %s, p_run => '{}', p_kinds => %s::jsonb, "
        "p_inputs => array_fill('1'::jsonb, array[1000]), p_task_kinds => array_fill(0, array[1000]), "
        "p_edges => %s::jsonb)",
        [ORG, f"[{kinds[0]}]", f"[{edges}]"],
    )


@contextmanager
def idle_workers(url: str, conn: psycopg.Connection, count: int) -> Iterator[None]:
    stop = threading.Event()
    threads = [
        threading.Thread(target=_listen, args=[_open_lane(url, conn, f"idle{no}", "b"), stop]) for no in range(count)
    ]
    threads.append(threading.Thread(target=lambda: asyncio.run(_dispatch(url, count, stop))))
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join()


def _listen(lane: claim_connection.Lane, stop: threading.Event) -> None:
    """Asks when its queue is called, or everybody; else every two seconds."""
    heard: list[str] = []
    lane.listen(heard.append)
    claim_no, asked = 0, time.monotonic()
    while not stop.is_set():
        if select.select([lane.fileno()], [], [], 0.1)[0]:
            lane.hear()
        if {"b", "*"} & set(heard) or time.monotonic() - asked > POLL:
            claim_no, asked = claim_no + 1, time.monotonic()
            lane.exchange([], [], None, claim_no=claim_no, limit=100)
        heard.clear()
    lane.close()


async def _dispatch(url: str, count: int, stop: threading.Event) -> None:
    told = asyncio.Event()
    dispatchers = [asyncio.create_task(dispatch(url, role=None, stop=told)) for _ in range(count + 1)]
    await asyncio.to_thread(stop.wait)
    told.set()
    await asyncio.gather(*dispatchers)


def _open_lane(url: str, conn: psycopg.Connection, name: str, queue: str) -> claim_connection.Lane:
    row = conn.execute("select session_id, token from tenuto.register_worker(%s, %s)", [ORG, name]).fetchone()
    session_id, token = row or (0, "")
    return claim_connection.open_lane(url, session_id, str(token), _routes(conn, session_id, queue))


def _routes(conn: psycopg.Connection, session_id: int, queue: str) -> list[int]:
    query = "select route_id from tenuto.resolve_routes(%s, %s, %s)"
    return [route for (route,) in conn.execute(query, [session_id, [queue], ["bench.one", "bench.two"]])]


if __name__ == "__main__":
    main()
