"""The scenarios. Each returns its figures; both sides of a ratio are measured one right after the other."""

import json
import statistics
import threading
import time
from collections.abc import Callable

import psycopg

from bench import kernel_calls as ours
from bench import limit
from bench.history import add_history, sibling

BATCH = 500
LANES = 2
Figures = dict[str, float]


def enqueue(url: str, *, quick: bool) -> Figures:
    """Compare the bare insert of batches of 1,000 with one run per batch, runs of one task, and runs with dedupe
    keys."""
    batches = 20 if quick else 50
    with psycopg.connect(url, autocommit=True) as conn:
        limit.create(conn)
    with limit.connect(url) as bare, ours.connect(url) as conn:
        rates = _rates(
            batches,
            {
                "bare_enqueue_per_s": lambda: limit.enqueue(bare, 1000),
                "one_run_enqueue_per_s": lambda: ours.enqueue_one_run(conn, 1000),
                "runs_of_one_enqueue_per_s": lambda: ours.enqueue_runs_of_one(conn, 1000),
                "dedupe_enqueue_per_s": lambda: ours.enqueue_with_keys(conn, 1000),
            },
        )
    bare_rate = rates["bare_enqueue_per_s"]
    drain_all(url)
    return rates | {
        "enqueue_ratio": rates["one_run_enqueue_per_s"] / bare_rate,
        "enqueue_runs_of_one_ratio": rates["runs_of_one_enqueue_per_s"] / bare_rate,
        "enqueue_dedupe_ratio": rates["dedupe_enqueue_per_s"] / bare_rate,
    }


def claim_complete(url: str, *, quick: bool) -> Figures:
    """Compare the bare statement with complete_and_claim, in batches of 500 with two claimers."""
    count = 60_000 if quick else 150_000
    with psycopg.connect(url, autocommit=True) as conn:
        limit.create(conn)
        for _ in range(count // 1000):
            limit.enqueue(conn, 1000)
    _settle(url)
    bare = _drain_rate(url, lambda: limit.drain(url, BATCH))
    fill_run(url, count)
    kernel = _drain_rate(url, lambda: ours.drain(url, BATCH))
    return {"bare_drain_per_s": bare, "kernel_drain_per_s": kernel, "claim_complete_ratio": kernel / bare}


def one_run(url: str, *, quick: bool) -> Figures:
    """Compare one run of 100,000 tasks with 100,000 runs of one task."""
    del quick
    fill_runs_of_one(url, 100_000)
    many = _drain_rate(url, lambda: ours.drain(url, BATCH))
    fill_run(url, 100_000)
    single = _drain_rate(url, lambda: ours.drain(url, BATCH))
    return {"runs_of_one_drain_per_s": many, "one_run_drain_per_s": single, "one_run_ratio": single / many}


def graphs(url: str, *, quick: bool) -> Figures:
    """Measure chains of three tasks, and fans of a thousand tasks with one task before and one after them."""
    chains = 4_000 if quick else 15_000
    with ours.connect(url) as conn:
        _start_chains(conn, chains)
        _settle(url)
        chain = _drain_rate(url, lambda: ours.drain(url, BATCH, until=_nothing_open(url)))
        for _ in range(10):
            _start_fan(conn, 1000)
        _settle(url)
        fan = _drain_rate(url, lambda: ours.drain(url, BATCH, until=_nothing_open(url)))
    return {"chain_tasks_per_s": chain, "fan_tasks_per_s": fan}


def held_xmin(url: str, *, quick: bool) -> Figures:
    """Compare the last tenth of 400,000 tasks with the first tenth, while a transaction holds back vacuum."""
    del quick
    count = 400_000
    fill_runs_of_one(url, count)
    marks: list[tuple[float, int]] = []
    lock = threading.Lock()

    def mark(done: int) -> None:
        with lock:
            marks.append((time.perf_counter(), done))

    with psycopg.connect(url) as holder:
        holder.execute("set transaction isolation level repeatable read")
        holder.execute("select count(*) from tenuto.orgs")
        holder.execute("create temporary table holds_an_xid (n int)")
        mark(0)
        _drain_rate(url, lambda: ours.drain(url, BATCH, mark=mark))
        holder.rollback()
    first, last = _tenths(marks, count)
    return {"xmin_first_tenth_per_s": first, "xmin_last_tenth_per_s": last, "xmin_ratio": last / first}


def history(url: str, *, quick: bool) -> Figures:
    """Compare a database that keeps ten million finished tasks (one million with --quick) with an empty database.

    Half of the finished tasks are in the week in which new tasks are written. The two databases, of one server, take
    turns, so that other load affects both alike.
    """
    rows = 1_000_000 if quick else 10_000_000
    empty, full = sibling(url, "empty"), sibling(url, "full")
    add_history(full, rows)
    rates: dict[str, list[float]] = {empty: [], full: []}
    for _ in range(5):
        for database, samples in rates.items():
            fill_runs_of_one(database, 40_000)
            samples.append(_drain_rate(database, lambda database=database: ours.drain(database, BATCH)))
    before, after = statistics.median(rates[empty]), statistics.median(rates[full])
    return {
        "history_rows": rows,
        "empty_drain_per_s": before,
        "history_drain_per_s": after,
        "history_ratio": after / before,
    }


def _rates(batches: int, calls: dict[str, Callable[[], None]]) -> Figures:
    """Return tasks/s of each call for a batch of 1,000. The calls take turns, so that other load affects all of them
    alike."""
    took = dict.fromkeys(calls, 0.0)
    for _ in range(batches):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            took[name] += time.perf_counter() - started
    return {name: batches * 1000 / seconds for name, seconds in took.items()}


def _drain_rate(url: str, drain: Callable[[], int]) -> float:
    """Return tasks/s of all claimers together, with the work of a dispatcher running."""
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(drain())) for _ in range(LANES)]
    with ours.upkeep(url):
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - started
    return sum(counts) / took


