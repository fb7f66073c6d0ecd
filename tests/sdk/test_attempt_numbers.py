"""`ctx.attempt` counts attempts that failed or were lost, plus this one."""

from typing import Any

import pytest

from tenuto import App, Context, SyncContext

app = App("numbers")
seen: list[int] = []


@app.task(max_attempts=3)
async def waits(ctx: Context) -> list[int]:
    seen.append(ctx.attempt)
    await ctx.sleep("1h")
    await ctx.sleep("1h")
    if ctx.attempt < 3:
        raise ConnectionError("again")
    return seen


@app.task(max_attempts=3)
def waits_in_a_thread(ctx: SyncContext) -> list[int]:
    seen.append(ctx.attempt)
    ctx.sleep("1h")
    ctx.sleep("1h")
    if ctx.attempt < 3:
        raise ConnectionError("again")
    return seen


@pytest.mark.parametrize("task", [waits, waits_in_a_thread])
def test_waits_do_not_count_as_attempts(journey: Any, task: Any) -> None:
    seen.clear()

    async def steps(tn: Any) -> Any:
        run = await tn.start(task)
        numbers = []
        for _ in range(5):
            await tn.work()
            numbers.append((await run.tasks())[0].attempt)
            await tn.clock.advance("1h")
        return numbers, await run.result(timeout=60)

    assert journey(app, steps) == ([1, 1, 1, 2, 3], [1, 1, 1, 2, 3])


@app.task
async def child() -> None: ...


@app.task(max_attempts=3)
async def parent(ctx: Context) -> None:
    await ctx.start(child)
    raise ConnectionError("again")


def test_a_run_with_children_shows_the_attempts_of_the_task_that_it_was_started_with(journey: Any) -> None:
    async def steps(tn: Any) -> Any:
        run = await tn.start(parent)
        await tn.work()
        await tn.clock.advance("1h")
        await tn.work()
        (listed,) = await tn.runs(type=parent.name)
        return [(one.attempt, one.max_attempts, one.total_tasks) for one in (await run.info(), listed)]

    assert journey(app, steps) == [(2, 3, 2), (2, 3, 2)]
