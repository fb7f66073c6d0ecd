"""Measures the cost of idle workers of other queues: `python bench/idle.py [--quick]`.

One worker runs a graph at a fixed rate. The idle workers serve another queue; each has its loops, its listener and a
poll every 2 s. Figures are milliseconds of CPU per second used by the processes of Postgres.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root, as bench/kernel.py does
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
                    time.sleep(10)  # until all have connected and made their first queries
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
    """Run a worker that completes and claims at a fixed rate, and reports runs whose tasks it has completed, as real
    workers do."""
    stop = threading.Event()
    thread = threading.Thread(target=_work, args=[url, stop])
    thread.start()
    yield
    stop.set()
    thread.join()


def _work(url: str, stop: threading.Event) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        claims = _connect_worker(url, conn, "busy", "a")
        lines = [f'{{"type": "bench.{name}", "queue": "a"}}' for name in ("one", "two")]
        claims.serve(claims.session_id, claims.token, _routes(conn, claims.session_id, "a"))
        done: list[claim_connection.Row] = []
        claim_no = 0
        while not stop.wait(1 / TRIPS_PER_SECOND):
            claim_no += 1
            done = claims.exchange([row[1] for row in done], [row[2] for row in done], None, claim_no=claim_no, limit=5)
            if not done:
                _start_graph(conn, lines)
                claims.serve(claims.session_id, claims.token, _routes(conn, claims.session_id, "a"))
            elif claim_no % 2:
                claims.fold_and_wake_runs({row[3] for row in done})
        claims.close()


def _start_graph(conn: psycopg.Connection, kinds: list[str]) -> None:
    """Start 500 tasks, and 500 more tasks that each wait for one of the first 500."""
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
        threading.Thread(target=_listen, args=[_connect_worker(url, conn, f"idle{no}", "b"), stop])
        for no in range(count)
    ]
    threads.append(threading.Thread(target=lambda: asyncio.run(_dispatch(url, count, stop))))
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join()


def _listen(claims: claim_connection.ClaimConnection, stop: threading.Event) -> None:
    """Claim after a wake-up for the worker's queue or for all queues, otherwise every two seconds."""
    heard: list[str] = []
    claims.listen(heard.append)
    claim_no, claimed_at = 0, time.monotonic()
    while not stop.is_set():
        if select.select([claims.fileno()], [], [], 0.1)[0]:
            claims.hear()
        if {"b", "*"} & set(heard) or time.monotonic() - claimed_at > POLL:
            claim_no, claimed_at = claim_no + 1, time.monotonic()
            claims.exchange([], [], None, claim_no=claim_no, limit=100)
        heard.clear()
    claims.close()


async def _dispatch(url: str, count: int, stop: threading.Event) -> None:
    stop_requested = asyncio.Event()
    dispatchers = [asyncio.create_task(dispatch(url, role=None, stop=stop_requested)) for _ in range(count + 1)]
    await asyncio.to_thread(stop.wait)
    stop_requested.set()
    await asyncio.gather(*dispatchers)


def _connect_worker(url: str, conn: psycopg.Connection, name: str, queue: str) -> claim_connection.ClaimConnection:
    row = conn.execute("select session_id, token from tenuto.register_worker(%s, %s)", [ORG, name]).fetchone()
    session_id, token = row or (0, "")
    return claim_connection.open_claim_connection(url, session_id, str(token), _routes(conn, session_id, queue))


def _routes(conn: psycopg.Connection, session_id: int, queue: str) -> list[int]:
    query = "select route_id from tenuto.resolve_routes(%s, %s, %s)"
    return [route for (route,) in conn.execute(query, [session_id, [queue], ["bench.one", "bench.two"]])]


if __name__ == "__main__":
    main()
