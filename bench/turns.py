"""Compares the CPU time of two checkouts: `python bench/turns.py OTHER_CHECKOUT [--rounds N] [--save]`.

For SQL functions, the figure is the CPU time of the backends that run them; each measurement uses a new connection. For
the worker and the HTTP server, it is the CPU time of their processes and of Postgres. Both checkouts run in turns, each
with its own server and .venv, so that other load on the machine affects both alike.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the measured checkout: bench/http.py would hide the standard library's http
    sys.path[0] = str(Path.cwd() if "--serve" in sys.argv else Path(__file__).parents[1])

import argparse
import datetime
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any

import psutil
import psycopg

from bench import http, kernel_calls, scenarios
from bench.http_client import Ask, requests_per_second
from bench.program import own_server, report

# So many that the cost of preparing the functions on a new connection adds little; the scenario "one task on new
# connections" measures this cost.
TASKS = 45_000
CHAINS = 5_000
LIMITED_TASKS = 5_000
NEW_CONNECTIONS = 20
WORKER_TASKS = 60_000
MANY_WORKER_TASKS = 300_000  # with WORKER_TASKS, separates the cost per worker from the cost per task
WORKER_APP = """from tenuto import App
app = App("turns")
@app.task(queue="turns")
async def nothing() -> None: ...
"""
OPEN = """
select count(*)
from (select route_id from tenuto.ready_tasks union all select route_id from tenuto.running_tasks) t
join tenuto.routes r on r.id = t.route_id
where r.queue = 'turns'
"""
UPKEEP = ("seal_audit", "roll_up_activity")  # functions that other checkouts may not have
LIMITED = json.dumps([{"task": n, "limits": [{"scope": "key", "key": "k", "size": 10}]} for n in range(500)])


class Meter:
    """Adds up the CPU time of the server's backends. The time of a backend is added when its connection is closed."""

    def __init__(self) -> None:
        self.seconds = 0.0
        close = psycopg.Connection.close

        def read_and_close(conn: psycopg.Connection) -> None:
            if not conn.closed:
                times = Path(f"/proc/{conn.info.backend_pid}/schedstat")
                self.seconds += int(times.read_text().split()[0]) / 1e9
            close(conn)

        psycopg.Connection.close = read_and_close

    def read(self, work: Callable[[], int]) -> float:
        """Return the microseconds per task of work that returns its number of tasks."""
        self.seconds = 0.0
        tasks = work()
        return self.seconds / tasks * 1e6


