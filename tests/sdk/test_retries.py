"""The retry of a run continues after the steps and children that completed."""

from typing import Any

import pytest

from tenuto import App, ChildFailed, Conflict, Context, InvalidInput, RunFailed, SyncContext

app = App("retries")
ran: list[str] = []
broken: set[str] = set()


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    ran.clear()
    broken.clear()


def act(name: str) -> str:
    ran.append(name)
    if name in broken:
        raise ConnectionError(f"{name} is down")
    return f"{name} done"


@app.task(max_attempts=1)
def pack(order: int) -> str:
    return act("pack")


@app.task(max_attempts=1)
def label(order: int) -> str:
    return act("label")


@app.task(max_attempts=1)
async def process(ctx: Context, order: int) -> list[str]:
    charged = await ctx.step("charge", act, "charge")
    reserved = await ctx.step("reserve", act, "reserve")
    await ctx.sleep("1h")
    parcel = await ctx.gather(ctx.start(pack, order), ctx.start(label, order))
    shipped = await ctx.step("ship", act, "ship")
    return [charged, reserved, *parcel, shipped]


async def work(tn: Any) -> list[str]:
    """What was executed until nothing is left to do."""
    ran.clear()
    await tn.work()
    await tn.clock.advance("2h")
    await tn.work()
    return sorted(ran)


async def failed(run: Any) -> str:
    with pytest.raises(RunFailed) as caught:
        await run.result(timeout=60)
    return str(caught.value)


def test_a_retry_runs_neither_completed_steps_nor_completed_children_again(journey):
    async def steps(tn):
        broken.update({"label", "ship"})
        first = await tn.start(process, 7)
        assert await work(tn) == ["charge", "label", "pack", "reserve"]
        assert "label is down" in await failed(first)

        broken.remove("label")
        second = await first.retry()
        ran.clear()
        await tn.work()  # the sleep is over: it is not slept again
        assert ran == ["label", "ship"]
        assert "ship is down" in await failed(second)

        broken.clear()
        third = await second.retry()
        assert await work(tn) == ["ship"]
        info = await third.info()
        assert (info.type, info.retry_of, info.total_tasks, info.completed_tasks) == (process.name, second.id, 3, 3)
        assert (await second.info()).retried_by == third.id
        with pytest.raises(Conflict, match=f"was retried by run {third.id}"):
            await second.retry()
        return await third.result(timeout=60)

    assert journey(app, steps) == [f"{name} done" for name in ("charge", "reserve", "pack", "label", "ship")]


def test_a_retry_from_scratch_runs_everything_again(journey):
    async def steps(tn):
        broken.add("ship")
        first = await tn.start(process, 7)
        await work(tn)
        await failed(first)
        broken.clear()
        second = await first.retry(reuse=False)
        seen = await work(tn)
        await second.result(timeout=60)
        return seen

    assert journey(app, steps) == ["charge", "label", "pack", "reserve", "ship"]


def test_a_retry_from_a_step_runs_it_and_what_follows_again(journey):
    async def steps(tn):
        first = await tn.start(process, 7)
        await work(tn)
        await first.result(timeout=60)
        second = await first.retry(from_="ship")
        seen = await work(tn)
        await second.result(timeout=60)
        with pytest.raises(InvalidInput, match="no task or step 'pay' to retry from"):
            await second.retry(from_="pay")
        return seen

    assert journey(app, steps) == ["ship"]


@app.task(max_attempts=1)
async def compensating(ctx: Context, order: int) -> str:
    try:
        await ctx.gather(ctx.start(pack, order))
    except ChildFailed:
        await ctx.step("refund", act, "refund")
    return await ctx.step("tell", act, "tell")


def test_a_child_whose_failure_was_handled_stays_failed_in_the_retry(journey):
    async def steps(tn):
        broken.update({"pack", "tell"})
        first = await tn.start(compensating, 7)
        assert await work(tn) == ["pack", "refund", "tell"]
        await failed(first)
        broken.clear()
        second = await first.retry()
        assert await work(tn) == ["tell"]
        return await second.result(timeout=60)

    assert journey(app, steps) == "tell done"


