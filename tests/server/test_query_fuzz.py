"""Random SQL over HTTP, against real query processes: every response is rows or a problem, and nothing gets out."""

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.query.process import QueryFailed
from tenuto.server.settings import RateLimit, ServerSettings
from tenuto.storage import open_store
from tests.support.database.published import deploy_orders
from tests.support.sandbox.availability import require_full_sandbox
from tests.support.sandbox.sql_fuzz import SqlFuzz

CANARY = "canary-7f3a9c"
REFUSED = {404, 409, 413, 422}
EVERY = RateLimit(1e6, 1e6)


@pytest.fixture
def settings(settings: ServerSettings) -> ServerSettings:
    require_full_sandbox()
    return replace(settings, query_limit=EVERY, org_query_limit=EVERY)


@pytest.fixture
def listener() -> Iterator[tuple[str, list[object]]]:
    """An address that no query may connect to, and the connections that it got."""
    with socket.create_server(("127.0.0.1", 0)) as line:
        line.settimeout(0.2)
        met: list[object] = []
        ended = threading.Event()

        def accept() -> None:
            while not ended.is_set():
                try:
                    connection, address = line.accept()
                except TimeoutError:
                    continue
                met.append(address)
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{line.getsockname()[1]}/x.csv", met
        ended.set()
        thread.join()


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "a.csv").write_text(f"id\n{CANARY}\n")
    monkeypatch.setenv("TENUTO_FUZZ_SECRET", CANARY)
    return folder


def fuzz(
    client: TestClient, db: psycopg.Connection, settings: ServerSettings, secrets: Path, address: str, *, seed: int,
    count: int,
) -> Counter[str]:  # fmt: skip
    """Send statements; return how often they were answered with rows, a problem, or a result that was cut."""
    store = open_store(settings.storage)
    deploy_orders(db, store, [(1, "eu", "10.50"), (2, "us", "20.00")])
    store.put("datasets/other/part-0.csv", CANARY.encode())
    paths = [
        f"{secrets}/a.csv", f"{secrets}/*", f"{secrets}/out", "/etc/passwd", "/proc/self/environ", address,
        f"{settings.storage}/datasets/other/part-0.csv", "s3://bucket/x", ":memory:", "../a.csv",
    ]  # fmt: skip
    made, seen = SqlFuzz(seed, paths), Counter[str]()
    for _ in range(count):
        sql = made.statement()
        try:
            response = client.post("/v1/query", json={"sql": sql, "max_rows": 100})
        except QueryFailed:
            seen["cut"] += 1
            continue
        assert response.status_code in {200, *REFUSED}, (response.status_code, response.text, sql)
        body = response.json()
        assert CANARY not in response.text, sql
        assert ("rows" if response.status_code == 200 else "detail") in body, (body, sql)
        seen["rows" if response.status_code == 200 else "problem"] += 1
    assert [path.name for path in secrets.iterdir()] == ["a.csv"]
    assert client.post("/v1/query", json={"sql": "select count(*) from orders"}).json()["rows"] == [[2]]
    return seen


def test_random_sql_gets_rows_or_a_problem(
    admin: TestClient, db: psycopg.Connection, settings: ServerSettings, secrets: Path,
    listener: tuple[str, list[object]],
) -> None:  # fmt: skip
    seen = fuzz(admin, db, settings, secrets, listener[0], seed=15, count=80)
    assert (seen["rows"] > 5, seen["problem"] > 20, listener[1]) == (True, True, []), seen


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_much_random_sql_gets_rows_or_a_problem(
    admin: TestClient, db: psycopg.Connection, settings: ServerSettings, secrets: Path,
    listener: tuple[str, list[object]], seed: int,
) -> None:  # fmt: skip
    seen = fuzz(admin, db, settings, secrets, listener[0], seed=seed, count=500)
    assert (seen["rows"] > 25, listener[1]) == (True, []), seen
