"""The listener: it hears starts, survives the loss of its connection, and says when to look everywhere."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import psycopg
import pytest
from psycopg import AsyncConnection

from tenuto.db.listener import Deaf, Wake, hear, listen
from tests.support.kernel import start_one

LISTENERS = "from pg_stat_activity where application_name = 'tenuto listener' and datname = current_database()"


def play(database: str, story: Callable[[AsyncIterator[Wake]], Awaitable[None]], **settings: float) -> None:
    async def with_a_listener() -> None:
        wakes = listen(database, **settings)
        async with asyncio.timeout(30):
            try:
                await story(wakes)
            finally:
                await wakes.aclose()  # pyright: ignore[reportAttributeAccessIssue] (it is a generator)

    asyncio.run(with_a_listener())


def test_a_start_wakes_the_listener_of_its_queue(db: psycopg.Connection, database: str) -> None:
    async def story(wakes: AsyncIterator[Wake]) -> None:
        assert (await anext(wakes)).rescan
        start_one(db, kind={"queue": "mail"})
        assert await anext(wakes) == Wake("mail")

    play(database, story)


def test_a_listener_whose_connection_was_ended_rescans_and_hears_again(db: psycopg.Connection, database: str) -> None:
    async def story(wakes: AsyncIterator[Wake]) -> None:
        assert (await anext(wakes)).rescan
        for _ in range(3):
            db.execute(f"select pg_terminate_backend(pid) {LISTENERS}")
            assert (await anext(wakes)).rescan
            start_one(db)
            assert await anext(wakes) == Wake("default")

    play(database, story)


def test_a_listener_goes_on_trying_while_nobody_lets_it_in(db: psycopg.Connection, database: str, server: str) -> None:
    def let_in(yes: bool) -> None:
        with psycopg.connect(server, autocommit=True) as conn:
            conn.execute(f"alter database {db.info.dbname} with allow_connections {yes}".encode())

    async def story(wakes: AsyncIterator[Wake]) -> None:
        assert (await anext(wakes)).rescan
        let_in(False)
        db.execute(f"select pg_terminate_backend(pid) {LISTENERS}")
        next_wake = asyncio.ensure_future(anext(wakes))
        done, _ = await asyncio.wait([next_wake], timeout=1)
        assert not done
        let_in(True)
        assert (await next_wake).rescan

    play(database, story)


def test_a_connection_that_hears_nothing_is_found_out(database: str) -> None:
    async def hear_in_vain() -> None:
        # As behind a pooler in transaction mode: the connection is open, but it is not the one that listens.
        async with await AsyncConnection.connect(database, autocommit=True) as conn:
            async for _ in hear(conn, 0.1):
                raise AssertionError("it heard something")

    with pytest.raises(Deaf):
        asyncio.run(hear_in_vain())


def test_a_quiet_listener_hears_itself_and_stays(db: psycopg.Connection, database: str) -> None:
    async def story(wakes: AsyncIterator[Wake]) -> None:
        assert (await anext(wakes)).rescan
        before = db.execute(f"select pid {LISTENERS}").fetchall()
        next_wake = asyncio.ensure_future(anext(wakes))
        await asyncio.wait([next_wake], timeout=0.5)  # ten checks
        start_one(db)
        assert await next_wake == Wake("default")
        assert db.execute(f"select pid {LISTENERS}").fetchall() == before

    play(database, story, check_every=0.05)
