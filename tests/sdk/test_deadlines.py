"""Deadlines of runs: they end with everything that they wait for."""

from datetime import timedelta
from typing import Any

import pytest

from tenuto import App, Context, InvalidInput, RunCancelled

app = App("deadlines")


@app.task
async def patient(ctx: Context) -> str:
    await ctx.sleep("1d")
    return "done"


@app.task
async def child() -> None: ...


@app.task
async def parent(ctx: Context) -> None:
    await ctx.start(child.options(deadline="1h"))


def test_a_run_ends_at_its_deadline_and_expires_if_it_does_not_begin(journey: Any) -> None:
    async def steps(tn: Any) -> None:
        late = await tn.start(patient, deadline="2h")
        in_time = await tn.start(patient, deadline="2d", expires="1h")
        await tn.work()
        unseen = await tn.start(patient.options(expires="1h"))
        graph = tn.graph("night")
        graph.add(patient)
        graph_run = await tn.start(graph, expires="1h", deadline="1d")
        opened = await tn.open_run(name="open", deadline="1h")
        info = await graph_run.info()
        assert (info.deadline_at - info.created_at, info.expires_at - info.created_at) == (
            timedelta(days=1),
            timedelta(hours=1),
        )
        await tn.clock.advance("2h")
        await tn.work()
        for run, reason in [
            (late, "the deadline of the run has passed"),
            (unseen, "the run expired before it began"),
            (graph_run, "the run expired before it began"),
        ]:
            with pytest.raises(RunCancelled, match=reason):
                await run.result(timeout=60)
        assert await opened.wait(timeout=60) == "cancelled"
        assert (await graph_run.info()).deadline_at is None
        await tn.clock.advance("1d")
        await tn.work()
        assert await in_time.result(timeout=60) == "done"

        refused = await tn.start(parent.options(max_attempts=1))
        await tn.work()
        assert "deadline is an option of a run" in str((await refused.info()).error)

    journey(app, steps)


def test_wrong_times_are_refused_before_anything_is_sent(journey: Any) -> None:
    async def steps(tn: Any) -> None:
        with pytest.raises(InvalidInput, match="patient: deadline"):
            await tn.start(patient, deadline=0)
        with pytest.raises(InvalidInput, match="the run expires '10m' after its start and is delayed by '1h'"):
            await tn.start(patient, expires="10m", delay="1h")
        with pytest.raises(InvalidInput, match="expires"):
            await tn.start_many(patient, [()], expires="10m")

    journey(app, steps)
