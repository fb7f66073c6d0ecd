"""Steps: in the same order on every attempt, recorded before the attempt ends, never run again for want of a record."""

import asyncio
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from tenuto import App, Context, Fail, RunFailed, SyncContext
from tenuto.model.errors import StaleLease
from tenuto.sdk.context.control import Suspend

app = App("steps")
ran: list[str] = []


class Memory:
    """A port that keeps steps here."""

    org = "default"

    def __init__(self, *recorded: str) -> None:
        self.steps = dict(enumerate(recorded, 1))
        self.told: list[dict[str, Any]] = []

    async def call(self, verb: str, **arguments: Any) -> Any:
        match verb:
            case "get_steps":
                return [
                    {
                        "step_no": no,
                        "name": name,
                        "kind": "step",
                        "value": name,
                        "age_seconds": 1.0,
                        "error": None,
                        "tries": 1,
                        "retry_in_seconds": None,
                    }
                    for no, name in self.steps.items()
                ]
            case "record_step":
                self.steps[arguments["step_no"]] = arguments["name"]
                return None
            case "take_signal":
                return {"found": False}
            case _:
                raise AssertionError(verb)

    def send(self, verb: str, **arguments: Any) -> None:
        self.told.append({"verb": verb, **arguments})


def context(port: Memory, attempt: int) -> Context:
    running: Any = SimpleNamespace(
        task_id="t",
        run_id="r",
        no=attempt,
        number=attempt,
        may_replay=attempt > 1,
        idempotency_key="t",
        cancelled=False,
        metadata=None,
    )
    return Context(running, port)


async def named(name: str) -> str:
    return name


def test_steps_taken_at_once_keep_their_order_on_every_attempt():
    async def both() -> list[str]:
        port = Memory("a", "b")
        ctx = context(port, 2)
        await ctx.replay.load()
        return await asyncio.gather(*(ctx.step(name, named, name) for name in "abc"))

    assert asyncio.run(both()) == ["a", "b", "c"]


async def two_steps(ctx: Context, name: str, *, first: asyncio.Event, then: asyncio.Event) -> None:
    """Make a second call only after the other part says so."""
    await ctx.step("pick", named, name)
    await first.wait()
    await ctx.step("ship", named, name)
    then.set()


def test_concurrent_parts_with_several_steps_each_fail_before_a_replay_can_confuse_them():
    async def both() -> None:
        go, after = asyncio.Event(), asyncio.Event()
        go.set()
        ctx = context(Memory(), 1)
        slow = two_steps(ctx, "slow", first=after, then=asyncio.Event())
        await asyncio.gather(slow, two_steps(ctx, "fast", first=go, then=after))

    with pytest.raises(Fail, match="two concurrent parts of the function make several durable calls each"):
        asyncio.run(both())


def test_parts_with_several_steps_may_follow_each_other_or_run_beside_single_steps():
    async def all_of_it() -> list[str]:
        port = Memory()
        ctx = context(port, 1)

        async def part(name: str) -> None:
            await asyncio.wait_for(ctx.step(f"{name} a", named, name), 60)
            await asyncio.gather(ctx.step(f"{name} b", named, name), ctx.step(f"{name} c", named, name))
            await ctx.step(f"{name} d", named, name)

        await ctx.step("begin", named, "begin")
        await asyncio.gather(part("1"), ctx.step("beside", named, "beside"))
        await asyncio.create_task(part("2"))
        await ctx.step("end", named, "end")
        return [*port.steps.values()]

    names = asyncio.run(all_of_it())
    assert (names[0], names[-1], len(names)) == ("begin", "end", 11)


def test_a_wait_with_a_timeout_takes_its_numbers_before_a_step_beside_it():
    async def beside() -> dict[int, str]:
        port = Memory()
        ctx = context(port, 1)
        await asyncio.gather(ctx.wait("go", timeout="1m"), ctx.step("a", named, "a"), return_exceptions=True)
        await ctx.settle()
        return port.steps

    assert asyncio.run(beside()) == {1: "go timeout", 3: "a"}


