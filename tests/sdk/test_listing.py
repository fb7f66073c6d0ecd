"""What a client sees and sets beside its own runs: lists of runs, deleting them, schedules."""

import pytest

from tenuto import App
from tenuto.model.counts import Count
from tenuto.model.errors import Conflict, InvalidInput, NotFound

app = App("shop")
nights: list[str] = []


@app.task
def add(x: int, y: int) -> int:
    return x + y


@app.task
def night(name: str) -> None:
    nights.append(name)


def test_runs_are_listed_newest_first_by_what_they_are(journey):
    async def steps(tn):
        first = await tn.start(add, 1, 2)
        await tn.work()
        many = await tn.start_many(night, [f"n{no}" for no in range(3)])
        every = await tn.runs()
        assert [one.id for one in every] == [*reversed(many.ids), first.id]
        assert [one.id for one in await tn.runs(most=2)] == [one.id for one in every[:2]]
        assert [one.id for one in await tn.runs(type="shop.add")] == [first.id]
        assert [one.id for one in await tn.runs(status=["completed", "failed"], since="1h")] == [first.id]
        assert await tn.runs(until="1h") == []
        assert await tn.runs.count(status=["completed", "pending"]) == Count(4, exact=True)
        with pytest.raises(InvalidInput, match="status is an empty list"):
            await tn.runs(status=[])
        return [(one.status, one.type) for one in await tn.runs(status="completed")]

    assert journey(app, steps) == [("completed", "shop.add")]


def test_a_run_is_deleted_once_it_has_ended(journey):
    async def steps(tn):
        run = await tn.start(add, 1, 2)
        with pytest.raises(Conflict):
            await run.delete()
        await tn.work()
        await run.delete()
        with pytest.raises(NotFound, match="no run"):
            await run.status()

    journey(app, steps)


def test_metadata_is_changed_and_found(journey):
    async def steps(tn):
        run, other = await tn.start(add, 1, 2, metadata={"team": "eu"}), await tn.start(add, 1, 2)
        await tn.work()
        await run.set_metadata({"team": "us", "n": 1})
        await tn.tasks.set_metadata(str(other.id), {"n": 1})
        assert (await run.info()).metadata == {"team": "us", "n": 1}
        assert [one.id for one in await tn.runs(metadata={"n": 1})] == [other.id, run.id]
        assert [one.id for one in await tn.runs(metadata={"n": 1}, most=1)] == [other.id]
        assert [one.id for one in await tn.tasks(metadata={"n": 1})] == [other.id]
        assert [one.id for one in await tn.tasks(run_id=run.id, type="shop.add", status="completed")] == [run.id]
        await run.set_metadata({"team": None})
        assert (await run.info()).metadata == {"n": 1}
        for wrong in ({}, {"a": object()}):
            with pytest.raises(InvalidInput, match="metadata"):
                await run.set_metadata(wrong)
        with pytest.raises(InvalidInput, match="is not the id of a task"):
            await tn.tasks.set_metadata("x", {"a": 1})

    journey(app, steps)


def test_one_task_of_an_ended_run_is_deleted(journey):
    async def steps(tn):
        g = tn.graph("two")
        g.add(night, "a")
        g.add(night, "b")
        run = await tn.start(g)
        first, _ = await run.tasks()
        with pytest.raises(Conflict, match="not final"):
            await tn.tasks.delete(first.id)
        await tn.work()
        await tn.tasks.delete(first.id)
        assert first.id not in [task.id for task in await run.tasks()]
        with pytest.raises(NotFound, match="no task"):
            await tn.tasks.delete(first.id)
        single = await tn.start(night, "c")
        await tn.work()
        with pytest.raises(Conflict, match="delete the run"):
            await tn.tasks.delete(single.id)

    journey(app, steps)


def test_schedules_are_put_held_and_deleted(journey):
    nights.clear()

    async def steps(tn):
        put = await tn.schedules.put("nightly", night, "a", cron="0 3 * * *", timezone="Europe/Berlin", catch_up="all")
        assert (put.name, put.input, put.catch_up) == ("nightly", ["a"], "all")
        await tn.clock.advance("2d")
        await tn.work()
        await tn.schedules.pause("nightly")
        await tn.clock.advance("2d")
        await tn.work()
        await tn.schedules.resume("nightly")
        await tn.clock.advance("1d")
        await tn.work()
        listed = [one.name for one in await tn.schedules.list()]
        await tn.schedules.delete("nightly")
        return listed, await tn.schedules.list()

    assert journey(app, steps) == (["nightly"], [])
    assert nights == ["a"] * 3


def test_a_schedule_that_cannot_be_is_refused(journey):
    async def steps(tn):
        with pytest.raises(InvalidInput, match="cannot be read"):
            await tn.schedules.put("x", night, "a", cron="at night")
        with pytest.raises(InvalidInput, match="dedupe_key is an option of a single run"):
            await tn.schedules.put("x", night.options(dedupe_key="k"), "a", cron="@daily")
        with pytest.raises(InvalidInput, match=r"its signature is shop\.night"):
            await tn.schedules.put("x", night, cron="@daily")
        with pytest.raises(NotFound, match="no schedule"):
            await tn.schedules.resume("x")

    journey(app, steps)
