"""Compares requests to the server with a bare route that runs one `select 1`: `python bench/http.py [--quick] [--json]
[--save]`."""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root: this file would hide the standard library's http
    sys.path[0] = str(Path(__file__).parents[1])

import json
import socket
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from bench.http_client import Ask, requests_per_second
from bench.http_server import PEPPERS
from bench.program import own_server, read_options, report, wait_for
from bench.record import facts
from tenuto.db.connection.call import call_sync
from tenuto.model.keys import API, key_hash, make_key

ORG = "00000000-0000-7000-8000-000000000001"
REPETITIONS = 5
BULK = 10_000


def main() -> None:
    options = read_options(__doc__, quick="fewer requests")
    with own_server() as (url, _):
        result = measure(url, count=800 if options.quick else 4000)
    report("http", result, options)


def measure(url: str, *, count: int) -> dict[str, object]:
    """Measure requests/s. Two servers, which differ only in the application, take turns; each figure is a median."""
    key = create_key(url)
    start = json.dumps({"type": "bench.noop", "input": [1]}).encode()
    bulk = json.dumps([{"type": "bench.noop", "input": [no]} for no in range(BULK)]).encode()
    with server("bare", url) as bare, server("ours", url) as ours:
        asks = {
            "bare": (bare, Ask("GET", "/one"), count),
            "get": (ours, Ask("GET", f"/v1/tasks/{_start_one(url)}", key), count),
            "start": (ours, Ask("POST", "/v1/runs", key, start), count // 2),
        }
        for port, ask, _ in asks.values():
            requests_per_second(port, ask, 200)  # warm up: open every pool connection and plan every statement
        rounds = [
            {name: requests_per_second(port, ask, many) for name, (port, ask, many) in asks.items()}
            for _ in range(REPETITIONS)
        ]
        seconds = [1 / requests_per_second(ours, Ask("POST", "/v1/runs/bulk", key, bulk), 1, 1) for _ in range(3)]
    rates = {f"{name}_per_s": round(statistics.median(figures[name] for figures in rounds)) for name in asks}
    ratios = {
        f"{name}_vs_bare": _median([figures[name] / figures["bare"] for figures in rounds]) for name in ("get", "start")
    }
    return {
        **facts(url),
        "repetitions": REPETITIONS,
        **ratios,
        **rates,
        "bulk_of_10000_seconds": _median(seconds),
    }


def _median(values: list[float]) -> float:
    return round(statistics.median(values), 3)


def create_key(url: str) -> str:
    key = make_key(API, "live")
    made = {"name": "bench", "permissions": ["*"], "created_by": "bench"}
    with psycopg.connect(url, autocommit=True) as conn:
        call_sync(conn, "create_api_key", org_id=ORG, key_id=key.key_id, hash=key_hash(PEPPERS, key.text), **made)
    return key.text


def _start_one(url: str) -> str:
    with psycopg.connect(url, autocommit=True) as conn:
        row = conn.execute(
            "select run_id from tenuto.start_many(%s, %s, array[%s]::jsonb[])", (ORG, '[{"type": "bench.noop"}]', "[1]")
        ).fetchone()
    assert row is not None
    return str(row[0])


@contextmanager
def server(which: str, url: str) -> Iterator[int]:
    """Start a server and yield its port once it responds."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(100)
        listener.set_inheritable(True)
        port: int = listener.getsockname()[1]
        command = [sys.executable, "-m", "bench.http_server", which, str(listener.fileno()), url]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], cwd=Path(__file__).parents[1])
        try:
            wait_for(f"http://127.0.0.1:{port}/{'one' if which == 'bare' else 'healthz'}")
            yield port
        finally:
            process.terminate()
            process.wait(30)


if __name__ == "__main__":
    main()
