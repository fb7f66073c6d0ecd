"""Schedules through the client: intervals, starts by hand, tasks by name, over both transports."""

import asyncio
from datetime import UTC

import pytest

from tenuto import App, InvalidInput, NotFound
from tenuto.testing import isolated
from tests.support.database.tasks import task

app = App("shop")


@app.task
def report(day: str = "today") -> str:
    return day


def test_a_sync_client_puts_lists_fires_pauses_resumes_and_deletes(way, db):
    with app.connect_sync(**way) as tn:
        put = tn.schedules.put("often", report, "monday", every="10m", jitter="5s", timezone=None, catch_up=None)
        assert (put.cron, put.timezone, put.catch_up, put.jitter_seconds) == ("@every 10m", "UTC", "one", 5)
        assert put.next_at is not None
        assert put.next_at.astimezone(UTC).minute % 10 == 0
        tn.schedules.pause("often")
        run = tn.schedules.run("often")

        assert task(db, run.id)["input"] == ["monday"]
        assert run.status() == "pending"
        (listed,) = tn.schedules.list()
        assert listed.paused_at is not None
        tn.schedules.resume("often")
        tn.schedules.delete("often")
        assert tn.schedules.list() == []
        with pytest.raises(NotFound, match="no schedule often"):
            tn.schedules.run("often")


def test_an_async_client_schedules_a_task_by_its_name(way, db):
    async def steps() -> None:
        async with App("web").connect(**way) as tn:
            put = await tn.schedules.put("nightly", "shop.report", cron="0 3 * * *", timezone="Europe/Berlin")
            assert (put.kind["type"], put.cron) == ("shop.report", "0 3 * * *")
            assert (await tn.schedules.put("nightly", "shop.report", every=3600)).cron == "@every 1h"
            run = await tn.schedules.run("nightly")
            assert task(db, run.id)["type"] == "shop.report"

    asyncio.run(steps())


def test_wrong_times_are_refused_before_anything_is_sent(way):
    with app.connect_sync(**way) as tn:
        with pytest.raises(InvalidInput, match="schedule x: a schedule has either cron or every; write cron="):
            tn.schedules.put("x", report)
        with pytest.raises(InvalidInput, match="schedule x: a schedule has either cron or every; write cron="):
            tn.schedules.put("x", report, cron="@daily", every="1h")
        with pytest.raises(InvalidInput, match="schedule x: every is '500ms', not a whole number of seconds"):
            tn.schedules.put("x", report, every="500ms")
        with pytest.raises(InvalidInput, match="timezone 'Mars' is not known"):
            tn.schedules.put("x", report, cron="@daily", timezone="Mars")
        with pytest.raises(InvalidInput, match="jitter"):
            tn.schedules.put("x", report, cron="@daily", jitter="2d")
        assert tn.schedules.list() == []


def test_a_task_declared_with_an_interval_fires_at_every_multiple(server):
    own = App("own")

    @own.task(every="10m")
    def tick() -> str:
        return "tick"

    async def steps() -> int:
        async with isolated(own, server=server) as tn:
            await tn.clock.advance("10m")
            await tn.work()
            await tn.clock.advance("10m")
            await tn.work()
            return len(await tn.runs(type="own.tick"))

    assert own.tasks["own.tick"].declared.cron == "@every 10m"
    assert asyncio.run(steps()) == 2
    with pytest.raises(InvalidInput, match=r"own.x: a schedule has either cron or every"):
        own.task(name="x", cron="@daily", every="1h")(lambda: None)