@app.task(max_attempts=1)
async def undoing(ctx: Context, order: int) -> str:
    await ctx.step("charge", act, "charge")
    try:
        await ctx.start(pack, order)
    except ChildFailed:
        await ctx.step("refund", act, "refund")
        raise
    return await ctx.step("ship", act, "ship")


@app.task(max_attempts=1)
def undoing_in_a_thread(ctx: SyncContext, order: int) -> str:
    ctx.step("charge", act, "charge")
    try:
        ctx.start(pack, order).result()
    except ChildFailed:
        ctx.step("refund", act, "refund")
        raise
    return ctx.step("ship", act, "ship")


@pytest.mark.parametrize("task", [undoing, undoing_in_a_thread])
def test_a_task_that_undid_its_work_and_raised_again_repeats_nothing_in_a_retry(journey, task):
    async def steps(tn):
        broken.add("pack")
        first = await tn.start(task, 7)
        assert await work(tn) == ["charge", "pack", "refund"]
        assert "pack is down" in await failed(first)
        broken.clear()
        second = await first.retry()
        assert await work(tn) == []
        assert "pack is down" in await failed(second)
        third = await second.retry(from_=pack.name)
        assert await work(tn) == ["pack", "ship"]
        return await third.result(timeout=60)

    assert journey(app, steps) == "ship done"


@app.task(max_attempts=1)
async def approved(ctx: Context) -> str:
    return await ctx.wait("approve", timeout="1h")


def test_a_retry_of_a_wait_that_timed_out_waits_again(journey):
    async def steps(tn):
        first = await tn.start(approved)
        await work(tn)
        assert "approve" in await failed(first)
        second = await first.retry()
        await tn.work()
        await second.signal("approve", "yes")
        await tn.work()
        return await second.result(timeout=60)

    assert journey(app, steps) == "yes"


@app.task(max_attempts=2)
async def paying(ctx: Context) -> str:
    ran.append(ctx.idempotency_key)
    raise ConnectionError("no bank")


@app.task(max_attempts=1)
def paying_in_a_thread(ctx: SyncContext) -> str:
    ran.append(ctx.idempotency_key)
    raise ConnectionError("no bank")


@pytest.mark.parametrize("task", [paying, paying_in_a_thread])
def test_the_idempotency_key_is_the_same_on_every_attempt_and_in_every_retry(journey, task):
    async def steps(tn):
        first = run = await tn.start(task)
        seen: list[str] = []
        for reuse in (True, False, True):
            seen += await work(tn)
            await failed(run)
            run = await run.retry(reuse=reuse)
        seen += await work(tn)
        assert len(seen) == 4 * task.kind["max_attempts"]
        return set(seen) == {str(first.id)}

    assert journey(app, steps)


def test_the_retry_of_a_child_keeps_its_idempotency_key_and_its_own_steps(journey):
    async def steps(tn):
        broken.add("second")
        run = await tn.start(outer)
        await work(tn)
        await failed(run)
        first = ran.copy()
        broken.clear()
        again = await run.retry()
        await work(tn)
        await again.result(timeout=60)
        (key,) = {name for name in first if name.startswith("key ")}
        return first == [key, "first", "second"], ran == [key, "second"]

    assert journey(app, steps) == (True, True)


@app.task(max_attempts=1)
async def inner(ctx: Context) -> str:
    ran.append(f"key {ctx.idempotency_key}")
    await ctx.step("first", act, "first")
    return await ctx.step("second", act, "second")


@app.task(max_attempts=1)
async def outer(ctx: Context) -> list[str]:
    return await ctx.gather(ctx.start(inner))


@app.task(max_attempts=1)
async def remembers(ctx: Context) -> str:
    async def ask() -> None:
        await ctx.data.put("customer", act("customer"))

    await ctx.step("customer", ask)
    await ctx.step("mail", act, "mail")
    return await ctx.data["customer"]


def test_data_that_a_reused_step_wrote_is_there_in_the_retry(journey):
    async def steps(tn):
        broken.add("mail")
        run = await tn.start(remembers)
        await work(tn)
        await failed(run)
        broken.clear()
        again = await run.retry()
        await work(tn)
        return await again.result(timeout=60)

    assert journey(app, steps) == "customer done"
    assert ran == ["mail"]
