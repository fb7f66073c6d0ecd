"""Runs from the start to the result, through the real kernel and a worker inside the test."""

import asyncio
from datetime import timedelta

import psycopg
import pytest

from tenuto import App, Context, Exponential, Fail, Limit, Retry, RunCancelled, RunFailed, WaitTimeout
from tenuto.db.connection.errors import Unreachable
from tenuto.model.errors import InvalidInput, NotFound
from tenuto.sdk.task_reference import TaskReference

app = App("shop")
attempts: list[int] = []


@app.task
def add(x: int, y: int) -> int:
    return x + y


@app.task
async def send(ctx, to: str, subject: str = "hi") -> str:
    await ctx.data.put("sent", to)
    return f"{subject} to {to} by attempt {ctx.attempt}"


@app.task(retry=Exponential("1m"), max_attempts=3)
async def shaky(ctx, good: int) -> int:
    if ctx.attempt < good:
        raise ValueError(f"attempt {ctx.attempt}")
    return ctx.attempt


@app.task
async def hopeless() -> None:
    raise Fail("no such customer")


@app.task
async def later(ctx) -> int:
    if ctx.attempt == 1:
        raise Retry(after="10s")
    return ctx.attempt


counted: list[int] = []


def three_times(_: BaseException, failures: int) -> int | type[Fail]:
    counted.append(failures)
    return Fail if failures == 3 else 60


@app.task(retry=three_times, max_attempts=20)
async def naps_and_fails(ctx) -> None:
    await ctx.sleep("1m")
    await ctx.sleep("1m")
    raise ValueError("after a nap")


@app.task
async def large(size: int) -> str:
    return "x" * size


def test_a_run_gives_what_its_function_returned(journey):
    async def steps(tn):
        run = await tn.start(add, 1, y=2)
        assert await run.status() == "pending"
        assert await tn.work() == 1
        return run.created, await run.wait(), await run.result(timeout=60), [task.type for task in await run.tasks()]

    assert journey(app, steps) == (True, "completed", 3, ["shop.add"])


def test_start_options_reach_the_task(journey):
    async def steps(tn):
        run = await tn.start(
            send.options(priority=7, queue="mail", labels=["eu"], timeout="30s", external_id="job-1"), "a@b.c", name="n"
        )
        (task,) = await run.tasks()
        return task.priority, task.queue, task.labels, task.name

    assert journey(app, steps) == (7, "mail", ["eu"], "n")


def test_a_delayed_run_starts_when_its_time_has_come(journey):
    async def steps(tn):
        run = await tn.start(add, 1, 2, delay="5m")
        at = await tn.start(add, 3, 4, available_at=tn.clock.now + timedelta(hours=1))
        seen = [await tn.work()]
        await tn.clock.advance("5m")
        seen.append(await tn.work())
        await tn.clock.advance("55m")
        seen.append(await tn.work())
        return seen, await run.result(), await at.result()

    assert journey(app, steps) == ([0, 1, 1], 3, 7)


def test_a_dedupe_key_answers_the_first_run(journey):
    async def steps(tn):
        first = await tn.start(add, 1, 2, dedupe_key="once")
        second = await tn.start(add, 5, 5, dedupe_key="once")
        await tn.work()
        return first.id == second.id, second.created, await second.result()

    assert journey(app, steps) == (True, False, 3)


def test_an_input_that_does_not_fit_fails_without_a_retry_and_without_a_trace_of_ours(journey):
    async def steps(tn):
        run = await tn.start(TaskReference(add.name), "two", 3)
        ran = await tn.work()
        with pytest.raises(RunFailed, match=r"WrongValue: .*'two'") as caught:
            await run.result()
        return ran, caught.value.traceback

    assert journey(app, steps) == (1, None)


