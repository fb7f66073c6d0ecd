"""Hooks of an app: middleware around attempts, functions called after failures, at start-up and at shutdown."""

import asyncio
import logging
from typing import Any

import pytest

from tenuto import App, AttemptFailed, Context, Fixed, InvalidInput, Retry, SyncContext, TaskFailure


@pytest.fixture
def transport() -> str:
    """Hooks run in a worker; clients do not see them."""
    return "direct"


def test_middleware_runs_around_attempts_of_its_kind_in_order(journey):
    app, calls = App("shop"), []

    @app.task
    async def early(n: int) -> int:
        return n

    @app.middleware
    async def outer(ctx: Context, call_next) -> Any:
        calls.append(f"outer {ctx.task_name} attempt {ctx.attempt}")
        result = await call_next()
        calls.append(f"outer after {result}")
        return result + 1

    @app.middleware
    async def inner(ctx, call_next) -> Any:
        calls.append("inner")
        return await call_next()

    @app.middleware
    def around_plain(ctx: SyncContext, call_next) -> Any:
        calls.append(f"plain {ctx.task_name}")
        return call_next()

    @app.task
    async def late(ctx: Context, n: int) -> int:
        return n * 10

    @app.task
    def plain(n: int) -> int:
        return n

    async def steps(tn):
        runs = [await tn.start(task, 1) for task in (early, late, plain)]
        await tn.work()
        return [await run.result() for run in runs]

    assert journey(app, steps) == [2, 11, 1]
    assert calls == [
        *("outer shop.early attempt 1", "inner", "outer after 1"),
        *("outer shop.late attempt 1", "inner", "outer after 10"),
        "plain shop.plain",
    ]
    assert asyncio.run(early(5)) == 5, "a direct call runs no middleware"


def test_an_error_that_leaves_the_middleware_is_that_of_the_attempt(journey):
    app, attempts = App("shop"), []

    @app.middleware
    async def again(ctx: Context, call_next) -> Any:
        attempts.append(ctx.attempt)
        try:
            return await call_next()
        except KeyError as error:
            raise Retry("not there yet", after=0) from error

    @app.task(max_attempts=2)
    async def look(ctx: Context) -> str:
        if ctx.attempt == 1:
            raise KeyError("nothing")
        return "found"

    async def steps(tn):
        run = await tn.start(look)
        await tn.work()
        return await run.result()

    assert journey(app, steps) == "found"
    assert attempts == [1, 2]


def test_failure_hooks_get_every_failure_and_harm_nobody(journey, caplog: pytest.LogCaptureFixture):
    app, failures = App("shop"), list[TaskFailure]()

    @app.on_failure
    def broken(failure: TaskFailure) -> None:
        raise SystemExit("the hook fails too")

    @app.on_failure
    async def collect(failure: TaskFailure) -> None:
        failures.append(failure)

    @app.task(max_attempts=2, retry=Fixed(0))
    async def charge(order: int) -> None:
        raise ConnectionError(f"no bank for {order}")

    @app.task(max_attempts=1)
    def plain() -> None:
        raise ValueError("no")

    async def steps(tn):
        runs = [await tn.start(charge, 7), await tn.start(plain)]
        with caplog.at_level(logging.ERROR):
            await tn.work()
        return [str(run.id) for run in runs]

    ids = journey(app, steps)
    charged = [failure for failure in failures if failure.task_name == "shop.charge"]
    assert [(failure.attempt, failure.max_attempts, failure.final) for failure in charged] == [
        (1, 2, False),
        (2, 2, True),
    ]
    assert [str(failure.error) for failure in charged] == ["no bank for 7"] * 2
    assert charged[0].error.__traceback__ is not None
    assert (charged[0].run_id, charged[0].retry_in) == (ids[0], 0)
    (other,) = [failure for failure in failures if failure.task_name == "shop.plain"]
    assert isinstance(other.error, ValueError)
    assert "the failure hook" in caplog.text
    assert "broken failed for task" in caplog.text


def test_hooks_of_a_process_run_in_order_and_an_error_at_shutdown_is_logged(journey, caplog: pytest.LogCaptureFixture):
    app, calls = App("shop"), []

    @app.on_startup
    def first() -> None:
        calls.append("first")

    @app.on_startup
    async def second() -> None:
        calls.append("second")

    @app.on_shutdown
    async def close() -> None:
        calls.append("closed")

    @app.on_shutdown
    def fail_to_close() -> None:
        raise OSError("it was closed already")

    async def steps(_):
        calls.append("work")

    journey(app, steps)

    assert calls == ["first", "second", "work", "closed"]
    assert "fail_to_close failed" in caplog.text


@pytest.mark.parametrize(
    ("register", "hook", "says"),
    [
        ("on_startup", lambda one: one, "cannot be called with no arguments"),
        ("middleware", lambda: None, "cannot be called with ctx, call_next"),
        ("on_failure", lambda: None, "cannot be called with failure"),
    ],
)
def test_a_hook_with_other_parameters_is_refused(register: str, hook: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        getattr(App("shop"), register)(hook)


def test_a_failure_elsewhere_is_described() -> None:
    error = AttemptFailed("ProcessDied", "it was killed", None)

    assert (str(error), error.type) == ("ProcessDied: it was killed", "ProcessDied")
