"""Tasks whose code changes under them: set aside by code that cannot continue them, continued by code that can."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tenuto import App, Context, RunCancelled, SyncContext
from tenuto.testing.isolation import Isolated, isolated_client

ran: list[str] = []


@pytest.fixture
def transport() -> str:
    """Versions of workers share one database; how their client reaches it does not matter."""
    return "direct"


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def an_app(order: Callable[..., Any], **options: Any) -> App:
    """A version of an app: each has the task `shop.order` and a child task."""
    app = App("shop")
    app.task(name="order", max_attempts=1, **options)(order)
    app.task(name="child")(child)
    app.task(name="other_child")(child)
    return app


def child(name: str) -> str:
    return name


def do(name: str) -> str:
    ran.append(name)
    return name


@asynccontextmanager
async def running(app: App, url: str) -> AsyncIterator[Isolated]:
    """A client of another version of the app, after its worker has done what it can."""
    async with isolated_client(app, url) as tn:
        await tn.work()
        yield tn


async def old_order(ctx: Context) -> str:
    await ctx.step("charge", do, "charge")
    await ctx.wait("go")
    await ctx.step("ship", do, "ship")
    return "old"


async def renamed(ctx: Context) -> str:
    await ctx.step("bill", do, "bill")
    return "new"


async def sleeps(ctx: Context) -> str:
    await ctx.sleep("1h")
    return "new"


async def waits(ctx: Context) -> str:
    await ctx.wait("approval", timeout="1h")
    return "new"


async def gathers(ctx: Context) -> str:
    await ctx.gather(ctx.step("bill", do, "bill"), ctx.step("charge", do, "charge"))
    return "new"


async def swallows(ctx: Context) -> str:
    try:
        await ctx.step("bill", do, "bill")
    except BaseException:
        await ctx.data.put("bad", 1)
    return "new"


async def groups(ctx: Context) -> str:
    import asyncio

    async with asyncio.TaskGroup() as group:
        group.create_task(ctx.sleep("1h"))
    return "new"


def in_a_thread(ctx: SyncContext) -> str:
    ctx.step("bill", do, "bill")
    return "new"


CHANGES = {
    renamed: "step 'bill'",
    sleeps: "sleep",
    waits: "sleep 'approval timeout'",
    gathers: "step 'bill'",
    swallows: "step 'bill'",
    groups: "sleep",
    in_a_thread: "step 'bill'",
}


@pytest.mark.parametrize("changed", CHANGES, ids=lambda function: function.__name__)
def test_changed_code_sets_the_task_aside_and_the_old_code_continues_it(journey, changed):
    async def steps(tn):
        run = await tn.start("shop.order")
        await tn.work()
        await run.signal("go")

        async with running(an_app(changed), tn.url) as new:
            (why,) = await new.run(run.id).why()
            (task,) = await new.run(run.id).tasks()
        await tn.work()
        return why, task, await run.result(timeout=60)

    why, task, result = journey(an_app(old_order), steps)

    assert f"step 1 was step 'charge' on an earlier attempt and is {CHANGES[changed]} in code version" in why
    assert (task.status, task.failures) == ("waiting", 0)
    assert (result, ran) == ("old", ["charge", "ship"])


async def two_children(ctx: Context) -> str:
    await ctx.gather(*(ctx.start(task, name) for task, name in CHILDREN))
    await ctx.wait("go")
    return "old"


CHILDREN: list[tuple[Any, str]] = []


@pytest.mark.parametrize(("names", "found"), [(["child"] * 3, "3 children 'shop.child'"),
                                              (["other_child"] * 2, "child 'shop.other_child'")])  # fmt: skip
def test_other_children_than_recorded_set_the_task_aside(journey, names, found):
    app, other = an_app(two_children), an_app(two_children)
    CHILDREN[:] = [(app.tasks["shop.child"], "a"), (app.tasks["shop.child"], "b")]

    async def steps(tn):
        run = await tn.start("shop.order")
        await tn.work()
        await run.signal("go")
        CHILDREN[:] = [(other.tasks[f"shop.{name}"], "a") for name in names]
        async with running(other, tn.url) as new:
            return await new.run(run.id).why()

    (why,) = journey(app, steps)

    assert f"and is {found} in code version" in why


def test_a_task_that_no_code_can_continue_is_cancelled(journey):
    async def steps(tn):
        run = await tn.start("shop.order")
        await tn.work()
        await run.signal("go")
        async with running(an_app(renamed), tn.url) as new:
            await new.run(run.id).cancel("not worth a patch")
        with pytest.raises(RunCancelled):
            await run.result(timeout=60)

    journey(an_app(old_order), steps)


async def patched_order(ctx: Context) -> str:
    await ctx.step("charge", do, "charge")
    receipt = await ctx.patched("receipt")
    if receipt:
        await ctx.step("receipt", do, "receipt")
    await ctx.wait("go")
    if await ctx.patched("receipt") != receipt:
        raise AssertionError("the answer changed")
    await ctx.step("ship", do, "ship")
    return "new" if receipt else "old"


async def later_order(ctx: Context) -> str:
    """The patch is gone, because no old run is left."""
    await ctx.step("charge", do, "charge")
    await ctx.step("receipt", do, "receipt")
    await ctx.wait("go")
    await ctx.step("ship", do, "ship")
    return "later"


async def past_the_point(ctx: Context) -> str:
    await ctx.step("charge", do, "charge")
    await ctx.step("reserve", do, "reserve")
    await ctx.wait("go")
    await ctx.step("ship", do, "ship")
    return "old"


async def patched_past_the_point(ctx: Context) -> str:
    await ctx.step("charge", do, "charge")
    new = await ctx.patched("no-reserve")
    if not new:
        await ctx.step("reserve", do, "reserve")
    await ctx.wait("go")
    await ctx.step("ship", do, "ship")
    return "new" if new else "old"


def patched_in_a_thread(ctx: SyncContext) -> str:
    ctx.step("charge", do, "charge")
    new = ctx.patched("no-reserve")
    if not new:
        ctx.step("reserve", do, "reserve")
    ctx.wait("go")
    ctx.step("ship", do, "ship")
    return "new" if new else "old"


@pytest.mark.parametrize("patched", [patched_past_the_point, patched_in_a_thread])
def test_a_patch_gives_old_runs_the_old_way_and_new_runs_the_new(journey, patched):
    async def steps(tn):
        old = await tn.start("shop.order")
        await tn.work()
        async with running(an_app(patched), tn.url) as new:
            fresh = await new.start("shop.order")
            await new.work()
            for run in (old, fresh):
                await run.signal("go")
            await new.work()
            return [await new.run(run.id).result(timeout=60) for run in (old, fresh)]

    assert journey(an_app(past_the_point), steps) == ["old", "new"]
    assert ran == ["charge", "reserve", "charge", "ship", "ship"]


def test_a_run_that_has_not_reached_the_patch_takes_the_new_way(journey):
    async def steps(tn):
        run = await tn.start("shop.order")
        await tn.work()  # waits for the signal: nothing is recorded after the charge
        await run.signal("go")
        async with running(an_app(patched_order), tn.url):
            return await run.result(timeout=60)

    assert journey(an_app(old_order), steps) == "new"
    assert ran == ["charge", "receipt", "ship"]


def test_a_patch_can_be_removed_once_no_old_run_is_left(journey):
    async def steps(tn):
        run = await tn.start("shop.order")
        await tn.work()
        await run.signal("go")
        async with running(an_app(later_order), tn.url):
            return await run.result(timeout=60)

    assert journey(an_app(patched_order), steps) == "later"
    assert ran == ["charge", "receipt", "ship"]


async def asks_at_once(ctx: Context) -> list[Any]:
    answers = await ctx.gather(ctx.patched("a"), ctx.patched("b"), ctx.patched("a"))
    await ctx.sleep("1h")
    return [*answers, await ctx.patched("c")]


def test_patches_asked_at_once_are_recorded_once_each(journey):
    async def steps(tn):
        run = await tn.start("shop.order")
        await tn.work()
        await tn.clock.advance("1h")
        await tn.work()
        return await run.result(timeout=60)

    assert journey(an_app(asks_at_once), steps) == [True] * 4


def test_a_retry_of_the_run_keeps_the_answers(journey):
    async def fails(ctx: Context) -> None:
        if await ctx.patched("receipt"):
            await ctx.step("receipt", do, "receipt")
        raise RuntimeError("after the receipt")

    async def steps(tn):
        run = await tn.start("shop.order")
        await tn.work()
        again = await run.retry()
        await tn.work()
        return await again.wait(timeout=60)

    assert journey(an_app(fails), steps) == "failed"
    assert ran == ["receipt"]