def test_failures_are_retried_by_policy_and_then_told_with_their_error(journey):
    async def steps(tn):
        good, bad = await tn.start(shaky, 3), await tn.start(shaky, 9)
        fail, retry = await tn.start(hopeless), await tn.start(later)
        ran = [await tn.work()]
        for _ in range(2):
            await tn.clock.advance("1h")
            ran.append(await tn.work())
        with pytest.raises(RunFailed, match="failed with ValueError: attempt 3") as caught:
            await bad.result()
        assert "raise ValueError" in (caught.value.traceback or "")
        with pytest.raises(RunFailed, match="Fail: no such customer"):
            await fail.result()
        return ran, await good.result(), await retry.result()

    assert journey(app, steps) == ([4, 3, 2], 3, 2)


def test_a_policy_counts_failures_and_not_the_attempts_that_waited(journey):
    async def steps(tn):
        counted.clear()
        run = await tn.start(naps_and_fails)
        for _ in range(6):
            await tn.work()
            await tn.clock.advance("2m")
        with pytest.raises(RunFailed, match="after a nap"):
            await run.result(timeout=60)
        (task,) = await run.tasks()
        return counted, task.attempt

    assert journey(app, steps) == ([1, 2, 3], 3)


def test_waiting_has_an_end_and_a_cancelled_run_says_so(journey):
    async def steps(tn):
        run = await tn.start(add, 1, 2, delay="1h")
        with pytest.raises(WaitTimeout, match=r"has not ended within 0.05 s and continues: `tenuto runs show .*`"):
            await run.result(timeout=0.05)
        await run.cancel("not needed")
        with pytest.raises(RunCancelled):
            await run.result(timeout=60)
        again = await run.retry()
        await tn.work()
        return await again.result(timeout=60)

    assert journey(app, steps) == 3


def test_many_waiters_are_told_by_few_questions(journey):
    async def steps(tn):
        runs = await tn.start_many(add, [(i, i) for i in range(250)])
        results = asyncio.create_task(runs.results(timeout=60))
        await tn.work()
        return await results

    assert journey(app, steps) == [2 * i for i in range(250)]


def test_start_many_takes_tuples_dicts_and_single_values(journey):
    async def steps(tn):
        runs = await tn.start_many(send, [("a",), {"to": "b", "subject": "x"}, "c"], priority=3)
        await tn.work()
        empty = await tn.start_many(send, [])
        assert (len(empty), runs[1:].ids) == (0, runs.ids[1:])
        return await runs.results(timeout=60)

    assert [text.split(" by")[0] for text in journey(app, steps)] == ["hi to a", "x to b", "hi to c"]


def test_start_many_says_which_runs_are_new(journey):
    async def steps(tn):
        first = await tn.start(add, 1, 1, dedupe_key="a")
        runs = await tn.start_many(add, [(1, 1), (2, 2), (3, 3), (4, 4)], dedupe_keys=["a", "b", None, "b"])
        assert [run.created for run in runs] == [False, True, True, False]
        assert [run.created for run in runs[2:]] == [True, False]
        assert (runs[0].id, runs[3].id) == (first.id, runs[1].id)
        assert [run.created for run in await tn.start_many(add, [(1, 1), (2, 2)])] == [True, True]
        assert (first.created, tn.run(first.id).created) == (True, False)

    journey(app, steps)


def test_start_many_with_a_wrong_item_starts_nothing(journey):
    async def steps(tn):
        with pytest.raises(InvalidInput, match=r"shop.add: y: 'z' is not int"):
            await tn.start_many(add, [(1, 2), (1, "z")])
        with pytest.raises(InvalidInput, match="2 dedupe_keys for 1 items"):
            await tn.start_many(add, [(1, 2)], dedupe_keys=["a", "b"])
        with pytest.raises(InvalidInput, match="dedupe_key is an option of a single run; pass dedupe_keys"):
            await tn.start_many(add, [(1, 2)], dedupe_key="a")
        return await tn.work()

    assert journey(app, steps) == 0


