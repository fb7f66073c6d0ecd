"""Signals whose values have a declared type: what a task receives, what a sender is refused, and what a retry does."""

import asyncio
import contextlib
from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

import pytest
from pydantic import BaseModel

from tenuto import App, BadSignal, Context, InvalidInput, RunFailed, SyncContext
from tenuto.model.json import Json, JsonObject
from tenuto.model.run_data import AwaitedSignal
from tenuto.sdk.client.signals import check_signal
from tenuto.sdk.values.input_validator import StepBudget, check_value

app = App("signals")


class Answer(BaseModel):
    by: str
    amount: int | None = None


@app.task(max_attempts=3)
async def approve(ctx: Context) -> str:
    answer = await ctx.wait("answer", Answer)
    return f"{answer.by} says {answer.amount}"


@app.task(max_attempts=3)
def count(ctx: SyncContext) -> int:
    return ctx.wait("answer", int, timeout="1h") + 1


@app.task(max_attempts=3)
async def patient(ctx: Context) -> int:
    while True:
        with contextlib.suppress(BadSignal):
            number = await ctx.wait("number", int)
            await ctx.sleep("1m")  # the next attempt replays what was refused before
            return number


@app.task(max_attempts=1)
async def untyped(ctx: Context) -> int:
    value: Any = await ctx.wait("answer", timeout="1h")
    return int(value["n"])


async def failed(run: Any) -> str:
    with pytest.raises(RunFailed) as failure:
        await run.result(timeout=5)
    return str(failure.value)


def test_a_task_receives_the_value_as_its_type(journey):
    async def steps(tn: Any) -> tuple[str, int]:
        first, second = await tn.start(approve), await tn.start(count)
        await tn.work()
        await first.signal("answer", {"by": "ada", "amount": 5})
        await second.signal("answer", 41)
        await tn.work()
        return await first.result(timeout=5), await second.result(timeout=60)

    assert journey(app, steps) == ("ada says 5", 42)


def test_what_a_run_waits_for_is_listed_with_type_and_end(journey):
    async def steps(tn: Any) -> list[Any]:
        runs = [await tn.start(task) for task in (approve, count, untyped)]
        await tn.work()
        return [await tn.transport.list_awaited_signals(run.id) for run in runs]

    (typed,), (timed,), (plain,) = journey(app, steps)
    assert (typed.name, typed.expects, typed.until) == ("answer", '{"by": string, "amount": integer | null}', None)
    assert (timed.expects, timed.until > timed.since) == ("integer", True)
    assert (plain.expects, plain.schema) == (None, None)


def test_a_value_of_a_wrong_type_is_refused_while_the_task_waits(journey):
    async def steps(tn: Any) -> str:
        run = await tn.start(approve)
        await tn.work()
        with pytest.raises(InvalidInput, match=r"signal answer: the value\.by: is 7, not a text"):
            await run.signal("answer", {"by": 7})
        with pytest.raises(InvalidInput, match="the value: is a text, not an object"):
            await run.signal("answer", "yes")
        await run.signal("other", "yes")  # nobody waits for it
        await run.signal("answer", {"by": "bob"})
        await tn.work()
        return await run.result(timeout=5)

    assert journey(app, steps) == "bob says None"


@pytest.mark.parametrize(("task", "good", "result"), [(approve, {"by": "eve"}, "eve says None"), (count, 6, 7)])
def test_a_run_that_failed_on_a_wrong_value_is_retried_with_another(journey, task, good, result):
    async def steps(tn: Any) -> Any:
        run = await tn.start(task)
        await run.signal("answer", "early")  # before the task says what it waits for
        await tn.work()
        problem = await failed(run)
        assert "BadSignal: signal 'answer': the value" in problem
        (shown,) = await run.tasks()
        assert shown.attempt == 1  # another attempt would replay the same value
        again = await run.retry()
        await tn.work()
        assert len(await tn.transport.list_awaited_signals(again.id)) == 1
        await again.signal("answer", good)
        await tn.work()
        return await again.result(timeout=5)

    assert journey(app, steps) == result


def test_code_that_catches_a_wrong_value_waits_for_the_next_and_replays_the_same(journey):
    async def steps(tn: Any) -> int:
        run = await tn.start(patient)
        for value in ("one", "two", 3):
            await run.signal("number", value)
        await tn.work()
        await tn.clock.advance("2m")
        await tn.work()
        return await run.result(timeout=5)

    assert journey(app, steps) == 3


def test_a_wrong_value_without_a_declared_type_is_dropped_by_a_retry_from_the_signal(journey):
    async def steps(tn: Any) -> int:
        run = await tn.start(untyped)
        await tn.work()
        await run.signal("answer", {"m": 1})
        await tn.work()
        assert "KeyError" in await failed(run)
        kept = await run.retry()
        await tn.work()
        assert "KeyError" in await failed(kept)  # an approval stays an approval
        await tn.clock.advance("2h")  # the timeout of the first wait has passed
        again = await kept.retry(from_="answer")
        await tn.work()
        await again.signal("answer", {"n": 8})
        await tn.work()
        return await again.result(timeout=5)

    assert journey(app, steps) == 8


def test_a_type_without_a_json_form_is_an_error_of_the_code() -> None:
    async def wait() -> None:
        ctx = cast("Any", Context.__new__(Context))
        await ctx.wait("answer", object.__new__)

    with pytest.raises(InvalidInput):
        asyncio.run(wait())


def awaits(schema: JsonObject) -> AwaitedSignal:
    return AwaitedSignal("answer", "a value", schema, uuid4(), datetime.now(UTC), None)


def test_the_check_of_a_signal_does_not_grow_with_the_tasks_that_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[tuple[JsonObject, StepBudget]] = []

    def note(what: str, schema: JsonObject, value: Json, budget: StepBudget) -> None:
        checked.append((schema, budget))
        check_value(what, schema, value, budget)

    monkeypatch.setattr("tenuto.sdk.client.signals.check_value", note)
    with pytest.raises(InvalidInput, match="the value: is a text, not a number; the task waits for a value"):
        check_signal([awaits({"type": "integer"})] * 99 + [awaits({"type": "number"})], "answer", "no")
    assert [schema for schema, _ in checked] == [{"type": "integer"}, {"type": "number"}]
    assert len({id(budget) for _, budget in checked}) == 1

    checked.clear()
    check_signal([awaits({"const": no}) for no in range(11)], "answer", "no")
    assert checked == []
