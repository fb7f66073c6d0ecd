"""A failure of a step that the code handled is history; one that ends the attempt is not."""

import asyncio
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from tenuto import App, ChildFailed, Context, Fail, RunFailed, StepFailed, SyncContext
from tenuto.sdk.context.step_failures import error_of, failure_of

app = App("failures")
ran: list[str] = []


class BankDown(Exception):
    def __init__(self, bank: str, *, code: int) -> None:
        super().__init__(f"{bank} answers {code}")
        self.bank, self.code, self.socket = bank, code, object()


@dataclass
class Declined(Exception):
    reason: str


class Outer:
    class Inner(Exception):
        pass


def same(error: Exception) -> BaseException:
    return error_of("pay", failure_of(error))


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no money", 5),
        KeyError("card"),
        FileNotFoundError(2, "No such file", "card.txt"),
        BankDown("acme", code=503),
        Declined(reason="limit"),
        Outer.Inner("inner"),
        TimeoutError(),
        ValueError("a\x00b"),
        ChildFailed("shop.pay", "1", "failed", {"message": "no"}),
    ],
    ids=repr,
)
def test_a_replayed_error_has_the_class_message_and_attributes_of_the_first(error: Exception) -> None:
    again = same(error)

    assert type(again) is type(error)
    assert str(again) == str(error).replace("\x00", "\\0")
    plain = {name: value for name, value in vars(error).items() if name != "socket"}
    assert {name: value for name, value in vars(again).items() if name != "socket"} == plain
    if "\x00" not in str(error):
        assert again.args == error.args


def test_an_error_with_arguments_that_json_cannot_hold_keeps_its_class_and_message() -> None:
    again = same(ValueError({1, 2}))
    assert (type(again), str(again)) == (ValueError, "{1, 2}")


def test_a_very_large_error_keeps_the_head_of_its_message() -> None:
    again = same(ValueError("x" * 500_000))
    assert (type(again), str(again)) == (ValueError, "x" * 10_000)


def test_an_error_that_cannot_be_made_again_becomes_a_step_failed_that_describes_it() -> None:
    class Local(Exception):
        pass

    for error, type_, message in [
        (Local("gone"), "Local", "gone"),
        (ExceptionGroup("two", [ValueError()]), "ExceptionGroup", "two (1 sub-exception)"),
    ]:
        again = same(error)
        assert isinstance(again, StepFailed)
        assert (again.step, again.message) == ("pay", message)
        assert again.type.endswith(type_)
        assert str(again) == f"step 'pay' failed with {again.type}: {message}"


def test_the_class_must_be_an_exception_of_an_imported_module() -> None:
    for module, name in [("os", "system"), ("builtins", "int"), ("no.such.module", "Error"), ("builtins", "Nothing")]:
        again = error_of("pay", {"module": module, "type": name, "message": "no"})
        assert type(again) is StepFailed


async def charge(name: str = "charge") -> None:
    ran.append(name)
    raise BankDown("acme", code=503)


def charge_plain(name: str = "charge") -> None:
    ran.append(name)
    raise BankDown("acme", code=503)


def note(name: str) -> str:
    ran.append(name)
    return name


@app.task(max_attempts=3)
async def saga(ctx: Context) -> str:
    try:
        await ctx.step("charge", charge)
    except BankDown as error:
        await ctx.step("cancel order", note, f"cancel: {error.bank} {error.code}")
        await ctx.sleep("1h")
        return f"cancelled: {error}"
    return "charged"


@app.task(max_attempts=3)
def saga_in_a_thread(ctx: SyncContext) -> str:
    try:
        ctx.step("charge", charge_plain)
    except BankDown as error:
        ctx.step("cancel order", note, f"cancel: {error.bank} {error.code}")
        ctx.sleep("1h")
        return f"cancelled: {error}"
    return "charged"


def result_after(tn: Any, run: Any, *waits: str) -> Any:
    async def steps() -> Any:
        await tn.work()
        for wait in waits:
            await tn.clock.advance(wait)
            await tn.work()
        return await run.result(timeout=60)

    return steps()


@pytest.mark.parametrize("task", [saga, saga_in_a_thread])
def test_after_waking_the_handled_failure_is_raised_again_and_the_step_not_run(journey: Any, task: Any) -> None:
    ran.clear()

    async def steps(tn: Any) -> Any:
        return await result_after(tn, await tn.start(task), "1h")

    assert journey(app, steps) == "cancelled: acme answers 503"
    assert ran == ["charge", "cancel: acme 503"]


async def _sleep(ctx: Context) -> None:
    await ctx.sleep("1h")


async def _wait(ctx: Context) -> None:
    try:
        await ctx.wait("go", timeout="1h")
    except TimeoutError:
        ran.append("timeout")


async def _gather(ctx: Context) -> None:
    await ctx.gather(ctx.start(child.options(delay="1h")))


def snooze_once(ctx: Context) -> None:
    if "snoozed" not in ran:
        ran.append("snoozed")
        ctx.snooze("1h")


async def _put(ctx: Context) -> None:
    await ctx.data.put("told", True)
    snooze_once(ctx)


async def _get(ctx: Context) -> None:
    await ctx.data.get("told")
    snooze_once(ctx)


CALLS = {call.__name__: call for call in (_sleep, _wait, _gather, _put, _get)}


@app.task
async def child() -> str:
    return "child"


@app.task
async def handled_before(ctx: Context, call: str) -> str:
    try:
        await ctx.step("charge", charge)
    except BankDown:
        await CALLS[call](ctx)
    return "done"


