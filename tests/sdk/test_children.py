"""Children that a task starts while it runs."""

from typing import Any

from tenuto import App, ChildFailed, Context, SyncContext

app = App("family")


@app.task(max_attempts=3)
async def shaky(ctx: Context, name: str) -> str:
    raise ConnectionError(f"{name} failed on attempt {ctx.attempt}")


@app.task
async def plain(name: str) -> str:
    return name


@app.task
async def several(ctx: Context) -> list[str]:
    children = [ctx.start(shaky, "thrice"), ctx.start(shaky.options(max_attempts=1), "once"), ctx.start(plain, "fine")]
    ended = await ctx.gather(*children, return_exceptions=True)
    return [one.error["message"] if isinstance(one, ChildFailed) else str(one) for one in ended]


@app.task
async def later(ctx: Context) -> str:
    return await ctx.start(plain.options(delay="1h", name="sleeper", queue="slow"), "late")


@app.task
async def handles(ctx: Context) -> list[str]:
    first = await ctx.start(plain.options(delay="1h"), "first").started()
    second = await ctx.start(plain, "second")
    third, again = await ctx.gather(ctx.start(plain, "third"), first)
    return [second, third, again, await first]


@app.task
async def child_fails(ctx: Context) -> str:
    try:
        return await ctx.start(shaky.options(max_attempts=1), "alone")
    except ChildFailed as error:
        await ctx.sleep("1h")
        return f"{error.status}: {error.error['message']}"


@app.task
def handles_in_a_thread(ctx: SyncContext) -> list[str]:
    first = ctx.start(plain.options(delay="1h"), "first")
    second = ctx.start(plain, "second")
    return [first.result(), *ctx.gather(second, *ctx.map(plain, ["third"])), first.task.name, str(bool(first.task_id))]


@app.task
async def forgets(ctx: Context) -> None:
    first, second = ctx.start(plain, "never"), ctx.start(shaky, "awaited")
    await second.started()
    assert first.task.name == plain.name


@app.task
async def wrong(ctx: Context) -> None:
    await ctx.start(plain.options(dedupe_key="x"), "never")


def test_children_of_one_type_have_options_of_their_own(journey: Any) -> None:
    async def steps(tn: Any) -> Any:
        run = await tn.start(several)
        await tn.work()
        await tn.clock.advance("1h")
        await tn.work()
        await tn.clock.advance("1h")
        await tn.work()
        return await run.result(timeout=60)

    assert journey(app, steps) == ["thrice failed on attempt 3", "once failed on attempt 1", "fine"]


def test_a_child_starts_when_and_where_its_options_say(journey: Any) -> None:
    async def steps(tn: Any) -> Any:
        run = await tn.start(later)
        await tn.work()
        (_, child) = await run.tasks()
        await tn.clock.advance("1h")
        await tn.work()
        return child, await run.result(timeout=60)

    child, result = journey(app, steps)

    assert (child.status, child.name, child.queue) == ("queued", "sleeper", "slow")
    assert result == "late"


def after_an_hour(journey: Any, task: Any) -> Any:
    async def steps(tn: Any) -> Any:
        run = await tn.start(task)
        for _ in range(2):
            await tn.work()
            await tn.clock.advance("1h")
        await tn.work()
        return await run.result(timeout=60)

    return journey(app, steps)


def test_awaiting_a_child_gives_its_result_and_started_gives_the_child(journey: Any) -> None:
    assert after_an_hour(journey, handles) == ["second", "third", "first", "first"]


def test_a_plain_function_asks_its_children_for_their_results(journey: Any) -> None:
    assert after_an_hour(journey, handles_in_a_thread) == ["first", "second", "third", "family.plain", "True"]


def test_awaiting_a_child_that_fails_raises_child_failed_also_on_replay(journey: Any) -> None:
    assert after_an_hour(journey, child_fails) == "failed: alone failed on attempt 1"


def test_what_is_said_of_a_run_is_refused_for_a_child(journey: Any) -> None:
    async def steps(tn: Any) -> Any:
        run = await tn.start(wrong.options(max_attempts=1))
        await tn.work()
        return (await run.info()).error["message"]

    assert journey(app, steps).startswith("family.plain: dedupe_key is an option of a run")


def test_a_child_that_the_function_forgot_to_await_is_named_in_its_log(journey: Any, caplog: Any) -> None:
    async def steps(tn: Any) -> Any:
        run = await tn.start(forgets)
        await tn.work()
        return len(await run.tasks())

    assert journey(app, steps) == 2
    (line,) = [record.getMessage() for record in caplog.records if "never started" in record.getMessage()]
    assert line.startswith("children were prepared and never started: family.plain; write await ctx.start")
