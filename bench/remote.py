"""Compares how fast an HTTP worker and a worker with a database login run no-op tasks: `python -m bench.remote
[--quick] [--save]`."""

import base64
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.program import own_server, read_options, report, wait_for
from bench.record import facts
from tenuto.db.connection.call import call_sync
from tenuto.model.keys import WORKER, key_hash, make_key, read_peppers

ORG = "00000000-0000-7000-8000-000000000001"
TENUTO = Path(sys.executable).with_name("tenuto")
TARGET = "tenuto.cli.commands.bench_app:app"
KIND = '[{"type": "tenuto_bench.nothing", "queue": "tenuto-bench"}]'
PEPPER = base64.b64encode(b"b" * 32).decode()
ENDED = "select count(*) from tenuto.task_attempts where end_no = 0"


def main() -> None:
    options = read_options(__doc__, quick="fewer tasks, one repetition")
    tasks, rounds = (20_000, 1) if options.quick else (60_000, 3)
    with own_server() as (url, home):
        result = measure(url, home, tasks=tasks, rounds=rounds)
    report("remote", result, options)


def measure(url: str, home: Path, *, tasks: int, rounds: int) -> dict[str, object]:
    """Return the tasks/s of both workers, which take turns; the ratio is the median over the rounds."""
    key, port = _make_key(url), _free_port()
    direct = {"TENUTO_DATABASE_URL": url, "TENUTO_HOME": str(home / "objects")}
    remote = {"TENUTO_URL": f"http://127.0.0.1:{port}", "TENUTO_WORKER_KEY": key, "TENUTO_HOME": str(home / "objects")}
    rates = []
    for _ in range(rounds):
        alone = _drain(url, tasks, direct)
        with _running("server", "--port", str(port), **direct, TENUTO_PEPPER=PEPPER), _running("dispatcher", **direct):
            wait_for(f"http://127.0.0.1:{port}/healthz")
            rates.append((alone, _drain(url, tasks, remote)))
    return {
        **facts(url),
        "tasks": tasks,
        "repetitions": rounds,
        "drain_vs_direct": round(statistics.median(far / near for near, far in rates), 3),
        "direct_per_s": round(statistics.median(near for near, _ in rates)),
        "remote_per_s": round(statistics.median(far for _, far in rates)),
    }


def _drain(url: str, tasks: int, environment: dict[str, str]) -> float:
    """Return tasks/s from the first ended task that is seen until all tasks have ended, so that start-up does not
    count."""
    with psycopg.connect(url, autocommit=True) as conn:
        before = _count(conn)
        inputs = "{" + ",".join(f'"[{no}]"' for no in range(tasks)) + "}"
        conn.execute("select count(*) from tenuto.start_many(%s, %s, %s)", (ORG, KIND, inputs))
        conn.execute("vacuum analyze")
        conn.execute("checkpoint")
        with _running("worker", TARGET, **environment):
            while (first := _count(conn) - before) == 0:
                time.sleep(0.01)
            began = time.perf_counter()
            while _count(conn) - before < tasks:
                time.sleep(0.02)
            return (tasks - first) / (time.perf_counter() - began)


def _count(conn: psycopg.Connection) -> int:
    row = conn.execute(ENDED).fetchone()
    assert row is not None
    return row[0]


@contextmanager
def _running(*arguments: str, **environment: str) -> Iterator[None]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    process = subprocess.Popen(
        [TENUTO, *arguments], env={**clean, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _make_key(url: str) -> str:
    key = make_key(WORKER, "live")
    made = {"name": "bench", "queues": ["*"], "created_by": "bench"}
    hashed = key_hash(read_peppers(PEPPER), key.text)
    with psycopg.connect(url, autocommit=True) as conn:
        call_sync(conn, "create_worker_key", org_id=ORG, key_id=key.key_id, hash=hashed, **made)
    return key.text


if __name__ == "__main__":
    main()
