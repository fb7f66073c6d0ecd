"""How fast a worker over HTTP drains no-ops beside a direct one: `python -m bench.remote [--quick] [--save]`."""

import argparse
import base64
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import psycopg

from bench.record import facts, save
from tenuto.db import embedded, install
from tenuto.db.call import call_sync
from tenuto.model.keys import WORKER, key_hash, make_key, read_peppers

ORG = "00000000-0000-7000-8000-000000000001"
TENUTO = Path(sys.executable).with_name("tenuto")
TARGET = "tenuto.cli.bench_app:app"
KIND = '[{"type": "tenuto_bench.nothing", "queue": "tenuto-bench"}]'
PEPPER = base64.b64encode(b"b" * 32).decode()
ENDED = "select count(*) from tenuto.task_attempts where end_no = 0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer tasks, one repetition")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results/")
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="tenuto-bench-"))
    try:
        with embedded.server(home) as url:
            install.migrate(url)
            result = measure(url, home, tasks=20_000 if options.quick else 60_000, rounds=1 if options.quick else 3)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    print(json.dumps(result, indent=None if options.json else 2))
    if options.save:
        save("remote", result)


def measure(url: str, home: Path, *, tasks: int, rounds: int) -> dict[str, object]:
    """Tasks a second of each, in turns; the ratio is the median of the rounds'."""
    key, port = _make_key(url), _free_port()
    direct = {"TENUTO_DATABASE_URL": url, "TENUTO_HOME": str(home / "objects")}
    remote = {"TENUTO_URL": f"http://127.0.0.1:{port}", "TENUTO_WORKER_KEY": key, "TENUTO_HOME": str(home / "objects")}
    found = []
    for _ in range(rounds):
        alone = _drain(url, tasks, direct)
        with _running("server", "--port", str(port), **direct, TENUTO_PEPPER=PEPPER), _running("dispatcher", **direct):
            _wait_for(f"http://127.0.0.1:{port}/healthz")
            found.append((alone, _drain(url, tasks, remote)))
    return {
        **facts(url),
        "tasks": tasks,
        "repetitions": rounds,
        "drain_vs_direct": round(statistics.median(far / near for near, far in found), 3),
        "direct_per_s": round(statistics.median(near for near, _ in found)),
        "remote_per_s": round(statistics.median(far for _, far in found)),
    }


def _drain(url: str, tasks: int, environment: dict[str, str]) -> float:
    """The clock runs from the first end that is seen until all have ended, so that start-up does not count."""
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
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _wait_for(address: str) -> None:
    for _ in range(300):
        try:
            with urlopen(address, timeout=5):  # noqa: S310 - our own address
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{address} does not answer")


def _make_key(url: str) -> str:
    key = make_key(WORKER, "live")
    made = {"name": "bench", "queues": ["*"], "created_by": "bench"}
    hashed = key_hash(read_peppers(PEPPER), key.text)
    with psycopg.connect(url, autocommit=True) as conn:
        call_sync(conn, "create_worker_key", org_id=ORG, key_id=key.key_id, hash=hashed, **made)
    return key.text


if __name__ == "__main__":
    main()
