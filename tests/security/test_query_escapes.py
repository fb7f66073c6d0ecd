"""What a query cannot do: each probe works in plain DuckDB, and not in a query. Some do not work in the database of a
query process even without the gate, and the kernel refuses the rest."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tenuto.query.engine import open_database
from tenuto.query.limits import MB, QueryLimits
from tenuto.query.pool import ProcessPool
from tenuto.query.process import QueryEnd, QueryFailed, Views
from tenuto.runtimes.sandbox.privileges import close_files
from tenuto.runtimes.sandbox.syscalls import PR_SET_NO_NEW_PRIVS, prctl
from tests.support.sandbox.availability import require_full_sandbox
from tests.support.sandbox.escapes import in_child
from tests.support.sandbox.query_probes import BOMBS, ENGINE, FILES, SETTINGS, STATEMENTS

LIMITS = QueryLimits(seconds=20, result_bytes=4 * MB, scan_bytes=MB, memory=512 * MB)
ENDLESS = ("time", "endless recursion")  # bombs that only time ends; they compute until then
ENDLESS_SECONDS = 2
T = TypeVar("T")


class OneRow:
    """The data of `orders`: a page with one row, and no file."""

    async def read(self, number: int, offset: int, length: int) -> bytes:
        raise AssertionError(f"file {number} was not given to the query: {offset}, {length}")

    async def rows(self, number: int, page: int) -> bytes:
        assert (number, page) == (0, 0)
        return b'{"rows": [["1"]], "pages": 1}'


ORDERS: dict[str, Any] = {
    "name": "orders", "kind": "rows", "columns": [{"name": "id", "type": "BIGINT"}], "unique_key": None, "where": None,
    "parts": [[{"no": 0, "size": 0}]],
}  # fmt: skip


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[..., QueryEnd]]:
    """Runs a query in a process of a pool, which lives in a thread for all tests."""
    require_full_sandbox()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def wait(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(120)

    async def run(pool: ProcessPool, sql: str, seconds: float = LIMITS.seconds) -> QueryEnd:
        async with pool.process(uuid4()) as process, asyncio.timeout(seconds):
            names = await process.parse(sql, "json", 100_000)
            if not {*names} <= {"orders"}:
                raise QueryFailed(f"no dataset {names}")
            async for block in process.run(Views([ORDERS], OneRow())):
                if isinstance(block, QueryEnd):
                    return block
        raise AssertionError("a query without an end")

    async def make() -> ProcessPool:
        return ProcessPool(limits=LIMITS)

    pool = wait(make())
    try:
        yield lambda sql, *seconds: wait(run(pool, sql, *seconds))
    finally:
        wait(pool.close())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files that a query must not reach."""
    (tmp_path / "secret.csv").write_text("id\n1\n")
    (tmp_path / "secret.json").write_text('{"id": 1}\n')
    pq.write_table(pa.table({"id": pa.array([1])}), tmp_path / "secret.parquet")
    other = tmp_path / "datasets" / "other"
    other.mkdir(parents=True)
    pq.write_table(pa.table({"id": pa.array([1])}), other / "part-0.parquet")
    (tmp_path / "link.csv").symlink_to(tmp_path / "secret.csv")
    with duckdb.connect(str(tmp_path / "secret.db")) as made:
        made.execute("create table t as select 1")
    return tmp_path


def outside(sql: str) -> None:
    """The control: plain DuckDB runs the statement."""
    with duckdb.connect(":memory:") as plain:
        plain.execute("create table orders (id bigint)")
        if (relation := plain.sql(sql)) is not None:
            relation.to_arrow_table()


def probe(ask: Callable[[str], QueryEnd], probes: dict[str, str], folder: Path) -> list[str]:
    """Return the probes that a query ran, or that plain DuckDB does not run."""
    assert ask("select count(*) from orders").rows == 1
    wrong = list[str]()
    for name, text in probes.items():
        sql = text.replace("{folder}", str(folder)).replace("{name}", folder.name)
        outside(sql)
        try:
            ask(sql)
            wrong.append(name)
        except QueryFailed:
            pass
    return wrong


def test_no_query_reaches_a_file(ask: Callable[[str], QueryEnd], folder: Path) -> None:
    assert probe(ask, FILES, folder) == []


def test_no_query_changes_a_setting_or_runs_another_statement(ask: Callable[[str], QueryEnd], folder: Path) -> None:
    assert probe(ask, {**SETTINGS, **STATEMENTS}, folder) == []


def test_no_query_reaches_the_engine_itself(ask: Callable[[str], QueryEnd], folder: Path) -> None:
    assert probe(ask, ENGINE, folder) == []


@pytest.mark.parametrize("group", [FILES, SETTINGS], ids=["files", "settings"])
def test_without_the_gate_the_database_refuses_too(group: dict[str, str], folder: Path) -> None:
    reached = list[str]()
    for name, text in group.items():
        sql = text.replace("{folder}", str(folder)).replace("{name}", folder.name)
        with open_database(256 * MB) as database:
            database.execute("create table orders (id bigint)")
            try:
                if (relation := database.sql(sql)) is not None:
                    relation.to_arrow_table()
                reached.append(name)
            except duckdb.Error:
                pass
    assert reached == []


@pytest.mark.parametrize("name", BOMBS)
def test_a_query_that_uses_too_much_is_ended(ask: Callable[..., QueryEnd], name: str) -> None:
    text, small, large = BOMBS[name]
    outside(text.replace("{n}", str(small)))
    assert ask(text.replace("{n}", str(small))).rows > 0

    ended, seconds = (TimeoutError, ENDLESS_SECONDS) if name in ENDLESS else (QueryFailed, LIMITS.seconds)
    with pytest.raises(ended):
        ask(text.replace("{n}", str(large)), seconds)
    assert ask("select 1").rows == 1


def test_a_process_that_has_closed_files_opens_nothing_more(tmp_path: Path) -> None:
    path, listener = tmp_path / "file", socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    attempts: dict[str, Callable[[], object]] = {
        "read": path.read_text,
        "write": lambda: path.write_text("other"),
        "list": lambda: list(tmp_path.iterdir()),
        "make a folder": lambda: (tmp_path / f"made-{os.getpid()}").mkdir(),
        "start a program": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
        "connect": lambda: socket.create_connection(listener.getsockname()).close(),
        "signal": lambda: os.kill(os.getppid(), 0),
        "remove": path.unlink,
    }

    def closed(work: Callable[[], object]) -> Callable[[], object]:
        def run() -> object:
            prctl(PR_SET_NO_NEW_PRIVS, 1)
            close_files()
            return work()

        return run

    with listener:
        for name, work in attempts.items():
            path.write_text("text")
            with pytest.raises(PermissionError, match="Permission"):
                in_child(closed(work))
            assert in_child(work), name


def test_there_are_more_than_sixty_probes() -> None:
    assert sum(map(len, (FILES, SETTINGS, STATEMENTS, ENGINE, BOMBS))) > 110
