"""Steps that the code stops waiting for, control flow that the code catches, and calls that are no steps."""

import asyncio
from typing import Any

import pytest

from tenuto import App, Context, Fail, Fixed, Retry, RunFailed, SyncContext, step

app = App("interrupted")
ran: list[str] = []


def note(name: str) -> str:
    ran.append(name)
    return name


async def slow() -> str:
    ran.append("charge")
    if ran.count("charge") == 1:
        await asyncio.Event().wait()
    return "charged"


async def broken() -> None:
    ran.append("broken")
    raise ValueError("broken")


@app.task
async def in_time(ctx: Context) -> str:
    try:
        async with asyncio.timeout(0.2):
            return await ctx.step("charge", slow)
    except TimeoutError:
        await ctx.step("cancel", note, "cancel")
        await ctx.sleep("1h")
    return "cancelled"


@app.task
async def first_of_two(ctx: Context) -> str:
    parts = [asyncio.create_task(ctx.step("charge", slow)), asyncio.create_task(ctx.step("fast", note, "fast"))]
    done, pending = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
    for part in pending:
        part.cancel()
    await ctx.step("cancel", note, "cancel")
    await ctx.sleep("1h")
    return "cancelled" if parts[0] in pending and parts[1] in done else "charged"


@app.task
async def in_a_group(ctx: Context) -> str:
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(ctx.step("charge", slow))
            group.create_task(ctx.step("broken", broken))
    except* ValueError:
        await ctx.step("cancel", note, "cancel")
        await ctx.sleep("1h")
    return "cancelled"


@app.task
async def left_waiting(ctx: Context) -> str:
    """On waking, the interrupted step waits while the attempt ends again."""
    part = asyncio.create_task(ctx.step("charge", slow))
    await ctx.step("cancel", note, "cancel")
    if "again" not in ran:
        part.cancel()
        await asyncio.wait([part])
    await ctx.sleep("1h")
    return "cancelled"


INTERRUPTED = [in_time, first_of_two, in_a_group, left_waiting]


@pytest.mark.parametrize("task", INTERRUPTED)
def test_a_step_that_the_code_stopped_waiting_for_does_not_run_again(journey: Any, task: Any) -> None:
    ran.clear()

    async def steps(tn: Any) -> Any:
        run = await tn.start(task)
        await tn.work()
        ran.append("again")
        for _ in range(2):
            await tn.clock.advance("30m")
            await tn.work()
        return await run.result(timeout=60)

    assert journey(app, steps) == "cancelled"
    assert (ran.count("charge"), ran.count("cancel")) == (1, 1)


def ends(kind: str) -> str:
    ran.append("charge")
    if ran.count("charge") == 1:
        raise {"retry": Retry, "fail": Fail, "cancelled": asyncio.CancelledError}[kind]("ended")
    return "charged"


@app.task
async def catches(ctx: Context, kind: str) -> str:
    try:
        return await ctx.step("charge", ends, kind)
    except BaseException as error:
        await ctx.step("cancel", note, "cancel")
        await ctx.sleep("1h")
        return f"cancelled by {type(error).__name__}"


@app.task
def catches_in_a_thread(ctx: SyncContext, kind: str) -> str:
    try:
        return ctx.step("charge", ends, kind)
    except BaseException as error:
        ctx.step("cancel", note, "cancel")
        ctx.sleep("1h")
        return f"cancelled by {type(error).__name__}"


def too_large(_: str) -> str:
    ran.append("charge")
    return "x" * 2_000_000


def no_json(_: str) -> Any:
    ran.append("charge")
    return {1, 2}


@app.task
async def catches_what_cannot_be_stored(ctx: Context, kind: str) -> str:
    try:
        return await ctx.step("charge", too_large if kind == "size" else no_json, kind)
    except Exception as error:
        await ctx.step("cancel", note, "cancel")
        await ctx.sleep("1h")
        return f"cancelled by {type(error).__name__}"


@pytest.mark.parametrize(
    ("task", "kind", "error"),
    [
        (catches, "retry", "Retry"),
        (catches, "fail", "Fail"),
        (catches, "cancelled", "CancelledError"),
        (catches_in_a_thread, "fail", "Fail"),
        (catches_what_cannot_be_stored, "size", "Fail"),
        (catches_what_cannot_be_stored, "type", "WrongValue"),
    ],
)
def test_whatever_the_code_catches_is_raised_again(journey: Any, task: Any, kind: str, error: str) -> None:
    ran.clear()

    async def steps(tn: Any) -> Any:
        run = await tn.start(task, kind)
        await tn.work()
        await tn.clock.advance("1h")
        await tn.work()
        return await run.result(timeout=60)

    assert journey(app, steps) == f"cancelled by {error}"
    assert ran == ["charge", "cancel"]


@step(max_attempts=4, retry=Fixed("1d"))
def asks_for_a_pause() -> None:
    ran.append("try")
    if len(ran) < 3:
        raise Retry("later", after="1m")
    raise Fail("never")


@app.task(max_attempts=1)
async def steps_that_ask(ctx: Context) -> None:
    await ctx.step("ask", asks_for_a_pause)


def test_retry_in_a_step_sets_the_pause_and_fail_ends_the_tries(journey: Any) -> None:
    ran.clear()

    async def steps(tn: Any) -> None:
        run = await tn.start(steps_that_ask)
        for _ in range(3):
            await tn.work()
            await tn.clock.advance("1m")
        with pytest.raises(RunFailed, match="never"):
            await run.result(timeout=60)

    journey(app, steps)
    assert ran == ["try"] * 3


@app.task(max_attempts=1)
async def mistaken(ctx: Context, how: str) -> None:
    async def outer() -> None:
        await ctx.step("inner", note, "inner")

    match how:
        case "nested":
            await ctx.step("outer", outer)
        case "no name":
            await ctx.step(note, "ran")  # pyright: ignore[reportArgumentType, reportCallIssue]
        case "called":
            await ctx.step("note", note("called"))  # pyright: ignore[reportArgumentType, reportCallIssue]
        case _:
            await ctx.step("x" * 300, note, "ran")


@app.task(max_attempts=1)
def nested_in_a_thread(ctx: SyncContext, _: str) -> None:
    ctx.step("outer", lambda: ctx.sleep("1s"))


def test_a_call_that_is_no_step_is_refused_before_anything_runs(journey: Any) -> None:
    ran.clear()
    nested = "step 'outer' calls ctx.step, .* make the step a task"

    async def steps(tn: Any) -> None:
        for task, how, message in [
            (mistaken, "nested", nested),
            (nested_in_a_thread, "nested", nested),
            (
                mistaken,
                "no name",
                "the name of a step is <function note",
            ),
            (mistaken, "called", "step 'note': 'called' is not a function; pass the function and its arguments"),
            (mistaken, "long", "not a text of 1 to 256 bytes"),
        ]:
            run = await tn.start(task, how)
            await tn.work()
            with pytest.raises(RunFailed, match=message):
                await run.result(timeout=60)

    journey(app, steps)
    assert ran == ["called"]