def start(url: str, function: Callable[[psycopg.Connection, int], None], *, tasks: int, batch: int) -> int:
    with kernel_calls.connect(url) as conn:
        for _ in range(tasks // batch):
            function(conn, batch)
    return tasks


def start_chains(url: str) -> int:
    with kernel_calls.connect(url) as conn:
        scenarios._start_chains(conn, CHAINS)
    return 3 * CHAINS


def start_limited(url: str) -> int:
    with kernel_calls.connect(url) as conn:
        for _ in range(LIMITED_TASKS // 500):
            conn.execute(
                'select from tenuto.start_many(%s, \'[{"type": "bench.noop"}]\', %s::jsonb[], p_details => %s)',
                (kernel_calls.ORG, [None] * 500, LIMITED),
            )
    return LIMITED_TASKS


def use_new_connections(url: str) -> int:
    """Start a task, register a worker, claim and complete, each on a new connection."""
    for _ in range(NEW_CONNECTIONS):
        start(url, kernel_calls.enqueue_runs_of_one, tasks=1, batch=1)
        kernel_calls.drain(url, 1)
    return NEW_CONNECTIONS


class Processes:
    """Reads the CPU time of Postgres and of the processes that this one started, with their ended children."""

    def __init__(self, url: str) -> None:
        with psycopg.connect(url) as conn:
            postmaster = psutil.Process(conn.info.backend_pid).parent()
        assert postmaster
        self._roots = [psutil.Process(), postmaster]

    def seconds(self, *, without: int | None = None) -> float:
        """Return the CPU time so far, without that of one process."""
        trees = [child for root in self._roots for child in root.children(recursive=True)]
        seconds = 0.0
        for process in {*trees, self._roots[1]}:
            with suppress(psutil.NoSuchProcess):  # it has ended: the figures of its parent include it
                seconds += sum(process.cpu_times()[:4]) if process.pid != without else 0.0
        return seconds

    def measure_requests(self, port: int, ask: Ask, count: int) -> float:
        before = self.seconds()
        requests_per_second(port, ask, count)
        return (self.seconds() - before) / count * 1e6

    def measure_worker(self, url: str, home: Path, tasks: int) -> float:
        """Return the microseconds per task of a worker, from its start to the end of its last task."""
        (home / "turns_app.py").write_text(WORKER_APP)
        start(url, enqueue_for_worker, tasks=tasks, batch=1000)
        command = [Path(sys.executable).with_name("tenuto"), "worker", "turns_app:app"]
        environment = {**os.environ, "TENUTO_DATABASE_URL": url, "TENUTO_HOME": str(home), "PYTHONPATH": str(home)}
        with psycopg.connect(url, autocommit=True) as conn:
            counting = conn.info.backend_pid
            before = self.seconds(without=counting)
            worker = subprocess.Popen(
                command, env=environment, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                while conn.execute(OPEN).fetchone() != (0,):
                    time.sleep(0.1)
                after = self.seconds(without=counting)
            finally:
                worker.terminate()
                worker.wait()
        return (after - before) / tasks * 1e6


def enqueue_for_worker(conn: psycopg.Connection, count: int) -> None:
    kinds = '[{"type": "turns.nothing", "queue": "turns"}]'
    conn.execute("select from tenuto.start_many(%s, %s, %s::jsonb[])", (kernel_calls.ORG, kinds, ["[]"] * count))


def serve() -> None:
    """Read the name of a scenario from each line of stdin, measure it and print microseconds per task."""
    meter = Meter()
    with ExitStack() as stack:
        url, home = stack.enter_context(own_server())
        processes, key = Processes(url), http.create_key(url)
        port = stack.enter_context(http.server("ours", url))
        get = Ask("GET", f"/v1/tasks/{http._start_one(url)}", key)
        post = Ask("POST", "/v1/runs", key, b'{"type": "bench.noop", "input": [1]}')
        ours = kernel_calls
        measured: dict[str, Callable[[], float]] = {
            "worker of 60000": lambda: processes.measure_worker(url, home, WORKER_TASKS),
            "worker of 300000": lambda: processes.measure_worker(url, home, MANY_WORKER_TASKS),
            "HTTP get": lambda: processes.measure_requests(port, get, 2_000),
            "HTTP start": lambda: processes.measure_requests(port, post, 2_000),
        }
        work: dict[str, Callable[[], int]] = {
            "start 1": lambda: start(url, ours.enqueue_runs_of_one, tasks=2_000, batch=1),
            "claim and complete 1": lambda: ours.drain(url, 1),
            "start 1000 runs": lambda: start(url, ours.enqueue_runs_of_one, tasks=TASKS, batch=1000),
            "claim and complete 500 runs": lambda: ours.drain(url, 500),
            "start a run of 1000": lambda: start(url, ours.enqueue_one_run, tasks=TASKS, batch=1000),
            "claim and complete 500 of a run": lambda: ours.drain(url, 500),
            "start 1000 with dedupe keys": lambda: start(url, ours.enqueue_with_keys, tasks=TASKS, batch=1000),
            "claim and complete 500 with dedupe keys": lambda: ours.drain(url, 500),
            "start chains of 3": lambda: start_chains(url),
            "claim and complete chains of 3": lambda: ours.drain(url, 500),
            "start 500 with a limit of 10": lambda: start_limited(url),
            "claim and complete with a limit of 10": lambda: ours.drain(url, 10),
            "one task on new connections": lambda: use_new_connections(url),
        }
        print(json.dumps([*work, *measured]), flush=True)
        for line in sys.stdin:
            name = line.strip()
            print(measured[name]() if name in measured else meter.read(work[name]), flush=True)
            with psycopg.connect(url, autocommit=True) as conn:
                conn.execute("select tenuto.move_floors()")
                conn.execute("select tenuto.fold_runs()")
                for upkeep in UPKEEP:  # or the next worker would do it
                    if conn.execute("select to_regproc(%s)", [f"tenuto.{upkeep}"]).fetchone() != (None,):
                        conn.execute(f"select tenuto.{upkeep}(1000000)".encode())
                for table in kernel_calls.VACUUM[:3]:
                    conn.execute(f"vacuum {table}")


class Checkout:
    """A process that measures the code of one checkout."""

    def __init__(self, folder: Path) -> None:
        command = [folder / ".venv" / "bin" / "python", Path(__file__).resolve(), "--serve"]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.scenarios: list[str] = self._read()

    def measure(self, scenario: str) -> float:
        assert self._process.stdin
        self._process.stdin.write(scenario + "\n")
        return self._read()

    def _read(self) -> Any:
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def stop(self) -> None:
        self._process.communicate()


def compare(other: Path, rounds: int, only: list[str]) -> dict[str, dict[str, float]]:
    """Return for each scenario the least microseconds per task of both checkouts (other load can only add to them),
    their ratio, and the median of the ratios of all rounds. Above 1, this checkout is faster."""
    before, after = Checkout(other.resolve()), Checkout(Path(__file__).parents[1])
    figures: dict[str, list[tuple[float, float]]] = {
        name: [] for name in after.scenarios if not only or any(text in name for text in only)
    }
    for no in range(rounds + 1):
        for name, pairs in figures.items():
            if no % 2:
                old, new = before.measure(name), after.measure(name)
            else:
                new, old = after.measure(name), before.measure(name)
            print(f"round {no}, {name}: {old:.2f} {new:.2f}", file=sys.stderr)
            if no:  # the first round warms caches and plans
                pairs.append((old, new))
    before.stop()
    after.stop()
    return {
        name: {
            "before": round(min(old for old, _ in pairs), 2),
            "after": round(min(new for _, new in pairs), 2),
            "ratio": round(min(old for old, _ in pairs) / min(new for _, new in pairs), 3),
            "median_ratio": round(statistics.median(old / new for old, new in pairs), 3),
        }
        for name, pairs in figures.items()
    }


def main() -> None:
    from bench.record import commit  # not at the top: another checkout, which runs serve(), may not have it

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the checkout to compare with")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="TEXT", help="scenarios whose name contains one of these"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results/; replaces all of it")
    options = parser.parse_args()
    result: dict[str, object] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "before": commit(options.other),
        "after": commit(Path(__file__).parent),
        "load": [round(load, 1) for load in os.getloadavg()],
        "rounds": options.rounds,
        "unit": "microseconds of CPU per task or request; ratio = before / after",
        **compare(options.other, options.rounds, options.only),
    }
    report("turns", result, options)


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