def test_a_step_beside_a_wait_is_recorded_before_the_attempt_ends():
    async def suspended() -> dict[int, str]:
        port = Memory()
        ctx = context(port, 1)
        paid = asyncio.Event()

        async def charge() -> bool:
            return await paid.wait()

        with pytest.raises(Suspend):
            await asyncio.gather(ctx.step("charge", charge), ctx.wait("approved"))
        settled = asyncio.create_task(ctx.settle())
        await asyncio.sleep(0)
        assert not settled.done()
        paid.set()
        await settled
        return port.steps

    assert asyncio.run(suspended()) == {1: "charge"}


def test_a_step_called_as_the_attempt_ends_is_recorded():
    async def snoozed() -> dict[int, str]:
        port = Memory()
        ctx = context(port, 1)
        charging = asyncio.create_task(ctx.step("charge", named, "charge"))
        await ctx.settle()
        await charging
        return port.steps

    assert asyncio.run(snoozed()) == {1: "charge"}


def test_a_step_called_after_the_attempt_has_ended_does_not_run():
    ran.clear()

    async def late() -> None:
        ctx = context(Memory(), 1)
        await ctx.settle()
        with pytest.raises(StaleLease, match="the attempt has ended; step 'charge' runs in the next attempt"):
            await ctx.step("charge", huge)

    asyncio.run(late())
    assert ran == []


def test_a_step_that_fails_while_the_attempt_ends_keeps_nobody_from_ending():
    async def failing() -> None:
        ctx = context(Memory(), 1)

        async def charge() -> None:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            raise ValueError("no money")

        charging = asyncio.create_task(ctx.step("charge", charge))
        await asyncio.sleep(0)
        await ctx.flush()
        assert charging.done()
        with pytest.raises(ValueError, match="no money"):
            await charging

    asyncio.run(failing())


@pytest.mark.parametrize("message", ["a\x00b\udc80", 7, "x" * 5000], ids=["unfit", "a number", "long"])
def test_whatever_is_said_of_progress_can_be_stored(message: Any):
    port = Memory()
    context(port, 1).progress(0.5, message)
    said = port.told[0]["message"]
    assert said in ("a\\0b?", "7", "x" * 1024)


@app.task(max_attempts=3)
async def too_much(ctx: Context) -> None:
    await ctx.step("charge", huge)


@app.task(max_attempts=3)
def too_much_in_a_thread(ctx: SyncContext) -> None:
    ctx.step("charge", huge)


def huge() -> str:
    ran.append("charge")
    return "x" * 2_000_000


@pytest.mark.parametrize("task", [too_much, too_much_in_a_thread])
def test_a_step_whose_value_cannot_be_recorded_runs_once(journey, task):
    ran.clear()

    async def steps(tn):
        run = await tn.start(task)
        await tn.work()
        await tn.clock.advance("1d")
        await tn.work()
        with pytest.raises(RunFailed, match="1 MB"):
            await run.result(timeout=60)

    journey(app, steps)
    assert ran == ["charge"]


@app.task(max_attempts=1)
async def unlucky(ctx: Context, url: str) -> list[int]:
    def cut_all_lines() -> int:
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        return ctx.attempt

    await ctx.data.put("before", 1)
    return [await ctx.step("cut", cut_all_lines), await ctx.data.get("before")]


def test_a_broken_connection_costs_no_attempt(journey):
    async def steps(tn):
        run = await tn.start(unlucky, tn.url)
        await tn.work()
        return await run.result(timeout=60)

    assert journey(app, steps) == [1, 1]


@app.task(max_attempts=3)
async def returns_a_set(ctx: Context, where: str) -> dict[str, Any]:
    result = {"paid": {1840}}
    if where == "step":
        await ctx.step("charge", lambda: result)
    ran.append(where)
    return result


@pytest.mark.parametrize(("where", "names"), [("step", "step 'charge'"), ("task", "steps.returns_a_set")])
def test_a_result_that_cannot_be_stored_is_in_the_error_which_says_what_is_done(journey, where, names):
    ran.clear()

    async def steps(tn):
        run = await tn.start(returns_a_set, where)
        await tn.work()
        await tn.clock.advance("1d")
        await tn.work()
        with pytest.raises(RunFailed) as failed:
            await run.result(timeout=60)
        return failed.value.message

    message = journey(app, steps)

    assert message.startswith(f"{names}: the result.paid: {{1840}} (set) cannot be converted to JSON")
    assert "the work is done, and a retry would repeat it" in message
    assert message.endswith("the returned value: {'paid': {1840}}")
    assert ran == ([] if where == "step" else ["task"])
