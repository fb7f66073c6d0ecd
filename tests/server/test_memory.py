"""What bulk bodies take in memory, in the server and in Postgres, measured on a server of the test's own.

The bounds leave room for the allocator. Before bodies were read in parts, one of 4.8 MB took 151 MB of the server and
511 MB of a backend, and twelve of 18 MB all 24 GB of a machine.
"""

import re
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

import httpx2
import psycopg
import pytest

from tests.cli.test_server import PEPPER
from tests.support.database.tasks import a_worker, start
from tests.support.processes.command_line import running_from_start, tenuto
from tests.support.processes.memory import backends, own_bytes, watching
from tests.support.waiting import wait_until

MB = 1024 * 1024
ITEM = '{"type":"a.b","input":{"a":[' + ",".join(['{"k":1.5}'] * 190) + "]}}"


def a_body(items: int) -> bytes:
    """A bulk start of so many runs, with 384 small values each."""
    return f"[{','.join([ITEM] * items)}]".encode()


@contextmanager
def a_server(database: str) -> Iterator[tuple[str, int, dict[str, str]]]:
    """A server process: its address, its pid and the headers of a key."""
    where = {"TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER}
    made = tenuto("keys", "create", "--name", "ci", "--permissions", "runs:*", "--json", **where)
    key = re.findall(r'"key": "([^"]+)"', made.stdout)[0]
    with running_from_start("server", "--port", "0", ready="listening at", **where) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_DATA, (4096 * MB, 4096 * MB))
        (url,) = re.findall(r"listening at (http://[\d.:]+)", server.said())
        yield url, server.process.pid, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}


def test_one_bulk_body_takes_little_more_than_its_size(database: str, db: psycopg.Connection) -> None:
    with a_server(database) as (url, pid, headers):
        assert httpx2.post(f"{url}/v1/runs/bulk", content=a_body(1), headers=headers, timeout=60).status_code == 201
        (backend, *_) = backends(db)
        with watching(lambda: own_bytes(pid)) as server, watching(lambda: own_bytes(backend)) as kernel:
            wait_until(lambda: server.bytes and kernel.bytes)
            idle = server.bytes, kernel.bytes
            started = httpx2.post(f"{url}/v1/runs/bulk", content=a_body(800), headers=headers, timeout=60)

    assert started.status_code == 201
    assert server.bytes - idle[0] < 40 * MB
    assert kernel.bytes - idle[1] < 80 * MB


def test_a_wait_for_large_outputs_takes_little_more_than_one_response(database: str, db: psycopg.Connection) -> None:
    run_ids, worker = start(db, *range(48)), a_worker(db)
    for _ in range(6):
        claims = worker.claim(8)
        worker.complete(*claims, outputs=[[[]] * 120_000] * len(claims))
    body = {"run_ids": [str(run_id) for run_id in run_ids], "wait": 0}
    with a_server(database) as (url, pid, headers):
        none = {"run_ids": [str(uuid4())], "wait": 0}
        assert httpx2.post(f"{url}/v1/runs/wait", json=none, headers=headers, timeout=60).status_code == 200
        with watching(lambda: own_bytes(pid)) as server:
            wait_until(lambda: server.bytes)
            idle = server.bytes
            ended = httpx2.post(f"{url}/v1/runs/wait", json=body, headers=headers, timeout=60)

    assert ended.status_code == 200
    assert 30 <= len(ended.json()["items"]) < 48
    assert server.bytes - idle < 100 * MB


@pytest.mark.soak
def test_twelve_bulk_bodies_at_the_limit_take_less_than_a_gigabyte(database: str, db: psycopg.Connection) -> None:
    body = a_body(10_000)  # 18 MB, 3.8 million values
    with (
        a_server(database) as (url, pid, headers),
        ThreadPoolExecutor(12) as many,
        watching(lambda: own_bytes(pid) + sum(map(own_bytes, backends(db)))) as together,
    ):
        post = {"content": body, "headers": headers, "timeout": 600}
        asked = [many.submit(httpx2.post, f"{url}/v1/runs/bulk", **post) for _ in range(12)]
        answers = [one.result() for one in asked]

    assert {one.status_code for one in answers} <= {201, 429}
    assert [one.status_code for one in answers].count(201) >= 1
    assert together.bytes < 1000 * MB
