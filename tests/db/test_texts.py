"""Statements in texts: prepared where that lasts, and not where another connection may answer the next one."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import TimedOut
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.db.connection.raw_statements import fetch_texts
from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.tasks import DEFAULT_ORG
from tests.support.postgres.pgbouncer import a_pooler


def play(url: str, story: Callable[[ConnectionPool], Awaitable[None]]) -> None:
    async def with_a_pool() -> None:
        async with open_pool(url, size=1) as pool:
            await story(pool)

    asyncio.run(with_a_pool())


async def echo(conn: Conn, *values: object) -> tuple[str | None, ...]:
    (row,) = await fetch_texts(conn, b"select %s::text, %s::int", values)
    return row


def test_values_go_and_come_as_texts(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        assert await pool.call(echo, "ä", 1) == ("ä", "1")
        assert await pool.call(echo, None, None) == (None, None)
        assert await pool.call(echo, "$1 %s '", -7) == ("$1 %s '", "-7")

    play(database, story)


def test_a_text_that_postgres_would_cut_is_refused(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        with pytest.raises(InvalidInput, match="contains a NUL character"):
            await pool.call(echo, "all\0or nothing", 1)

    play(database, story)


def test_a_statement_is_prepared_once_a_connection(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        for no in range(3):
            await pool.call(echo, "a", no)
        async with pool.connection() as conn:
            count = "select count(*), sum(generic_plans + custom_plans) from pg_prepared_statements"
            assert await (await conn.execute(count, prepare=False)).fetchall() == [(1, 3)]

    play(database, story)


def test_a_statement_is_prepared_again_when_a_rollback_has_taken_it(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        await pool.call(echo, "a", 0)
        async with pool.connection() as conn:
            await conn.execute(
                "select 1", prepare=True
            )  # psycopg forgets all there are after a rollback, if it has any
            for statement in ("begin", "rollback", "select 1"):
                await conn.execute(statement)

        assert [await pool.call(echo, "a", no) for no in range(2)] == [("a", "0"), ("a", "1")]

    play(database, story)


def test_one_prepared_statement_that_is_lost_takes_no_other_with_it(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        async with pool.connection() as conn:
            await fetch_texts(conn, b"select %s::text", ["kept"])
            await fetch_texts(conn, b"select upper(%s::text)", ["lost"])
            named = "select name from pg_prepared_statements where statement like '%%upper%%'"
            (row,) = await (await conn.execute(named)).fetchall()
            await conn.execute(f"deallocate {row[0]}".encode())

            assert await fetch_texts(conn, b"select upper(%s::text)", ["lost"]) == [("LOST",)]
            assert await fetch_texts(conn, b"select %s::text", ["kept"]) == [("kept",)]

    play(database, story)


def test_through_a_pooler_nothing_is_prepared(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        assert [await pool.call(echo, "a", no) for no in range(3)] == [("a", "0"), ("a", "1"), ("a", "2")]
        async with pool.connection() as conn:
            cursor = await conn.execute("select count(*) from pg_prepared_statements", prepare=False)
            assert await cursor.fetchall() == [(0,)]

    with a_pooler(database, {"worker": ["tenuto_worker"]}) as urls:
        play(urls["worker"], story)


def test_what_the_kernel_raises_is_its_exception_and_the_connection_goes_on(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        missing = b"select * from tenuto.get_task(%s, %s)"
        for _ in range(2):
            with pytest.raises(NotFound, match="no task"):
                await pool.call(fetch_texts, missing, [DEFAULT_ORG, DEFAULT_ORG])
        assert await pool.call(echo, "a", 1) == ("a", "1")

    play(database, story)


def test_a_statement_that_takes_too_long_is_ended_there_too(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        await pool.call(echo, "a", 1)  # there is a connection: only the statement takes long
        with pytest.raises(TimedOut):
            async with pool.connection(timeout=0.2) as conn:
                await fetch_texts(conn, b"select pg_sleep(60)", [])
        assert await pool.call(echo, "a", 1) == ("a", "1")

    play(database, story)