@pytest.mark.parametrize("call", CALLS)
def test_every_call_that_others_can_see_records_the_handled_failure_first(journey: Any, call: str) -> None:
    ran.clear()

    async def steps(tn: Any) -> Any:
        return await result_after(tn, await tn.start(handled_before, call), "1h")

    assert journey(app, steps) == "done"
    assert ran.count("charge") == 1


@app.task(max_attempts=3)
async def unhandled(ctx: Context) -> str:
    await ctx.step("charge", charge)
    return "charged"


@app.task(max_attempts=3)
def unhandled_in_a_thread(ctx: SyncContext) -> str:
    ctx.step("charge", charge_plain)
    return "charged"


@app.task(max_attempts=3)
async def one_of_several(ctx: Context) -> None:
    async def branch(name: str) -> None:
        await ctx.step(name, charge_plain if name == "charge" else note, name)
        await ctx.step(f"{name}, later", note, f"{name}, later")

    await asyncio.gather(branch("charge"), branch("mail"), branch("pack"))


@app.task(max_attempts=3)
async def looked_at_too_late(ctx: Context) -> None:
    charging = asyncio.create_task(ctx.step("charge", charge))
    await ctx.step("mail", note, "mail")
    await ctx.step("pack", note, "pack")
    await charging


@pytest.mark.parametrize("task", [unhandled, unhandled_in_a_thread, one_of_several, looked_at_too_late])
def test_a_failure_that_ends_the_attempt_is_not_recorded_and_the_next_attempt_runs_the_step(
    journey: Any, task: Any
) -> None:
    ran.clear()

    async def steps(tn: Any) -> None:
        with pytest.raises(RunFailed, match="acme answers 503"):
            await result_after(tn, await tn.start(task), "1d", "1d")

    journey(app, steps)
    assert ran.count("charge") == 3
    assert ran.count("mail") <= 1


@app.task(max_attempts=3)
async def compensate(ctx: Context) -> str:
    try:
        await asyncio.gather(ctx.step("a", charge_plain, "a"), ctx.step("b", charge, "b"), ctx.step("c", note, "c"))
    except BankDown:
        await ctx.step("undo", note, "undo")
    await ctx.sleep("1h")
    results = await asyncio.gather(ctx.step("d", charge, "d"), ctx.step("e", charge_plain, "e"), return_exceptions=True)
    await ctx.sleep("1h")
    return ", ".join(map(str, results))


def test_failures_of_concurrent_steps_are_recorded_in_the_order_of_the_steps(journey: Any) -> None:
    ran.clear()

    async def steps(tn: Any) -> Any:
        return await result_after(tn, await tn.start(compensate), "1h", "1h")

    assert journey(app, steps) == "acme answers 503, acme answers 503"
    assert sorted(ran) == ["a", "b", "c", "d", "e", "undo"]


@app.task(max_attempts=1)
async def looks_at_the_socket(ctx: Context) -> str:
    try:
        await ctx.step("charge", charge)
    except BankDown as error:
        found = str(error.socket)
        await ctx.sleep("1h")
        return found
    return "charged"


def test_an_attribute_that_json_cannot_hold_fails_the_task_where_it_is_used(journey: Any) -> None:
    again = same(BankDown("acme", code=503))
    assert isinstance(again, BankDown)
    uses: list[Any] = [bool, str, list, lambda it: it.status, lambda it: it == 5, lambda it: it(), lambda it: it["a"]]
    for use in uses:
        with pytest.raises(Fail, match=r"'socket' of the BankDown that step 'pay' raised .* read it inside the step"):
            use(again.socket)
    assert repr(again.socket).endswith("not recorded>")

    async def steps(tn: Any) -> None:
        with pytest.raises(RunFailed, match="'socket' of the BankDown"):
            await result_after(tn, await tn.start(looks_at_the_socket), "1h")

    journey(app, steps)


@app.task(max_attempts=1)
async def broken(name: str) -> None:
    raise ValueError(name)


@app.task
async def waits_after_failures(ctx: Context) -> list[str]:
    seen: list[str] = []
    try:
        await ctx.gather(ctx.start(broken, "a"), ctx.start(child))
    except ChildFailed as error:
        seen.append(f"{error.status} {error.error['message']}")
    try:
        await ctx.wait("never", timeout="1h")
    except TimeoutError as error:
        seen.append(str(error))
    (failed,) = await ctx.gather(ctx.start(broken, "b"), return_exceptions=True)
    assert isinstance(failed, ChildFailed)
    seen.append(failed.error["message"])
    await ctx.step("see", note, " / ".join(seen))
    await ctx.sleep("1h")
    return [*seen, await ctx.step("see again", note, " / ".join(seen))]


def test_children_timeouts_and_gather_fail_the_same_way_on_replay(journey: Any) -> None:
    ran.clear()

    async def steps(tn: Any) -> Any:
        return await result_after(tn, await tn.start(waits_after_failures), "1h", "1h")

    seen = ["failed a", "signal 'never' was not sent within 1h", "b"]
    assert journey(app, steps) == [*seen, " / ".join(seen)]
    assert ran == [" / ".join(seen)] * 2


@pytest.mark.parametrize(
    ("module", "name"),
    [("antigravity", "Boom"), ("unittest.__main__", "Boom"), ("", "Boom"), ("email.mime.audio", "MIMEAudio")],
)
def test_a_record_imports_nothing(module: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "email" in sys.modules
    monkeypatch.delitem(sys.modules, "email.mime.audio", raising=False)

    error = error_of("charge", {"module": module, "type": name, "message": "no"})

    assert isinstance(error, StepFailed)
    assert not {"antigravity", "unittest.__main__", "email.mime.audio"} & sys.modules.keys()
