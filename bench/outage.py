"""Measures how soon work continues after an outage, and how soon a new worker claims: `python bench/outage.py
[--quick]`.

Figures are seconds. `task` and `client` begin with the first connection that Postgres accepts. `task` ends when an
attempt starts; `client` ends when a start that an SDK client had been retrying returns. `worker` is the time from the
start of `tenuto worker` to the start of an attempt. `server_away` is measured with a worker over HTTP whose server was
killed; its `task` begins with the first response of the server.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root, as bench/kernel.py does
    sys.path[0] = str(Path(__file__).parents[1])

import asyncio
import json
import os
import signal
import socket
import statistics
import subprocess
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException

import psycopg

from bench.program import own_server, read_options, report
from bench.record import facts
from tenuto.db import embedded
from tenuto.db.connection.errors import DatabaseProblem
from tenuto.sdk.app import App
from tenuto.sdk.connect import connect

OUTAGES = [(1, 60), (4, 60), (15, 60), (15, 5)]  # seconds of the outage, lease of the worker
SERVER_OUTAGES = [4, 15]
PEPPER = b64encode(b"p" * 32).decode()
APP = 'import tenuto\napp = tenuto.App("bench")\n@app.task\nasync def nothing() -> None: ...\n'
app = App("bench")


@app.task
async def nothing() -> None: ...


START = (
    "select from tenuto.start_many(p_org_id => (select id from tenuto.orgs order by created_at limit 1), "
    """p_kinds => '[{"type": "bench.nothing"}]', p_inputs => array[null::jsonb])"""
)
BEGAN = "select extract(epoch from min(started_at)) from tenuto.task_attempts where started_at > to_timestamp(%s)"


def main() -> None:
    options = read_options(__doc__, quick="one repetition of outages of 1 and 4 s")
    with own_server() as (url, home):
        (home / "outage_app.py").write_text(APP)
        result = {**facts(url), "load": os.getloadavg(), **measure(url, home, quick=options.quick)}
    report("outage", result, options)


def measure(url: str, home: Path, *, quick: bool) -> dict[str, object]:
    repetitions = 1 if quick else 5
    result: dict[str, object] = {"repetitions": repetitions}
    result["worker"] = _median([_start_up(url, home) for _ in range(repetitions)])
    for seconds, lease in OUTAGES[:2] if quick else OUTAGES:
        with a_worker(url, home, lease=lease):
            rounds = [_outage(url, home, seconds) for _ in range(repetitions)]
        name = f"away_{seconds}s_lease_{lease}s"
        result[name] = {part: _median([figures[part] for figures in rounds]) for part in ("task", "client")}
    for seconds in SERVER_OUTAGES[:1] if quick else SERVER_OUTAGES:
        with a_remote_worker(url, home) as server:
            result[f"server_away_{seconds}s"] = {
                "task": _median([server.outage(url, seconds) for _ in range(repetitions)])
            }
    return result


def _median(figures: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(figures), 3), "worst": round(max(figures), 3)}


@contextmanager
def a_worker(url: str, home: Path, *, lease: int = 60) -> Iterator[None]:
    """Run a worker that has already run a task."""
    process = _start_worker(url, home, lease)
    try:
        with psycopg.connect(url, autocommit=True) as conn:
            _wait_for_a_task(conn, time.time(), start=True)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _start_worker(url: str, home: Path, lease: int = 60) -> subprocess.Popen[bytes]:
    return _run(home, "worker", "outage_app:app", "--lease", f"{lease}s", TENUTO_DATABASE_URL=url)


def _run(home: Path, *command: str, **settings: str) -> subprocess.Popen[bytes]:
    program = [str(Path(sys.executable).parent / "tenuto"), *command]
    given = {**os.environ, "TENUTO_HOME": str(home), "PYTHONPATH": str(home), **settings}
    return subprocess.Popen(program, cwd=home, env=given, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


class Server:
    """Runs `tenuto server` on a fixed port, and measures how soon its worker continues after it was killed."""

    def __init__(self, url: str, home: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._url, self._home = url, home
        self.start()

    def start(self) -> None:
        settings = {"TENUTO_DATABASE_URL": self._url, "TENUTO_PEPPER": PEPPER}
        self._process = _run(self._home, "server", "--port", str(self.port), **settings)
        while True:
            with suppress(OSError, HTTPException):
                conn = HTTPConnection("127.0.0.1", self.port, timeout=2)
                conn.request("GET", "/healthz")
                conn.getresponse().read()
                return
            time.sleep(0.01)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def outage(self, url: str, seconds: float) -> float:
        self.kill()
        time.sleep(seconds)
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute(START)
            self.start()
            return _wait_for_a_task(conn, time.time())


@contextmanager
def a_remote_worker(url: str, home: Path) -> Iterator[Server]:
    """Run a worker that has already run a task through a server."""
    made = subprocess.run(
        [str(Path(sys.executable).parent / "tenuto"), "worker-keys", "create", "--name", "bench", "--json"],
        env={**os.environ, "TENUTO_DATABASE_URL": url, "TENUTO_HOME": str(home), "TENUTO_PEPPER": PEPPER},
        capture_output=True,
        check=True,
    )
    server = Server(url, home)
    settings = {"TENUTO_URL": f"http://127.0.0.1:{server.port}", "TENUTO_WORKER_KEY": json.loads(made.stdout)["key"]}
    worker = _run(home, "worker", "outage_app:app", **settings)
    try:
        with psycopg.connect(url, autocommit=True) as conn:
            _wait_for_a_task(conn, time.time(), start=True)
        yield server
    finally:
        worker.terminate()
        worker.wait(60)
        server.kill()


def _start_up(url: str, home: Path) -> float:
    """Measure the start of a worker while a task is waiting."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(START)
        began = time.time()
        process = _start_worker(url, home)
        try:
            return _wait_for_a_task(conn, began)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _outage(url: str, home: Path, seconds: float) -> dict[str, float]:
    client = Client(url)
    client.thread.start()
    if not client.has_started.wait(30):
        raise TimeoutError("the client could not start anything")
    os.kill(embedded.start(home).pid, signal.SIGQUIT)  # ends at once, without a clean shutdown
    time.sleep(seconds)
    watch = threading.Thread(target=embedded.start, args=[home])
    watch.start()
    with _first_connection(url) as conn:
        back = time.time()
        task = _wait_for_a_task(conn, back, start=True)
        while not (answered := [at for at in client.answered if at > back]):
            time.sleep(0.01)
    client.stop.set()
    client.thread.join()
    watch.join()
    return {"task": task, "client": answered[0] - back}


def _first_connection(url: str) -> psycopg.Connection:
    while True:
        with suppress(psycopg.OperationalError):
            return psycopg.connect(url, autocommit=True, connect_timeout=2)
        time.sleep(0.01)


def _wait_for_a_task(conn: psycopg.Connection, since: float, *, start: bool = False) -> float:
    if start:
        conn.execute(START)
    for _ in range(6000):
        row = conn.execute(BEGAN, [since]).fetchone()
        if row and row[0]:
            return float(row[0]) - since
        time.sleep(0.01)
    raise TimeoutError("no task began within a minute")


class Client:
    """Starts a task ten times per second, and retries at once when that fails."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.answered: list[float] = []
        self.stop, self.has_started = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    async def _run(self) -> None:
        async with connect(app, self._url) as tn:
            while not self.stop.is_set():
                try:
                    await tn.start(nothing)
                except DatabaseProblem:
                    await asyncio.sleep(0.02)
                    continue
                self.answered.append(time.time())
                self.has_started.set()
                await asyncio.sleep(0.1)


if __name__ == "__main__":
    main()
