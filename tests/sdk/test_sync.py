"""The client without await, and starts inside the caller's own transaction."""

import asyncio
import threading

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tenuto import App, RunFailed, chain, group
from tenuto.db.connection.errors import BadAddress, MissingRight
from tenuto.model.errors import InvalidInput, NotFound
from tenuto.testing.inline import InlineWorker

app = App("bank")


@app.task
def add(x: int, y: int) -> int:
    return x + y


@app.task(max_attempts=1)
def burst() -> None:
    raise ValueError("burst")


@app.task
def remember(ctx, key: str) -> int:
    ctx.data[key] = 5
    return ctx.data[key]


def work(database: str) -> int:
    """What a worker elsewhere would do."""

    async def all_of_it() -> int:
        async with app.connect(database) as tn:
            return await InlineWorker(tn.direct, app).work(most=100)

    return asyncio.run(all_of_it())


def test_the_sync_client_says_the_same_without_await(way, database):
    with app.connect_sync(**way) as tn:
        run = tn.start(add, 1, y=2)
        many = tn.start_many(add, [(1, 1), (2, 2)])
        composed = tn.start(chain(group(add, add), add), 1, 2, 3, 4)
        bad = tn.start(burst)
        kept = tn.start(remember, "a")
        work(database)

        assert (run.wait(), run.result(), run.status()) == ("completed", 3, "completed")
        assert many.results(timeout=60) == [2, 4]
        assert [one.result() for one in many] == [2, 4]
        assert composed.result(timeout=60) == 10
        assert (kept.result(), kept.data["a"], kept.data.find()) == (5, 5, {"a": 5})
        with pytest.raises(RunFailed, match="ValueError: burst"):
            bad.result()
        assert [step.status for step in run.progress()] == ["completed"]
        assert [task.type for task in tn.run(run.id).tasks()] == ["bank.add"]
        assert tn.get(tn.put(b"abc")) == b"abc"
        assert [one.id for one in tn.runs(type="bank.burst")] == [bad.id]
        assert tn.schedules.put("n", add, 1, 2, cron="@daily").name == tn.schedules.list()[0].name
        bad.delete()
        assert tn.runs(type="bank.burst") == []


def test_any_thread_may_use_the_sync_client(way):
    with app.connect_sync(**way) as tn:
        found: list[object] = []
        threads = [threading.Thread(target=lambda n=n: found.append(tn.start(add, n, n).status())) for n in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert found == ["pending"] * 5


@pytest.mark.direct_only(reason="a server has no part in the caller's transaction")
def test_a_start_in_a_sync_transaction_commits_and_rolls_back_with_it(way, database):
    with app.connect_sync(**way) as tn, psycopg.connect(database) as conn:
        lost = tn.start(add, 1, 2, connection=conn)
        tn.start_many(add, [(1, 1)] * 3, connection=conn)
        conn.rollback()
        kept = tn.start(add, 3, 4, connection=conn)
        assert work(database) == 0
        conn.commit()
        assert work(database) == 1

        assert kept.result() == 7
        with pytest.raises(NotFound, match="no run"):
            lost.result()


@pytest.mark.direct_only(reason="a server has no part in the caller's transaction")
def test_a_start_in_an_async_transaction_commits_and_rolls_back_with_it(way, database):
    async def steps() -> tuple[int, int, int, str]:
        async with app.connect(**way) as tn, await psycopg.AsyncConnection.connect(database) as conn:
            await tn.start(add.options(connection=conn), 1, 2)
            await conn.rollback()
            kept = await tn.start(add, 3, 4, connection=conn)
            inline = InlineWorker(tn.direct, app)
            before = await inline.work(most=10)
            await conn.commit()
            return before, await inline.work(most=10), await kept.result(), await kept.wait()

    assert asyncio.run(steps()) == (0, 1, 7, "completed")


def test_a_connection_of_the_wrong_kind_is_refused_with_what_to_use(way):
    message = "connection is a builtins.str; pass a psycopg Connection|but http.* is a server; set TENUTO_DATABASE_URL"
    with app.connect_sync(**way) as tn:
        with pytest.raises(BadAddress, match=message):
            tn.start(add, 1, 2, connection="postgresql://")
        with pytest.raises(BadAddress, match=message):
            tn.start_many(add, [(1, 2)], connection="postgresql://")


@pytest.mark.direct_only(reason="a server logs in as itself")
def test_a_login_that_may_not_start_tasks_is_told_what_it_lacks(way, database, db):
    db.execute("drop role if exists clerk")
    db.execute("create role clerk login password 'secret'")
    try:
        with app.connect_sync(**way) as tn, psycopg.connect(database, user="clerk", password="secret") as conn:
            with pytest.raises(MissingRight, match=r"'clerk' cannot start tasks .*: grant tenuto_client to clerk"):
                tn.start(add, 1, 2, connection=conn)
            conn.rollback()
            db.execute("grant tenuto_readonly to clerk")
            with (
                app.connect_sync(make_conninfo(database, user="clerk", password="secret")) as own,
                pytest.raises(MissingRight, match=r"'clerk' cannot start tasks .*: grant tenuto_client to clerk"),
            ):
                own.start(add, 1, 2)
            db.execute("grant tenuto_worker to clerk")
            assert tn.start(add, 1, 2, connection=conn).created
    finally:
        db.execute("drop owned by clerk")
        db.execute("drop role clerk")


@pytest.mark.direct_only(reason="a server has no part in the caller's transaction")
def test_workers_are_woken_when_the_callers_transaction_commits(way, database):
    with app.connect_sync(**way) as tn, psycopg.connect(database, autocommit=True) as listener:
        listener.execute("listen tenuto_ready")
        with psycopg.connect(database) as conn:
            tn.start(add.options(queue="mail"), 1, 2, connection=conn)
            conn.execute("notify tenuto_ready, 'own'")
        heard = [note.payload for note in listener.notifies(timeout=60, stop_after=2)]

    assert sorted(heard) == ["mail", "own"]


def test_wrong_use_of_the_sync_client_is_refused_at_once(way):
    with app.connect_sync(**way) as tn:
        with pytest.raises(InvalidInput, match=r"its signature is bank.add\(x: int, y: int\)"):
            tn.start(add, 1)  # type: ignore[call-arg]
        with pytest.raises(InvalidInput, match=r"signal go: value: .* cannot be converted to JSON"):
            tn.signal(tn.start(add, 1, 2), "go", object())


def test_a_client_whose_thread_died_says_so_instead_of_waiting_for_ever(database):
    async def leave() -> None:
        raise SystemExit

    with app.connect_sync(database) as tn:
        for ask in (lambda: tn.wait_for(leave()), tn.runs):
            with pytest.raises(RuntimeError, match="the thread of this client died; open a new client"):
                ask()
