"""A `ctx` for unit tests: the function runs to its end in one call, with what the test passes."""

import asyncio

import pytest

from tenuto import App, ChildFailed, Context, DataObject, SyncContext, step
from tenuto.testing import UnitContext, UnitSyncContext

app = App("shop")


@app.task
async def resize(image: str) -> int: ...


@step(max_attempts=5)
async def charge_card(order: int) -> str:
    if order < 0:
        raise ConnectionError("no bank")
    return f"receipt {order}"


@app.task
async def order(ctx: Context, no: int) -> dict[str, object]:
    receipt = await ctx.step("charge", charge_card, no)
    ctx.progress(0.5)
    await ctx.sleep("3d")
    sizes = await ctx.gather(ctx.start(resize, "a.jpg"), ctx.start(resize, "b.jpg"))
    ctx.data["sizes"] = list(sizes)
    try:
        approved = await ctx.wait("approved", timeout="1d")
    except TimeoutError:
        approved = None
    kept: DataObject = await ctx.put(b"pdf")
    return {
        "receipt": receipt,
        "attempt": ctx.attempt,
        "sizes": await ctx.data.get("sizes"),
        "approved": approved,
        "pdf": (await ctx.get(kept)).decode(),
        "shop": ctx.metadata.get("shop"),
    }


@app.task
def plain(ctx: SyncContext, no: int) -> list[object]:
    first = ctx.step("first", lambda: no + 1)
    ctx.sleep("1h")
    return [first, ctx.start(resize, "c.jpg").result(), ctx.wait("go"), ctx.cancelled]


def test_a_function_runs_to_its_end_and_the_context_holds_what_it_did() -> None:
    ctx = UnitContext(attempt=2, signals={"approved": "yes"}, children={resize: 7}, metadata={"shop": "north"})

    result = asyncio.run(order(ctx, 5))

    assert result == {
        "receipt": "receipt 5", "attempt": 2, "sizes": [7, 7], "approved": "yes", "pdf": "pdf", "shop": "north",
    }  # fmt: skip
    assert (ctx.steps, ctx.sleeps, ctx.reported, ctx.stored) == (["charge"], [259_200.0], [0.5], {"sizes": [7, 7]})


def test_a_signal_that_is_not_passed_times_out_and_errors_reach_the_function() -> None:
    assert asyncio.run(order(UnitContext(children={resize: 1}), 5))["approved"] is None
    with pytest.raises(ConnectionError, match="no bank"):
        asyncio.run(order(UnitContext(), -1))
    with pytest.raises(ChildFailed, match="too large"):
        asyncio.run(order(UnitContext(children={resize: ValueError("too large")}), 5))


@app.task
async def careful(ctx: Context) -> str:
    try:
        await ctx.start(resize, "a.jpg")
    except ChildFailed as failure:
        return await ctx.step("tell", str, failure.status)
    return "completed"


def test_a_function_goes_on_after_the_failure_of_a_child() -> None:
    assert asyncio.run(careful(UnitContext(children={resize: ValueError("too large")}))) == "failed"


def test_a_plain_function_gets_a_synchronous_context() -> None:
    unit = UnitContext(signals={"go": 1}, children={resize: 3}, cancelled=True)

    assert plain(UnitSyncContext(unit), 4) == [5, 3, 1, True]
    assert unit.sleeps == [3600.0]


def test_what_the_test_forgot_to_pass_is_named() -> None:
    with pytest.raises(TypeError, match=r"missing .*'no'; the first argument of shop.plain is ctx: in a test pass"):
        plain(4)
    with pytest.raises(AssertionError, match=r"starts shop.resize; pass its result: children=\{shop.resize: …\}"):
        asyncio.run(order(UnitContext(), 5))
    with pytest.raises(AssertionError, match=r"waits for the signal 'go'; pass its value: signals=\{'go': …\}"):
        plain(UnitSyncContext(UnitContext(children={resize: 3})), 4)
