"""tenuto.testing: days pass in a moment, and what a worker would do happens inside the test."""

import asyncio

import psycopg
import pytest

from tenuto import App, Context, SyncContext
from tenuto.testing import isolated

app = App("slow")
nights: list[str] = []


@app.task
async def approve(ctx: Context, n: int) -> str:
    await ctx.sleep("3d")
    try:
        return f"{n} {await ctx.wait('approved', timeout='1d')}"
    except TimeoutError:
        return f"{n} nobody"


@app.task
def double(x: int) -> int:
    return 2 * x


@app.task
async def parent(ctx: Context, n: int) -> int:
    return sum(await ctx.gather(*ctx.map(double, range(n))))


@app.task
def plain_parent(ctx: SyncContext, n: int) -> int:
    return sum(ctx.gather(*ctx.map(double, range(n))))


@app.task(cron="0 3 * * *", timezone="Europe/Berlin", catch_up="all")
def nightly() -> None:
    nights.append("night")


@app.task
async def for_ever(ctx: Context) -> None:
    ctx.snooze(0)


def test_sleeps_and_signals_take_no_time(journey):
    async def steps(tn):
        run, late = await tn.start(approve, 1), await tn.start(approve, 2)
        assert await tn.work() == 2
        await tn.clock.advance("3d")
        await tn.work()
        await tn.signal(run, "approved", "yes")
        await tn.work()
        await tn.clock.advance("1d")
        await tn.work()
        return await run.result(), await late.result()

    assert journey(app, steps) == ("1 yes", "2 nobody")


def test_children_of_async_and_plain_tasks_are_gathered(journey):
    async def steps(tn):
        runs = [await tn.start(parent, 10), await tn.start(plain_parent, 4)]
        await tn.work()
        return [await run.result() for run in runs]

    assert journey(app, steps) == [90, 12]


def test_nights_pass_and_schedules_fire(journey):
    nights.clear()

    async def steps(tn):
        await tn.work()
        before = len(nights)
        await tn.clock.advance("3d")
        await tn.work()
        return len(nights) - before

    assert journey(app, steps) == 3


def test_work_without_end_is_told_from_much_work(journey):
    async def steps(tn):
        await tn.start(for_ever)
        with pytest.raises(AssertionError, match="attempts ran and more are ready"):
            await tn.work(most=20)

    journey(app, steps)


def test_each_client_has_a_database_of_its_own_that_is_gone_afterwards(server: str) -> None:
    async def steps() -> list[str]:
        async with isolated(app, server=server) as tn, isolated(app, server=server) as other:
            run = await tn.start(double, 4)
            assert (await tn.work(), await other.work()) == (1, 0)
            assert await run.result() == 8
            return [tn.url, other.url]

    for url in asyncio.run(steps()):
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            psycopg.connect(url)
