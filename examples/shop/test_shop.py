"""Tests of the shop on a real database, with a clock that the tests move: `pytest test_shop.py`."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import database
import pytest
from database import Item, Order, Payment, sessions
from sqlalchemy import func, select
from tasks import app, balance, process

from tenuto.testing import Isolated, isolated, postgres


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@asynccontextmanager
async def shop(server: str) -> AsyncIterator[Isolated]:
    """A shop with a full stock, in a database of its own."""
    async with isolated(app, server=server) as tn:
        engine = database.make_engine(tn.url)
        sessions.configure(bind=engine)
        await database.create_tables()
        yield tn
        await engine.dispose()


async def order(tn: Isolated, cents: int, **items: int) -> str:
    """Order, and return how the process ended; the approver rejects."""
    async with sessions.begin() as session:
        new = Order(customer="ada", items=items, cents=cents)
        session.add(new)
        await session.flush()
        run = await tn.start(process, new.id, cents, connection=session)
    await run.signal("approval", {"by": "bob", "approved": False})
    await tn.work()
    return await run.result(timeout=10)


async def left(name: str) -> int:
    async with sessions() as session:
        return (await session.get_one(Item, name)).left


async def paid() -> int:
    async with sessions() as session:
        return await session.scalar(select(func.coalesce(func.sum(Payment.cents), 0))) or 0


def test_an_order_is_shipped_from_all_warehouses(server: str) -> None:
    async def story() -> None:
        async with shop(server) as tn:
            assert await order(tn, 12_800, tea=2, teapot=1) == (
                "order 1 is shipped: 1-Kiel (2 tea), 1-Bremen (1 teapot)"
            )
            assert (await left("tea"), await paid()) == (998, 12_800)
            assert await balance() == {"shipped": 12_800, "paid": 12_800}

    asyncio.run(story())


@pytest.mark.parametrize(
    ("cents", "items", "problem"),
    [
        (480_000, {"cup": 1001}, "1000 cup left"),
        (600_000, {"cup": 5}, "6000.00 is more than the credit limit"),
        (120_000, {"cup": 5}, "bob rejected it"),
    ],
)
def test_a_cancelled_order_costs_nothing(server: str, cents: int, items: dict[str, int], problem: str) -> None:
    async def story() -> None:
        async with shop(server) as tn:
            assert await order(tn, cents, **items) == f"order 1 is cancelled: {problem}"
            assert (await left("cup"), await paid()) == (1000, 0)

    asyncio.run(story())


def test_nobody_approves_within_three_days(server: str) -> None:
    async def story() -> None:
        async with shop(server) as tn:
            async with sessions.begin() as session:
                session.add(Order(id=1, customer="ada", items={"teapot": 10}, cents=120_000))
            run = await tn.start(process, 1, 120_000)
            await tn.work()
            assert (await paid(), await left("teapot")) == (120_000, 990)

            await tn.clock.advance("3d")
            await tn.work()
            assert await run.result() == "order 1 is cancelled: nobody approved it within three days"
            assert (await paid(), await left("teapot")) == (0, 1000)

    asyncio.run(story())
