"""One part of a process finds out that its server is back, and all others go on at once."""

import asyncio
import socket
import threading

import psycopg
import pytest

from tenuto.db import maintenance
from tenuto.db.connection import availability, claim_connection
from tenuto.db.connection.availability import Availability, availability_of
from tenuto.db.connection.errors import Away, Unreachable
from tenuto.db.connection.pool import open_pool
from tenuto.model.backoff import Backoff
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next try comes in an hour: whoever goes on before was woken."""
    monkeypatch.setattr(availability, "PROBE_EVERY", 3600.0)


def an_address_that_refuses() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"postgresql://postgres@127.0.0.1:{taken.getsockname()[1]}/nothing"


def test_a_thread_that_waits_goes_on_when_another_part_connected() -> None:
    server = Availability()
    server.refused(psycopg.OperationalError("connection refused"))
    waiting = threading.Thread(target=server.wait, daemon=True)
    waiting.start()

    server.succeeded()

    waiting.join(20)
    assert not waiting.is_alive()


def test_a_server_that_answers_with_a_refusal_is_not_away() -> None:
    server = Availability()

    assert not server.refused(psycopg.errors.InvalidPassword("password authentication failed"))
    assert server.refused(psycopg.errors.CannotConnectNow("the database system is starting up"))
    assert server.problem == "the database system is starting up"


def test_a_lane_says_why_the_server_is_away_and_leaves_further_tries_to_others() -> None:
    url = an_address_that_refuses()
    with pytest.raises(Away, match="refused"):
        claim_connection.open_claim_connection(url, 0, "", [])

    with pytest.raises(Away, match="refused"):
        claim_connection.open_claim_connection(url, 0, "", [])


def test_a_call_of_a_pool_waits_and_is_answered_as_soon_as_another_part_connected(database: str) -> None:
    server = availability_of(database)

    async def story() -> object:
        async with open_pool(database) as pool:
            asked = asyncio.create_task(pool.call(maintenance.now))
            await asyncio.sleep(0)
            assert not asked.done()
            server.succeeded()
            return await asyncio.wait_for(asked, 60)

    server.refused(psycopg.OperationalError("connection refused"))
    assert asyncio.run(story()) is not None


def test_a_pool_that_is_closed_stops_trying() -> None:
    async def story() -> None:
        async with open_pool(an_address_that_refuses(), timeout=0.2) as pool:
            await pool.call(maintenance.now)

    with pytest.raises(Away):
        asyncio.run(story())


def test_pauses_grow_except_while_the_server_is_away() -> None:
    backoff = Backoff(longest=60.0)
    grown = [backoff.after(Unreachable("no")) for _ in range(8)]

    assert grown[-1] > grown[0]
    assert {backoff.after(Away("refused")) for _ in range(8)} == {Away.retry_after}
    assert backoff.after(Unreachable("no")) < 0.1


def test_parts_take_turns_while_a_try_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(availability, "PROBE_EVERY", 0.001)
    server = Availability()
    server.refused(psycopg.OperationalError("connection refused"))
    tries = 0

    def another_part() -> bool:
        nonlocal tries
        server.wait()  # and hangs in its try, which neither fails nor succeeds
        tries += 1
        return tries == 3

    wait_until(another_part)
