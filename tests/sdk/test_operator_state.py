"""Operator state: kept from run to run, and changed only from the value that was read."""

import asyncio

import pytest

from tenuto import App
from tenuto.model.errors import Conflict
from tenuto.testing import UnitContext

app = App("feed")


@app.task
async def read(ctx, found: list[int]) -> dict:
    cursor = await ctx.state.get("cursor", 0)
    with pytest.raises(KeyError):
        await ctx.state["missing"]
    ctx.state["cursor"] = cursor + len(found)
    count = await ctx.state.update("count", lambda count: count + 1, default=0)
    return {"org": ctx.org, "cursor": await ctx.state["cursor"], "count": count, "all": sorted(await ctx.state.all())}


@app.task
async def other(ctx) -> dict:
    return await ctx.state.all()


@app.task(max_attempts=1)
async def late(ctx) -> str:
    await ctx.state.put("turn", 1)
    version = ctx.state._versions["turn"]
    await ctx.api.call("put_task_state", key="turn", value="another's", version=version)
    with pytest.raises(Conflict, match="no longer at version"):
        await ctx.state.put("turn", 2)
    return await ctx.state.update("turn", lambda turn: f"after {turn}")


def test_state_outlives_the_run_and_belongs_to_the_type(journey):
    async def steps(tn):
        results = []
        for found in ([1, 2], [3]):
            run = await tn.start(read, found)
            await tn.work()
            results.append(await run.result())
        run = await tn.start(other)
        await tn.work()
        return results, await run.result()

    first, second = {"cursor": 2, "count": 1}, {"cursor": 3, "count": 2}
    both = {"org": "default", "all": ["count", "cursor"]}
    assert journey(app, steps) == ([{**both, **first}, {**both, **second}], {})


def test_a_value_that_another_task_changed_is_not_overwritten(journey):
    async def steps(tn):
        run = await tn.start(late)
        await tn.work()
        return await run.result()

    assert journey(app, steps) == "after another's"


def test_a_unit_test_passes_state_and_sees_it():
    ctx = UnitContext(state={"cursor": 5}, org="acme")

    result = asyncio.run(read(ctx, [1]))

    asyncio.run(ctx.flush())
    assert (result["org"], ctx.kept) == ("acme", {"cursor": 6, "count": 1})