def test_many_runs_with_dedupe_keys_limits_and_a_delay(journey):
    limited = App("lim")

    @limited.task(limit=Limit(1, key="customer"))
    async def work(customer: int) -> int:
        return customer

    async def steps(tn):
        runs = await tn.start_many(work, [1, 1, 2, 1], dedupe_keys=["a", "b", "c", "a"], delay="1m")
        assert await tn.work() == 0
        await tn.clock.advance("1m")
        await tn.work()
        return runs.ids[0] == runs.ids[3], await runs.results(timeout=60)

    assert journey(limited, steps) == (True, [1, 1, 2, 1])


def test_run_data_is_read_and_written_from_outside(journey):
    async def steps(tn):
        run = await tn.start(send, "a@b.c")
        await run.data.put("colour", "red", tags=["look"], metadata={"shade": 3})
        assert await run.data.metadata("colour") == {"shade": 3}
        assert await run.data.metadata("missing") is None
        written = await run.data.updated_at("colour")
        assert written is not None
        assert written >= (await run.info()).created_at
        assert await run.data.updated_at("missing") is None
        await tn.work()
        with pytest.raises(InvalidInput, match="must be awaited"):
            run.data["x"] = 1
        return await run.data["sent"], await run.data.get("missing", 5), await run.data.find(tags=["look"])

    assert journey(app, steps) == ("a@b.c", 5, {"colour": "red"})


def test_a_result_too_large_for_a_row_comes_back_whole(journey):
    async def steps(tn):
        small, huge = await tn.start(large, 10), await tn.start(large, 3_000_000)
        await tn.work()
        return len(await small.result()), len(await huge.result())

    assert journey(app, steps) == (10, 3_000_000)


def test_progress_is_told_until_the_end(journey):
    async def steps(tn):
        run = await tn.start(add, 1, 2)
        seen = []
        async for step in run.progress(every="10ms"):
            seen.append((step.status, step.fraction))
            if len(seen) == 1:
                await tn.work()
        return seen

    assert journey(app, steps) == [("pending", 0.0), ("completed", 1.0)]


@app.task
async def halfway(ctx: Context) -> str:
    ctx.progress(0.5, "half")
    await ctx.wait("go")
    return "done"


def test_progress_of_a_task_is_that_of_its_run_also_while_it_waits(journey):
    async def steps(tn):
        run = await tn.start(halfway)
        await tn.work()
        seen = []
        async for step in run.progress(every="10ms"):
            seen.append((step.status, step.fraction, step.message))
            if len(seen) == 1:
                await run.signal("go")
                await tn.work()
        return seen

    assert journey(app, steps) == [("running", 0.5, "half"), ("completed", 1.0, None)]


def test_a_task_can_be_started_by_name_and_an_unknown_one_is_named(journey):
    async def steps(tn):
        run = await tn.start("add", 1, 2)
        await tn.work()
        with pytest.raises(NotFound, match=r"has no task 'ad'; did you mean 'shop\.add'"):
            await tn.start("ad", 1, 2)
        with pytest.raises(InvalidInput, match="cannot be started; pass a task"):
            await tn.start(print, 1)
        with pytest.raises(InvalidInput, match="'nonsense' is not the id of a run"):
            tn.run("nonsense")
        return await tn.run(str(run.id)).result()

    assert journey(app, steps) == 3


def test_whoever_waits_is_told_when_other_code_cancels_the_task_that_asks(journey):
    async def steps(world):
        run = await world.start(add, 1, 2)
        waiting = asyncio.create_task(run.wait())
        while not (asking := [task for task in asyncio.all_tasks() if task.get_name() == "tenuto watcher"]):
            await asyncio.sleep(0)
        asking[0].cancel()

        with pytest.raises(Unreachable, match="the result of the run is no longer watched"):
            await waiting
        await world.work()
        assert await run.result() == 3

    journey(app, steps)


def test_a_result_is_read_although_the_database_ended_the_connections(journey):
    async def steps(world):
        run = await world.start(add, 1, 2)
        await world.work()
        with psycopg.connect(world.url, autocommit=True) as conn:
            conn.execute(
                "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        return await world.run(run.id).result(timeout=60)

    assert journey(app, steps) == 3
