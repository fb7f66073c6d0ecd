"""The pool: no call hangs, and a broken connection is gone with the call that met it."""

import asyncio
from collections.abc import Awaitable, Callable

import psycopg
import pytest

from tenuto.db import maintenance, orgs
from tenuto.db.connection.call import Conn
from tenuto.db.connection.claim_connection import open_claim_connection
from tenuto.db.connection.errors import TimedOut, Unreachable
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tests.support.postgres.pgbouncer import a_pooler
from tests.support.waiting import wait_until

OTHERS = "from pg_stat_activity where application_name = 'tenuto' and datname = current_database()"


def play(url: str, story: Callable[[ConnectionPool], Awaitable[None]], **settings) -> None:
    async def with_a_pool() -> None:
        async with open_pool(url, **settings) as pool:
            await story(pool)

    asyncio.run(with_a_pool())


async def role_of(conn: Conn) -> str:
    (row,) = await (await conn.execute("select current_user::text")).fetchall()
    return row[0]


async def hold(conn: Conn) -> None:
    await conn.execute("select pg_sleep(60)")


def test_a_call_acts_as_the_role_it_was_given(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        assert await pool.call(role_of) == "tenuto_worker"
        assert await pool.call(orgs.find_org, slug="default")

    play(database, story, role="tenuto_worker")


def test_a_call_that_takes_too_long_ends_and_its_place_is_free_again(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        await pool.call(maintenance.now)  # connected, however long that takes on a busy machine
        patience, pool.timeout = pool.timeout, 0.3
        with pytest.raises(Unreachable, match="did not respond"):
            await pool.call(hold)
        pool.timeout = patience
        assert await pool.call(maintenance.now)

    play(database, story, size=1)


def test_the_database_ends_a_statement_that_nobody_waits_for_any_more(database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        with pytest.raises(TimedOut, match="statement timeout"):
            await pool.call(hold)

    play(database, story, role="tenuto_worker", longest=0.2)


def test_after_the_server_ended_the_connections_the_next_calls_work(db: psycopg.Connection, database: str) -> None:
    async def story(pool: ConnectionPool) -> None:
        async with pool.connection(), pool.connection():
            pass
        db.execute(f"select pg_terminate_backend(pid) {OTHERS}")
        with pytest.raises(Unreachable, match="broke"):
            await pool.call(maintenance.now)
        for _ in range(3):
            assert await pool.call(maintenance.now)

    play(database, story, size=3)


def test_a_server_that_is_not_there_is_an_error_and_not_a_wait_for_ever() -> None:
    async def story(pool: ConnectionPool) -> None:
        for _ in range(2):
            with pytest.raises(Unreachable):
                await pool.call(maintenance.now)

    play("postgresql://nobody@127.0.0.1:1/none", story, timeout=0.3)


def test_the_server_ends_a_connection_whose_client_stops_reading(db: psycopg.Connection, database: str) -> None:
    """A claim that nobody reads must not hold its locks: the row that it locked can be locked again."""
    db.execute("create table read_by_nobody as select repeat(md5(random()::text), 1000) as text")
    db.execute("grant select, update on read_by_nobody to tenuto_worker")
    claimer = open_claim_connection(database, 0, "", [], role="tenuto_worker")
    shown = claimer.conn.execute("show tcp_user_timeout").fetchone()
    assert shown == ("10000",)

    stopped = claimer.conn
    stopped.execute("set tcp_user_timeout = '200ms'")  # so that the test need not wait for ten seconds
    pid = stopped.info.backend_pid
    held = "select r.text from read_by_nobody r, generate_series(1, 2000) for update of r"
    stopped.pgconn.send_query(held.encode())
    wait_until(
        lambda: (
            db.execute("select 1 from pg_stat_activity where wait_event = 'ClientWrite' and pid = %s", [pid]).rowcount
        )
    )
    wait_until(lambda: db.execute("select 1 from read_by_nobody for update skip locked").rowcount == 1)
    claimer.close()


def test_behind_a_pooler_nothing_is_prepared(database: str) -> None:
    async def prepared(conn: Conn) -> int:
        for _ in range(10):
            await conn.execute("select 1")
        (row,) = await (await conn.execute("select count(*) from pg_prepared_statements")).fetchall()
        return row[0]

    async def none(pool: ConnectionPool) -> None:
        assert await pool.call(prepared) == 0

    async def some(pool: ConnectionPool) -> None:
        assert await pool.call(prepared) > 0

    with a_pooler(database, {"worker": ["tenuto_worker"]}) as urls:
        play(urls["worker"], none)
    play(database, some)
