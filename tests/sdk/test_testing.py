"""tenuto.testing: days pass in a moment, and what a worker would do happens inside the test."""

import asyncio
import shlex
import threading
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from tenuto import App, Context, Rate, RunFailed, SyncContext, WaitTimeout
from tenuto.testing import NotEnded, isolated, isolated_sync
from tenuto.testing.isolation import isolated_client
from tests.support.postgres.server import copy_home
from tests.support.processes.terminal import newcomer

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


@app.task(timeout="50ms", max_attempts=1)
async def hangs() -> None:
    await asyncio.sleep(3600)


@app.task(timeout="50ms", max_attempts=1)
async def ends_in_time(ctx: Context) -> bool:
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(3600)
    return ctx.cancelled


@app.task(timeout="50ms", max_attempts=1)
def stops(ctx: SyncContext) -> None:
    while not ctx.cancelled:
        time.sleep(0.01)
    raise InterruptedError("asked to stop")


let_go = threading.Event()


@app.task(timeout="50ms", max_attempts=1)
def never_stops() -> None:
    let_go.wait(60)


def test_a_timeout_ends_an_attempt_as_in_a_worker(journey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenuto.testing.inline.STOP_GRACE_SECONDS", 1.0)

    async def steps(tn):
        let_go.clear()
        runs = [await tn.start(task) for task in (hangs, stops, never_stops, ends_in_time)]
        await tn.work()
        let_go.set()
        for run in runs[:3]:
            with pytest.raises(RunFailed, match=r"it ran longer than its timeout of 0.05 s"):
                await run.result(timeout=60)
        return await runs[3].result(timeout=60)

    assert journey(app, steps) is True


async def note(name: str) -> None:
    nights.append(name)


low, high = app.task(priority=-1, name="low")(note), app.task(priority=1, name="high")(note)


def test_tasks_run_by_priority_then_by_age(journey) -> None:
    names = [f"{kind} {no}" for no in range(30) for kind in ("low", "high")]

    async def steps(tn):
        nights.clear()
        for name in names:
            await tn.start({"low": low, "high": high}[name.split()[0]], name)
        await tn.work()
        return [*nights]

    assert journey(app, steps) == sorted(names, key=lambda name: "high" not in name)


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


def test_rates_admit_tasks_as_the_clock_moves(journey):
    limited = App("limited")

    @limited.task(rate=Rate("2/m"))
    async def call() -> None: ...

    async def steps(tn):
        await tn.start_many(call, [()] * 5)
        ran = [await tn.work()]
        for _ in range(2):
            await tn.clock.advance("1m")
            ran.append(await tn.work())
        return ran

    assert journey(limited, steps) == [1, 2, 2], "one every 30 seconds"


def test_a_schedule_fires_every_time_that_the_clock_passes(journey):
    app, times = App("often"), []

    @app.task(cron="0 * * * *")
    async def hourly(ctx: Context) -> None:
        times.append(ctx.metadata["fire_time"])

    async def steps(tn):
        await tn.clock.advance("5h")
        return await tn.work()

    assert journey(app, steps) == 5
    assert len(set(times)) == 5


def test_a_run_that_is_cancelled_ends_with_the_next_work(journey):
    async def steps(tn):
        run = await tn.start(approve, 1)
        await tn.work()
        await run.cancel()
        await tn.work()
        return await run.status()

    assert journey(app, steps) == "cancelled"


def test_waiting_for_a_run_that_nobody_works_on_is_refused(database: str) -> None:
    async def steps() -> None:
        async with isolated_client(app, database) as tn:
            run = await tn.start(double, 4)
            with pytest.raises(NotEnded, match=r"no worker runs: call `tn.work\(\)` first"):
                await run.result()
            waiting = asyncio.create_task(run.result())
            await tn.work()
            assert await waiting == 8
            with pytest.raises(WaitTimeout, match=r"has not ended within 0.1 s"):
                await (await tn.start(double, 5)).result(timeout=0.1)

    asyncio.run(steps())


def test_a_synchronous_test_moves_the_clock_and_works_for_several_apps(server: str) -> None:
    other = App("other")

    @other.task
    async def triple(x: int) -> int:
        return 3 * x

    with isolated_sync(app, other, server=server) as tn:
        runs = [tn.start(double, 4), tn.start("other.triple", 4)]
        slow = tn.start(approve, 1)
        assert tn.work() == 3
        assert [run.result() for run in runs] == [8, 12]

        before = tn.clock.now
        assert tn.clock.advance("3d") - before == timedelta(days=3)
        tn.work()
        tn.clock.advance("2d")
        tn.work()
        assert slow.result() == "1 nobody"


PLUGIN_TESTS = """
import pytest
from tenuto import App

app = App("shop")


@app.task
async def add(x: int, y: int) -> int:
    return x + y


@pytest.fixture(scope="session")
def tenuto_app():
    return app


def test_a_task(tenuto_client):
    run = tenuto_client.start(add, 1, 2)
    assert tenuto_client.work() == 1
    assert run.result() == 3


def test_another_database(tenuto_client):
    assert tenuto_client.work() == 0
"""


def test_the_fixtures_of_the_plugin_and_what_a_killed_session_left(testing_home: Path) -> None:
    with newcomer() as terminal:
        home = Path(terminal.environment["TENUTO_HOME"])
        home.mkdir()
        home.chmod(0o755)
        copy_home(testing_home, home / "testing")
        script = "import os; from tenuto.testing import *; from tenuto import App\nwith postgres() as url:\n"
        script += "    with isolated_sync(App('a'), server=url) as tn:\n"
        script += "        tn.work(); print(tn.url, flush=True); os._exit(9)\n"
        killed = terminal.run(f"python -c {shlex.quote(script)} || true").stdout.strip()
        with psycopg.connect(killed) as left:
            assert left.execute("select 1").fetchone() == (1,)

        (terminal.folder / "test_shop.py").write_text(PLUGIN_TESTS)
        done = terminal.run("pytest -q -p no:cacheprovider test_shop.py 2>&1")

        assert "2 passed" in done.stdout
        with pytest.raises(psycopg.OperationalError, match="refused"):
            psycopg.connect(killed)
