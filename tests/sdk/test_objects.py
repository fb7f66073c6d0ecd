"""Data objects: stored, passed to tasks, held as long as they are needed."""

from uuid import UUID

import pytest

from tenuto import App, DataObject, Graph, chain
from tenuto.model.errors import InvalidInput, NotFound

app = App("media")


@app.task
async def measure(ctx, photo: DataObject, others: list[DataObject | None]) -> int:
    sizes = [len(await ctx.get(one)) for one in (photo, *others) if one]
    return sum(sizes)


@app.task
async def render(ctx, size: int) -> DataObject:
    return await ctx.put(b"x" * size)


@app.task
def long_list(n: int) -> list[str]:
    return ["x" * 100] * n


@app.task
def pair(n: int) -> tuple[str, list[str]]:
    return "small", ["x" * 100] * n


@app.task
def count(items: list[str], name: str = "") -> str:
    return f"{name}{len(items)}"


@app.task
def count_with_name(name: str, items: list[str]) -> str:
    return f"{name}{len(items)}"


def test_small_and_large_objects_come_back_as_they_were(journey):
    async def steps(tn):
        contents = [b"", b"\x00\xff" * 10, b"y" * 1_048_576, b"z" * 1_048_577]
        stored = [await tn.put(content) for content in contents]
        assert [await tn.get(one) for one in stored] == contents
        with pytest.raises(InvalidInput, match="put takes bytes, not 'text'"):
            await tn.put("text")
        with pytest.raises(NotFound):
            await tn.get(UUID(int=5))

    journey(app, steps)


def test_a_task_takes_objects_anywhere_in_its_arguments_and_holds_them(journey):
    async def steps(tn):
        photo, other = await tn.put(b"x" * 10), await tn.put(b"y" * 2_000_000)
        run = await tn.start(measure, photo, [other, None])
        await tn.work()
        async with tn.direct.pool.connection() as conn:
            held = await (await conn.execute("select count(*) from tenuto.data_references")).fetchone()
        return await run.result(), held

    assert journey(app, steps) == (2_000_010, (2,))


def test_objects_flow_from_task_to_task(journey):
    async def steps(tn):
        g = Graph()
        first, second = g.add(render, 10), g.add(render, 2_000_000)
        g.add(measure, first, [second, first])
        run = await tn.start(g)
        await tn.work()
        made = await tn.start(render, 7)
        await tn.work()
        return await run.result(), await tn.get(await made.result())

    assert journey(app, steps) == (2_000_020, b"x" * 7)


def test_outputs_too_large_for_a_row_flow_from_task_to_task(journey):
    async def steps(tn):
        g = Graph()
        g.add(count, g.add(long_list, 20_000))
        whole = await tn.start(g)
        places = await tn.start(chain(pair, count_with_name), 20_000)
        await tn.work()
        return await whole.result(), await places.result()

    assert journey(app, steps) == ("20000", "small20000")


def test_many_starts_take_no_objects_and_say_so(journey):
    async def steps(tn):
        photo = await tn.put(b"x")
        with pytest.raises(InvalidInput, match=r"item 0 contains a data object; start it with tn.start"):
            await tn.start_many(measure, [(photo, [])])

    journey(app, steps)


def test_runs_and_groups_hold_objects_and_persisted_ones_stay(journey):
    async def steps(tn):
        kept, data = await tn.put(b"1", persisted=True), await tn.put(b"2")
        run = await tn.start(measure, data, [])
        await tn.reference(data, run=run)
        await tn.reference(data.id, group="default")
        (held,) = await tn.objects(held_by=run)
        assert (held.id, held.reference_count, held.collect_at) == (data.id, 3, None)
        assert [item.id for item in await tn.objects(group="default")] == [data.id]
        assert [(item.id, item.persisted) for item in await tn.objects(before=data.id)] == [(kept.id, True)]
        assert [await tn.release(data, run=run.id) for _ in range(2)] == [True, False]
        for wrong in ({}, {"run": run, "group": "default"}):
            with pytest.raises(InvalidInput, match="by a run or by a resource group"):
                await tn.reference(data, **wrong)
        with pytest.raises(NotFound):
            await tn.release(data, group="unknown")

    journey(app, steps)


def test_a_task_runs_only_where_its_object_is_if_that_is_hard(journey):
    async def steps(tn):
        here = await tn.put(b"12", at=["far", "test"], hard=True)  # the worker of the test is at "test"
        soft = await tn.put(b"345", at=["far"])
        runs = [await tn.start(measure, here, []), await tn.start(measure, soft, [])]
        away = await tn.start(measure, await tn.put(b"6", at=["far"], hard=True), [])
        await tn.work()
        for wrong in ({"hard": True}, {"at": "far", "hard": True}):
            with pytest.raises(InvalidInput, match="at="):
                await tn.put(b"7", **wrong)
        return [await run.result() for run in runs], await away.status()

    assert journey(app, steps) == ([2, 3], "pending")
