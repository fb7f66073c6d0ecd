"""Steps with options: tried again on their own, limited in time, and beside children."""

import asyncio
from typing import Any

import psycopg
import pytest

from tenuto import App, Context, Exponential, Fail, Fixed, InvalidInput, RunFailed, Step, SyncContext, step
from tenuto.sdk.retries import pause_after

app = App("options")
ran: list[str] = []


def failing(times: int, name: str) -> str:
    ran.append(name)
    if ran.count(name) <= times:
        raise ConnectionError(f"{name} failed {ran.count(name)} times")
    return f"{name} after {ran.count(name)}"


@step(max_attempts=3, retry=Fixed("1h"))
def charge(times: int, name: str = "charge") -> str:
    return failing(times, name)


@step(max_attempts=3, retry=Fixed("1h"))
async def charge_async(times: int, name: str = "charge") -> str:
    return failing(times, name)


@app.task(max_attempts=1)
async def pay(ctx: Context, times: int) -> str:
    try:
        return await ctx.step("charge", charge_async, times)
    except ConnectionError as error:
        await ctx.sleep("1h")
        return f"gave up: {error}"


@app.task(max_attempts=1)
async def pay_plainly(ctx: Context, times: int) -> str:
    try:
        return await ctx.step("charge", charge, times=times)
    except ConnectionError as error:
        await ctx.sleep("1h")
        return f"gave up: {error}"


@app.task(max_attempts=1)
def pay_in_a_thread(ctx: SyncContext, times: int) -> str:
    try:
        return ctx.step("charge", charge, times)
    except ConnectionError as error:
        ctx.sleep("1h")
        return f"gave up: {error}"


@app.task(max_attempts=1)
def pay_asynchronously_in_a_thread(ctx: SyncContext, times: int) -> str:
    try:
        return ctx.step("charge", charge_async, times)
    except ConnectionError as error:
        ctx.sleep("1h")
        return f"gave up: {error}"


ALL = [pay, pay_plainly, pay_in_a_thread, pay_asynchronously_in_a_thread]


def after_hours(hours: int, task: Any, *args: Any) -> Any:
    """The steps of a journey: the state of the task after each hour, and the result."""
    ran.clear()

    async def steps(tn: Any) -> Any:
        run = await tn.start(task, *args)
        await tn.work()
        states: list[str] = []
        for _ in range(hours):
            states.append((await run.tasks())[0].status)
            await tn.clock.advance("1h")
            await tn.work()
        return states, await run.result(timeout=60)

    return steps


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
def test_a_step_is_tried_again_after_its_pause_without_using_attempts_of_the_task(journey: Any, task: Any) -> None:
    states, result = journey(app, after_hours(2, task, 2))

    assert (states, result) == (["waiting", "waiting"], "charge after 3")
    assert ran == ["charge"] * 3


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
def test_after_the_last_try_the_failure_is_the_functions_to_handle_and_stays(journey: Any, task: Any) -> None:
    _, result = journey(app, after_hours(3, task, 9))

    assert result == "gave up: charge failed 3 times"
    assert ran == ["charge"] * 3


@app.task(max_attempts=2)
async def unhandled(ctx: Context) -> None:
    await ctx.step("charge", charge, 9)


def test_a_step_whose_last_failure_ends_the_attempt_is_tried_once_more_by_the_next(journey: Any) -> None:
    with pytest.raises(RunFailed, match="charge failed 4 times"):
        journey(app, after_hours(4, unhandled))
    assert ran == ["charge"] * 4


@step(max_attempts=9, retry=lambda _, tries: Fail if tries == 2 else "1h")
def gives_up() -> None:
    failing(9, "charge")


@step(max_attempts=9, retry=Fixed("1h"))
def fails_for_good() -> None:
    ran.append("charge")
    raise Fail("no such card")


@app.task
async def once(ctx: Context, which: str) -> None:
    await ctx.step("charge", {"policy": gives_up, "fail": fails_for_good}[which])


@step(max_attempts=2, retry=lambda *_: "soon")  # type: ignore[arg-type]
def retried_soon() -> str:
    return failing(1, "charge")


@app.task(max_attempts=1)
async def pay_soon(ctx: Context) -> str:
    return await ctx.step("charge", retried_soon)


def test_a_step_whose_policy_fails_keeps_its_error_and_is_tried_again(journey: Any, db: psycopg.Connection) -> None:
    async def steps(tn: Any) -> Any:
        ran.clear()
        run = await tn.start(pay_soon)
        await tn.work()
        errors = db.execute("select error ->> 'type', error ->> 'message' from tenuto.task_steps").fetchall()
        await tn.clock.advance("1m")
        await tn.work()
        return errors, await run.result(timeout=60)

    ((type_, message),), result = journey(app, steps)

    assert result == "charge after 2"
    assert type_ == "ConnectionError"
    assert message.startswith("charge failed 1 times (its retry policy failed, so the default backoff applies: Invalid")


@pytest.mark.parametrize(("which", "tries", "says"), [("policy", 2, "failed 2 times"), ("fail", 1, "no such card")])
def test_a_policy_or_the_function_ends_the_tries(journey: Any, which: str, tries: int, says: str) -> None:
    with pytest.raises(RunFailed, match=says):
        journey(app, after_hours(3, once.options(max_attempts=1), which))
    assert ran == ["charge"] * tries


