"""Graphs: data flows along nodes, order along edges; what does not fit is refused where it is written."""

from typing import Any

import pytest

from tenuto import App, Graph, Limit, RunFailed
from tenuto.model.errors import InvalidInput
from tenuto.worker.backends import attempt_api

app = App("etl")
marks: list[str] = []


@app.task
def extract(region: str) -> int:
    return len(region)


@app.task
def merge(parts: list[int], bonus: int = 0) -> int:
    return sum(parts) + bonus


@app.task
def publish(total: int | None, note: dict[str, Any]) -> str:
    return f"{total} {note}"


@app.task
def long_text(length: int) -> str:
    return "x" * length


@app.task
def total_length(texts: list[str]) -> int:
    return sum(map(len, texts))


@app.task(max_attempts=1)
def audit() -> None: ...


@app.task(max_attempts=1)
def burst() -> int:
    raise ValueError("burst")


@app.task
def mark(text: str) -> str:
    marks.append(text)
    return text


@app.task(limit=Limit(1, key="customer"))
def bill(customer: int) -> None: ...


def test_data_flows_through_maps_lists_and_dicts(journey):
    async def steps(tn):
        g = tn.graph("report")
        parts = g.map(extract, ["eu", "us", "asia"])
        total = g.add(merge, parts, bonus=10)
        g.add(publish, total, {"first": parts[0], "nested": [1, parts[2]]}, after=[g.add(audit)])
        run = await tn.start(g, metadata={"team": "bi"})
        await tn.work()
        info = await run.info()
        return await run.result(), info.name, info.metadata, [task.type for task in await run.tasks()]

    result, name, metadata, types = journey(app, steps)

    assert result == "18 {'first': 2, 'nested': [1, 4]}"
    assert (name, metadata) == ("report", {"team": "bi"})
    assert types == ["etl.extract"] * 3 + ["etl.merge", "etl.audit", "etl.publish"]


def test_inputs_too_large_for_the_answer_of_a_claim_are_fetched_one_by_one(journey):
    async def steps(tn):
        g = tn.graph("fan-in")
        g.add(total_length, g.map(long_text, [890_000] * 38))
        run = await tn.start(g)
        await tn.work()
        return await run.result()

    assert journey(app, steps) == 38 * 890_000


def test_inputs_that_no_worker_should_hold_fail_their_task_with_the_way_out(journey, monkeypatch):
    monkeypatch.setattr(attempt_api, "MAX_INPUT_BYTES", 20_000_000)

    async def steps(tn):
        g = tn.graph("fan-in")
        g.add(total_length, g.map(long_text, [890_000] * 38))
        run = await tn.start(g)
        await tn.work()
        with pytest.raises(RunFailed, match=r"of the task are too large: .* of 38 are .* MB.* pass data objects"):
            await run.result()

    journey(app, steps)


def test_edges_can_wait_for_failure_or_go_on_after_it(journey):
    marks.clear()

    async def steps(tn):
        g = Graph()
        g.add(mark, "repair", after=g.add(burst), on="failed")
        g.add(mark, "never", after=g.add(audit), on="failed")
        failing = await tn.start(g)
        h = Graph()
        bad = h.add(burst)
        h.add(publish, bad, {}, after=[bad], on="continue")
        going_on = await tn.start(h)
        await tn.work()
        return await failing.wait(), [task.status for task in await failing.tasks()], await going_on.result()

    status, statuses, result = journey(app, steps)

    assert (status, result) == ("failed", "None {}")
    assert sorted(statuses) == ["completed", "completed", "failed", "skipped"]
    assert marks == ["repair"]


def test_an_optional_task_may_fail_and_keeps_its_place(journey):
    async def steps(tn):
        g = Graph()
        g.add(extract, "eu")
        g.add(burst.options(optional=True))
        g.add(extract, "asia")
        run = await tn.start(g)
        await tn.work()
        return await run.result()

    assert journey(app, steps) == [2, None, 4]


def test_handlers_run_at_the_end_they_are_for(journey):
    marks.clear()

    async def steps(tn):
        def graph(task: Any) -> Graph:
            g = Graph()
            g.add(task)
            g.on_completed(mark, "well")
            first = g.on_failed(mark, "badly")
            g.on_failed(mark, "and later").after(first)
            g.on_cancelled(mark, "stopped")
            return g

        good, bad, stopped = await tn.start([graph(audit), graph(burst), graph(audit)])
        await stopped.cancel()
        await tn.work()
        with pytest.raises(RunFailed, match="burst"):
            await bad.result()
        return await good.wait(), await stopped.wait()

    assert journey(app, steps) == ("completed", "cancelled")
    assert sorted(marks) == ["and later", "badly", "stopped", "well"]


def test_a_graph_inside_a_graph_gives_what_its_last_tasks_give(journey):
    inner = Graph("inner")
    inner.map(extract, ["a", "bb"])

    async def steps(tn):
        g = Graph()
        once = g.add(inner)
        again = g.add(inner, after=once)
        g.add(merge, again, bonus=100)
        g.output(once, again)
        run = await tn.start(g)
        await tn.work()
        return await run.result(), len(await run.tasks())

    assert journey(app, steps) == ([1, 2, 1, 2], 5)


