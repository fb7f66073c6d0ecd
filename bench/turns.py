"""Compares the server CPU of the SQL functions of two checkouts: `python bench/turns.py OTHER_CHECKOUT [--rounds N]`.

Both run in turns, each with its own server and .venv, so that other load on the machine meets both.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # the checkout that this process measures; bench/http.py would hide the standard library's
    sys.path[0] = str(Path.cwd() if "--serve" in sys.argv else Path(__file__).parents[1])

import argparse
import json
import statistics
import subprocess
from collections.abc import Callable
from typing import Any

import psycopg

from bench import kernel_calls, scenarios
from bench.program import own_server

TASKS = 5_000
LIMITED = json.dumps([{"task": n, "limits": [{"scope": "key", "key": "k", "size": 10}]} for n in range(500)])


class Meter:
    """Adds up the CPU time of the server's backends while it is on; each counts when its connection is closed."""

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
        scenarios._start_chains(conn, 500)
    return 1_500


def start_limited(url: str) -> int:
    with kernel_calls.connect(url) as conn:
        conn.execute(
            'select from tenuto.start_many(%s, \'[{"type": "bench.noop"}]\', %s::jsonb[], p_details => %s)',
            (kernel_calls.ORG, [None] * 500, LIMITED),
        )
    return 500


def serve() -> None:
    """Measure the scenario named on each line of stdin and print microseconds per task."""
    meter = Meter()
    with own_server() as (url, _):
        ours = kernel_calls
        work: dict[str, Callable[[], int]] = {
            "start 1": lambda: start(url, ours.enqueue_runs_of_one, tasks=300, batch=1),
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
        }
        print(json.dumps(list(work)), flush=True)
        for line in sys.stdin:
            name = line.strip()
            print(meter.read(work[name]), flush=True)
            with psycopg.connect(url, autocommit=True) as conn:
                conn.execute("select tenuto.move_floors()")
                conn.execute("select tenuto.fold_runs()")
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


def compare(other: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Return for each scenario the least microseconds per task of both checkouts (other load can only add to them),
    their ratio, and the median of the ratios of all rounds. Above 1, this checkout is faster."""
    before, after = Checkout(other.resolve()), Checkout(Path(__file__).parents[1])
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in after.scenarios}
    for no in range(rounds + 1):
        for name, pairs in figures.items():
            if no % 2:
                old, new = before.measure(name), after.measure(name)
            else:
                new, old = after.measure(name), before.measure(name)
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the checkout to compare with")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args()
    print(json.dumps(compare(options.other, options.rounds), indent=None if options.json else 2))


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
