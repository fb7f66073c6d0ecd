"""The listener: it hears starts, survives the loss of its connection, and says when to look everywhere."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import psycopg
import pytest
from psycopg import AsyncConnection

from tenuto.db.connection.listener import ListenFailed, ListenNotSupported, hear, listen, open_listener
from tenuto.model.workers import Wakeup
from tests.support.database.tasks import start_one
from tests.support.faults.closable_proxy import a_closable_proxy, wait_for_refused
from tests.support.postgres.pgbouncer import a_pooler
from tests.support.waiting import wait_until

LISTENERS = "from pg_stat_activity where application_name = 'tenuto listener' and datname = current_database()"


@asynccontextmanager
async def a_listener(url: str, **settings: float) -> AsyncIterator[AsyncIterator[Wakeup]]:
    wakes = listen(url, **settings)
    try:
        yield wakes
    finally:
        await wakes.aclose()  # pyright: ignore[reportAttributeAccessIssue] (it is a generator)


def play(database: str, story: Callable[[AsyncIterator[Wakeup]], Awaitable[None]], **settings: float) -> None:
    async def with_a_listener() -> None:
        async with asyncio.timeout(60), a_listener(database, **settings) as wakes:
            await story(wakes)

    asyncio.run(with_a_listener())


def test_a_start_wakes_the_listener_of_its_queue(db: psycopg.Connection, database: str) -> None:
    async def story(wakes: AsyncIterator[Wakeup]) -> None:
        assert (await anext(wakes)).rescan
        start_one(db, kind={"queue": "mail"})
        assert await anext(wakes) == Wakeup("mail")

    play(database, story)


def test_a_listener_whose_connection_was_ended_rescans_and_hears_again(db: psycopg.Connection, database: str) -> None:
    async def story(wakes: AsyncIterator[Wakeup]) -> None:
        assert (await anext(wakes)).rescan
        for _ in range(3):
            db.execute(f"select pg_terminate_backend(pid) {LISTENERS}")
            assert (await anext(wakes)).rescan
            start_one(db)
            assert await anext(wakes) == Wakeup("default")

    play(database, story)


def test_a_listener_goes_on_trying_while_nobody_lets_it_in(db: psycopg.Connection, database: str) -> None:
    async def story() -> None:
        async with asyncio.timeout(60), a_closable_proxy(database) as gate, a_listener(gate.url) as wakes:
            assert (await anext(wakes)).rescan
            gate.close()
            next_wake = asyncio.ensure_future(anext(wakes))
            await wait_for_refused(gate, 3)
            assert not next_wake.done()
            gate.open = True
            assert (await next_wake).rescan
            start_one(db)
            assert await anext(wakes) == Wakeup("default")

    asyncio.run(story())


def test_a_connection_that_hears_nothing_is_found_out(database: str) -> None:
    async def hear_in_vain() -> None:
        # As behind a pooler in transaction mode: the connection is open, but it is not the one that listens.
        async with await AsyncConnection.connect(database, autocommit=True) as conn:
            async for _ in hear(conn, 0.1):
                raise AssertionError("it heard something")

    with pytest.raises(ListenFailed):
        asyncio.run(hear_in_vain())


def test_behind_a_pooler_in_transaction_mode_nobody_pretends_to_hear(database: str) -> None:
    with a_pooler(database, {"worker": ["tenuto_worker"]}) as urls, pytest.raises(ListenNotSupported):
        asyncio.run(open_listener(urls["worker"]))


def test_a_quiet_listener_hears_itself_and_stays(db: psycopg.Connection, database: str) -> None:
    async def story(wakes: AsyncIterator[Wakeup]) -> None:
        assert (await anext(wakes)).rescan
        before = db.execute(f"select pid {LISTENERS}").fetchall()
        next_wake = asyncio.ensure_future(anext(wakes))
        checks = set()

        def three_checks() -> bool:
            checks.update(db.execute(f"select query_start {LISTENERS} and query like 'notify%'").fetchall())
            return len(checks) >= 3

        await asyncio.to_thread(wait_until, three_checks)
        start_one(db)
        assert await next_wake == Wakeup("default")
        assert db.execute(f"select pid {LISTENERS}").fetchall() == before

    play(database, story, check_every=0.05)


def test_a_listener_that_is_cancelled_while_it_begins_leaves_no_connection(
    db: psycopg.Connection, database: str
) -> None:
    async def begin_and_cancel(seconds: float) -> None:
        beginning = asyncio.create_task(open_listener(database))
        await asyncio.wait([beginning], timeout=seconds)
        beginning.cancel()
        with suppress(asyncio.CancelledError):
            await (await beginning).close()

    async def story() -> None:
        for step in range(60):
            await begin_and_cancel(step / 2000)

    gc.disable()  # or it would close them
    try:
        asyncio.run(story())
        wait_until(lambda: db.execute(f"select count(*) {LISTENERS}").fetchone() == (0,))
    finally:
        gc.enable()
