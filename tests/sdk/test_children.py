"""Children that a task starts while it runs."""

from typing import Any

from tenuto import App, ChildFailed, Context

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
    return [one.error["message"] if isinstance(one, ChildFailed) else one for one in ended]


@app.task
async def later(ctx: Context) -> str:
    child = await ctx.start(plain.options(delay="1h", name="sleeper", queue="slow"), "late")
    return (await ctx.gather(child))[0]


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
        return await run.result(timeout=5)

    assert journey(app, steps) == ["thrice failed on attempt 3", "once failed on attempt 1", "fine"]


def test_a_child_starts_when_and_where_its_options_say(journey: Any) -> None:
    async def steps(tn: Any) -> Any:
        run = await tn.start(later)
        await tn.work()
        (_, child) = await run.tasks()
        await tn.clock.advance("1h")
        await tn.work()
        return child, await run.result(timeout=5)

    child, result = journey(app, steps)

    assert (child.status, child.name, child.queue) == ("queued", "sleeper", "slow")
    assert result == "late"


def test_what_is_said_of_a_run_is_refused_for_a_child(journey: Any) -> None:
    async def steps(tn: Any) -> Any:
        run = await tn.start(wrong.options(max_attempts=1))
        await tn.work()
        return (await run.info()).error["message"]

    assert journey(app, steps).startswith("family.plain: dedupe_key is an option of a run")
