"""Clients that live as long as a process: closing, exit, threads, event loops, and waits that end."""

import asyncio
import gc
import socket

import pytest

from tenuto import App, Unreachable
from tenuto.db.connection.pool import open_pool
from tenuto.db.install import install
from tests.support.postgres.server import copy_home
from tests.support.processes.script import run_script

app = App("shop")


@app.task
def add(x: int, y: int) -> int:
    return x + y


def test_an_async_client_lives_until_it_is_closed(way):
    async def steps() -> str:
        tn = await app.open(**way)
        status = await (await tn.start(add, 1, 2)).status()
        await tn.close()
        await tn.close()
        with pytest.raises(Unreachable, match="the client is closed; open a new one"):
            await tn.start(add, 1, 2)
        return status

    assert asyncio.run(steps()) == "pending"


def test_a_sync_client_connects_on_first_use_and_lives_until_it_is_closed(way):
    tn = app.open_sync(**way)

    assert tn.start(add, 1, 2).status() == "pending"
    tn.close()
    tn.close()
    with pytest.raises(Unreachable, match="the client is closed; open a new one"):
        tn.start(add, 1, 2)


def test_creating_a_sync_client_needs_no_database_and_a_failed_first_use_can_be_repeated(database, monkeypatch):
    monkeypatch.setenv("TENUTO_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    tn = app.open_sync()
    try:
        with pytest.raises(Unreachable, match=r"cannot reach Postgres at 127\.0\.0\.1:1"):
            tn.start(add, 1, 2)
        monkeypatch.setenv("TENUTO_DATABASE_URL", database)
        assert tn.start(add, 1, 2).created
    finally:
        tn.close()


@pytest.mark.parametrize(
    "code",
    [
        "app.open_sync(**way).start(add, 1, 2)",
        "tn = app.open_sync(**way)\nprint(tn.start(add, 1, 2).status())",
        "import atexit\ntn = app.open_sync(**way)\ntn.start(add, 1, 2)\natexit.register(tn.close)",
        "tn = app.open_sync(**way)\nimport threading, time\ntn.start(add, 1, 2)\n"
        "threading.Thread(target=lambda: tn.wait_for(asyncio.sleep(600)), daemon=True).start()\n"
        "while not tn._thread.has_callers():\n    time.sleep(0.01)",
        "async def main():\n    tn = await app.open(**way)\n    await tn.start(add, 1, 2)\nasyncio.run(main())",
    ],
    ids=["unassigned", "never closed", "closed at exit", "a thread still waits", "async, never closed"],
)
def test_a_program_that_leaves_its_client_open_ends_without_a_traceback(code: str, way, tmp_path):
    done = run_script(code, way, tmp_path)

    assert (done.returncode, done.stderr) == (0, "")


def test_an_open_client_of_the_embedded_database_ends_with_the_program(tmp_path, migrated_home, monkeypatch):
    monkeypatch.delenv("TENUTO_DATABASE_URL", raising=False)
    copy_home(migrated_home, tmp_path / "home")
    monkeypatch.setenv("TENUTO_HOME", str(tmp_path / "home"))
    done = run_script("print(app.open_sync().start(add, 1, 2).status())", {}, tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "pending\n", "")


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # sockets of event loops that ended without a close
def test_an_async_client_moves_to_the_next_event_loop_when_its_own_has_ended(way):
    tn = asyncio.run(app.open(**way))
    asyncio.run(tn.start(add, 1, 2))

    async def steps() -> list[str]:
        runs = [await tn.start(add, 1, 2), await tn.start(add, 1, 2)]
        found = [await run.status() for run in runs]
        await tn.close()
        return found

    assert asyncio.run(steps()) == ["pending", "pending"]
    gc.collect()


def test_an_async_client_in_a_second_open_event_loop_is_refused_at_once(way):
    async def steps() -> None:
        tn = await app.open(**way)
        await tn.start(add, 1, 2)
        with pytest.raises(Unreachable, match="belongs to another event loop, which is still open; open a client in"):
            await asyncio.to_thread(lambda: asyncio.run(tn.start(add, 1, 2)))
        await tn.close()

    asyncio.run(steps())


def test_the_wait_for_a_connection_ends_and_says_for_what_it_waited(database):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]

        async def steps() -> None:
            async with open_pool(f"postgresql://127.0.0.1:{port}/none", timeout=0.2) as pool:
                with pytest.raises(
                    Unreachable, match=rf"waited 0.2 s for a connection to Postgres at 127.0.0.1:{port}"
                ):
                    async with pool.connection():
                        pass
            async with open_pool(database, size=1) as pool, pool.connection():
                with pytest.raises(
                    Unreachable, match=r"waited 0.2 s for a connection .*: none of the 1 connections was free, or the"
                ):
                    async with pool.connection(timeout=0.2):
                        pass

        asyncio.run(steps())


def test_a_database_that_accepts_connections_and_never_responds_is_given_up(monkeypatch):
    monkeypatch.setattr(install, "CONNECT_SECONDS", 2)  # the shortest that libpq accepts
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        tn = app.open_sync(f"postgresql://127.0.0.1:{port}/none")
        with pytest.raises(
            Unreachable, match=rf"waited 2 s for a connection to Postgres at 127\.0\.0\.1:{port}, which"
        ):
            tn.start(add, 1, 2)
        tn.close()