@step(max_attempts=2, retry=Fixed("1h"), timeout="20ms")
async def hangs() -> str:
    ran.append("charge")
    if len(ran) == 1:
        await asyncio.Event().wait()
    return "answered"


@app.task(max_attempts=1)
async def patient(ctx: Context) -> str:
    return await ctx.step("charge", hangs)


@app.task(max_attempts=1)
def patient_in_a_thread(ctx: SyncContext) -> str:
    return ctx.step("charge", hangs)


@pytest.mark.parametrize("task", [patient, patient_in_a_thread])
def test_a_step_over_its_timeout_is_tried_again(journey: Any, task: Any) -> None:
    assert journey(app, after_hours(1, task)) == (["waiting"], "answered")
    assert ran == ["charge", "charge"]


@step(max_attempts=1, timeout="20ms")
async def always_hangs() -> None:
    await asyncio.Event().wait()


@app.task(max_attempts=1)
async def impatient(ctx: Context) -> None:
    await ctx.step("charge", always_hangs)


def test_the_error_of_a_timeout_names_the_step(journey: Any) -> None:
    with pytest.raises(RunFailed, match=r"TimeoutError: step 'charge' ran longer than its timeout of 0.02 s"):
        journey(app, after_hours(0, impatient))


@app.task
async def double(number: int) -> int:
    return 2 * number


async def note(name: str) -> str:
    ran.append(name)
    return name


@app.task(max_attempts=1)
async def both(ctx: Context) -> list[Any]:
    results = await ctx.gather(
        ctx.step("charge", charge, 2), ctx.start(double.options(delay="3h"), 4), ctx.step("mail", note, "mail")
    )
    return list(results)


def test_steps_and_children_run_at_the_same_time_and_each_step_once(journey: Any) -> None:
    states, result = journey(app, after_hours(3, both))

    assert (states, result) == (["waiting"] * 3, ["charge after 3", 8, "mail"])
    assert sorted(ran) == ["charge", "charge", "charge", "mail"]


@app.task(max_attempts=1)
async def beside_a_long_sleep(ctx: Context) -> str:
    async def nap() -> None:
        await ctx.sleep("3h")

    charged, _ = await asyncio.gather(ctx.step("charge", charge, 2), nap())
    return charged


def test_a_step_beside_a_long_sleep_is_tried_again_at_its_time(journey: Any) -> None:
    ran.clear()

    async def steps(tn: Any) -> Any:
        run = await tn.start(beside_a_long_sleep)
        tries = []
        for _ in range(4):
            await tn.work()
            tries.append(len(ran))
            await tn.clock.advance("61m")
        return tries, await run.result(timeout=60)

    assert journey(app, steps) == ([1, 2, 3, 3], "charge after 3")


@app.task(max_attempts=1)
async def several_failures(ctx: Context, kept: bool) -> str:
    steps = [ctx.step("late", charge, 9, "late"), ctx.step("early", failing, 9, "early"), ctx.step("ok", note, "ok")]
    try:
        results = await ctx.gather(*steps, return_exceptions=kept)
        seen = ", ".join(map(str, results))
    except ConnectionError as error:
        seen = str(error)
    await ctx.sleep("1h")
    await ctx.step("see", note, seen)
    await ctx.sleep("1h")
    return seen


def test_gather_raises_the_same_failure_on_every_attempt(journey: Any) -> None:
    _, result = journey(app, after_hours(6, several_failures, False))

    assert result == "early failed 1 times"
    assert (ran.count("early"), ran.count("ok"), ran.count(result)) == (1, 1, 1)


def test_gather_that_returns_exceptions_waits_for_all_and_repeats_none(journey: Any) -> None:
    _, result = journey(app, after_hours(6, several_failures, True))

    assert result == "late failed 3 times, early failed 1 times, ok"
    assert (ran.count("late"), ran.count("early"), ran.count("ok")) == (3, 1, 1)


def test_a_step_is_a_function_still() -> None:
    ran.clear()
    assert charge(0, "x") == "x after 1"
    assert asyncio.run(charge_async(0, name="y")) == "y after 1"
    assert isinstance(charge, Step)


def plain() -> object: ...


def bad_result() -> asyncio.Event: ...


@pytest.mark.parametrize(
    ("options", "function", "says"),
    [
        ({"timeout": "1s"}, plain, "step function plain: timeout needs an async function.*write `async def`"),
        ({"max_attempts": 0}, plain, "step function plain: max_attempts is 0, not a whole number from 1 to 100"),
        ({"retry": 5}, plain, "step function plain: retry is 5, not a policy"),
        ({"timeout": "soon"}, note, "step function note: timeout"),
        ({}, bad_result, "step function bad_result: the result: values of Event cannot be converted"),
    ],
)
def test_wrong_options_are_errors_when_the_step_is_declared(options: Any, function: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        step(**options)(function)


def test_the_pause_of_a_step_is_that_of_a_task() -> None:
    error = ValueError()
    assert [pause_after(Fixed("3s"), error, n) for n in (1, 5)] == [3, 3]
    for policy, failures, least, most in [
        (None, 1, 1, 3),
        (None, 3, 4, 12),
        (None, 99, 300, 900),
        (Exponential("1s"), 2, 1, 3),
        (Exponential("1s", "10s"), 99, 5, 15),
        (lambda _error, _failures: None, 1, 1, 3),
    ]:
        assert least <= pause_after(policy, error, failures) <= most