def fill_runs_of_one(url: str, count: int) -> None:
    with ours.connect(url) as conn:
        for _ in range(count // 1000):
            ours.enqueue_runs_of_one(conn, 1000)
    _settle(url)


def fill_run(url: str, count: int) -> None:
    """Start runs with `count` tasks in total; 100,000 is the maximum per call."""
    with ours.connect(url) as conn:
        for size in [100_000] * (count // 100_000) + [count % 100_000] * bool(count % 100_000):
            ours.enqueue_one_run(conn, size)
    _settle(url)


def drain_all(url: str) -> None:
    _drain_rate(url, lambda: ours.drain(url, BATCH))


def _settle(url: str) -> None:
    """Give both sides the same starting point: no dirty pages, no dead rows, fresh statistics."""
    with psycopg.connect(url, autocommit=True) as conn:
        for table in ours.VACUUM:
            conn.execute(f"vacuum analyze {table}")
        conn.execute("checkpoint")


def _start_chains(conn: psycopg.Connection, chains: int) -> None:
    edges = json.dumps([{"from": 0, "to": 1}, {"from": 1, "to": 2}])
    with conn.transaction():
        for _ in range(chains):
            conn.execute(
                "select tenuto.start_run(%s, '{}', %s, array['1', '2', '3']::jsonb[], p_edges => %s, p_wake => false)",
                (ours.ORG, ours.KIND, edges),
            )


def _start_fan(conn: psycopg.Connection, width: int) -> None:
    edges = [{"from": 0, "to": n} for n in range(1, width + 1)] + [
        {"from": n, "to": width + 1} for n in range(1, width + 1)
    ]
    conn.execute(
        "select tenuto.start_run(%s, '{}', %s, array_fill('1'::jsonb, array[%s]), p_edges => %s, p_wake => false)",
        (ours.ORG, ours.KIND, width + 2, json.dumps(edges)),
    )


def _nothing_open(url: str) -> Callable[[], bool]:
    def done() -> bool:
        with psycopg.connect(url, autocommit=True) as conn:
            row = conn.execute(
                "select not exists (select from tenuto.pending_tasks) and not exists (select from tenuto.ready_tasks)"
            ).fetchone()
            return bool(row and row[0])

    return done


def _tenths(marks: list[tuple[float, int]], count: int) -> tuple[float, float]:
    """Return the rates of the first and the last tenth of the tasks."""
    times: list[tuple[float, int]] = []
    total = 0
    for at, done in sorted(marks):
        total += done
        times.append((at, total))
    start = times[0][0]
    first = next(at for at, n in times if n >= count / 10)
    ninth = next(at for at, n in times if n >= count * 9 / 10)
    last = next(at for at, n in times if n >= count)
    return count / 10 / (first - start), count / 10 / (last - ninth)


ALL = (history, enqueue, claim_complete, one_run, graphs, held_xmin)
ONCE = (history,)