def test_a_delay_of_the_graph_is_one_of_its_first_tasks(journey):
    async def steps(tn):
        g = Graph()
        g.add(merge, [g.add(extract, "eu")])
        run = await tn.start(g, delay="1h", dedupe_key="once")
        seen = [await tn.work()]
        await tn.clock.advance("1h")
        seen.append(await tn.work())
        return seen, await run.result()

    assert journey(app, steps) == ([0, 2], 2)


def test_types_that_do_not_meet_are_refused_where_they_are_joined_naming_both_ends():
    g = Graph()
    part = g.add(extract, "eu")

    with pytest.raises(InvalidInput, match=r"etl.extract takes str as region, but etl.extract returns int; change"):
        g.add(extract, part)
    with pytest.raises(InvalidInput, match=r"etl.merge takes int as parts\[1\], but etl.mark returns str"):
        g.add(merge, [part, g.add(mark, "x")])
    with pytest.raises(InvalidInput, match=r"etl.merge takes list\[int\] as parts, but etl.extract returns int"):
        g.add(merge, part)
    with pytest.raises(InvalidInput, match=r"but etl.audit returns None"):
        g.add(extract, g.add(audit))


def test_wrong_arguments_are_refused_where_they_are_written():
    g = Graph()

    with pytest.raises(InvalidInput, match=r"there is no parameter 'area'; its signature is etl.extract"):
        g.add(extract, area="eu")
    with pytest.raises(InvalidInput, match=r"etl.merge: parts\[1\]: 'x' is not int"):
        g.add(merge, [g.add(extract, "a"), "x"])
    with pytest.raises(InvalidInput, match="a graph takes tasks"):
        g.add(print, 1)  # type: ignore[call-overload]
    with pytest.raises(InvalidInput, match="dedupe_key is an option of the whole graph"):
        g.add(audit, dedupe_key="x")
    with pytest.raises(
        InvalidInput, match="its limit is per customer, which is the output of another task and not known yet"
    ):
        g.add(bill, g.add(extract, "eu"))


def test_a_circle_is_refused_and_named(journey):
    async def steps(tn):
        g = Graph()
        first = g.add(mark.options(name="first"), "a")
        second = g.add(mark.options(name="second"), "b", after=first)
        first.after(second)
        with pytest.raises(InvalidInput, match=r"in a circle: (first waits for second|second waits for first)"):
            await tn.start(g)
        with pytest.raises(InvalidInput, match="a run has 1 to 100,000 tasks"):
            await tn.start(Graph("empty"))
        with pytest.raises(InvalidInput, match=r"priority is an option of a task, not of a graph; write task.options"):
            await tn.start(g, priority=5)

    journey(app, steps)


def test_nodes_of_another_graph_handlers_and_conditions_are_checked():
    g, other = Graph(), Graph("other")
    foreign = other.add(extract, "eu")
    handler = g.on_failed(mark, "x")

    with pytest.raises(InvalidInput, match=r"etl.extract is in another graph; add that graph"):
        g.add(merge, [foreign])
    with pytest.raises(InvalidInput, match="belongs to <graph other"):
        g.add(audit, after=foreign)
    with pytest.raises(InvalidInput, match="they are not handlers for the same outcome"):
        g.add(audit, after=handler)
    with pytest.raises(InvalidInput, match=r"on='failed' needs nodes in after="):
        g.add(audit, on="failed")
    with pytest.raises(InvalidInput, match="on='always' is not a condition"):
        g.add(audit, after=g.add(audit), on="always")  # type: ignore[call-overload]
    with pytest.raises(InvalidInput, match="has handlers, which only the outermost graph can have"):
        Graph().add(g)


@pytest.mark.direct_only(reason="a server takes no pickles")
def test_pickles_flow_between_tasks_that_ask_for_them(journey):
    pickling = App("pickle")

    @pickling.task(serializer="pickle")
    def make(n: int) -> complex:
        return complex(n, n)

    @pickling.task(serializer="pickle")
    def double(value: complex, by: set[int], *, other: Any = None) -> complex:
        return value * sum(by)

    @pickling.task
    def take(value: Any) -> None: ...

    async def steps(tn):
        g = Graph()
        made = g.add(make, 3)
        g.add(double, made, {1, 2}, other=[made])
        with pytest.raises(
            InvalidInput, match=r'pickle.make returns a pickle, .* write serializer="pickle" for both tasks'
        ):
            g.add(take, made)
        run = await tn.start(g)
        await tn.work()
        return await run.result()

    assert journey(pickling, steps) == 9 + 9j


def test_ten_thousand_tasks_make_one_start_request():
    from tenuto.sdk.graphs.compile import build_graph_start

    g = Graph("wide")
    parts = g.map(extract, ["eu"] * 9_999)
    g.add(merge, parts)

    request = build_graph_start(g, {})

    assert (len(request.inputs), len(request.kinds), len(request.details or [])) == (10_000, 2, 1)
    assert len((request.details or [])[0]["slots"]) == 9_999
