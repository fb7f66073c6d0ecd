"""Open runs: `tn.open_run`, `run.add`, `run.add_many`, `run.close`."""

import asyncio
from uuid import uuid4

import psycopg
import pytest

from tenuto import App, chain
from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tenuto.testing.inline import InlineWorker

app = App("bank")


@app.task
def add(x: int, y: int = 0) -> int:
    return x + y


@app.task(max_attempts=1)
def burst() -> None:
    raise ValueError("burst")


def test_tasks_are_added_until_the_run_is_closed(journey):
    async def steps(tn):
        run = await tn.open_run("import", input={"day": 1}, metadata={"team": "a"})
        (first,) = await run.add(add, 1, y=2)
        both = await run.add(chain(add, add), 3)
        await tn.work()
        info = await run.info()
        assert (info.status, info.open, info.total_tasks) == ("running", True, 3)
        assert (info.name, info.input, info.metadata) == ("import", {"day": 1}, {"team": "a"})
        assert await run.why() == ["the run is open: it ends when it is closed and its tasks have ended"]

        many = await tn.run(run.id).add_many("bank.add", [(5,), {"x": 6}])
        await run.close()
        await tn.work()
        assert await run.result(60) == [3, 3, 5, 6]
        assert [task.id for task in await run.tasks()] == [first, *both, *many]
        assert not (await run.info()).open
        with pytest.raises(Conflict, match="already completed"):
            await run.add(add, 1)

    journey(app, steps)


def test_a_run_that_is_not_open_takes_no_tasks(journey):
    async def steps(tn):
        plain = await tn.start(add, 1)
        closed = await tn.open_run()
        await closed.add(add, 1)
        await closed.close()
        cancelled = await tn.open_run()
        await cancelled.cancel()
        for run, message in ((plain, "all its tasks"), (closed, "was closed"), (cancelled, "cancelled")):
            with pytest.raises(Conflict, match=message):
                await run.add(add, 1)
        with pytest.raises(Conflict, match="was cancelled"):
            await cancelled.close()
        with pytest.raises(NotFound):
            await tn.run("0195a0b1-c2d3-7abc-8000-000000000000").add(add, 1)

    journey(app, steps)


def test_options_of_a_run_are_refused_for_its_tasks(journey):
    async def steps(tn):
        run = await tn.open_run()
        graph = tn.graph()
        graph.output(graph.add(add, 1))
        for task, options in ((add, {"dedupe_key": "k"}), (chain(add), {"metadata": {"a": 1}}), (graph, {})):
            with pytest.raises(InvalidInput):
                await run.add(task, *(() if task is graph else (1,)), **options)
        with pytest.raises(InvalidInput, match="resource_group"):
            await run.add_many(add, [1], resource_group="a")
        with pytest.raises(InvalidInput, match="name"):
            await tn.open_run(dedupe_key="k")
        with pytest.raises(InvalidInput, match="the input of the run"):
            await tn.open_run(input=object())
        assert (await run.info()).total_tasks == 0

    journey(app, steps)


def test_a_dedupe_key_returns_the_open_run(journey):
    async def steps(tn):
        first = await tn.open_run("import", dedupe_key="monday")
        again = await tn.open_run("import", dedupe_key="monday")
        assert (first.created, again.created, again.id) == (True, False, first.id)
        found = await tn.find(name="import", dedupe_key="monday")
        assert found is not None
        assert found.id == first.id

    journey(app, steps)


def test_the_sync_client_opens_adds_and_closes(way, database):
    with app.connect_sync(**way) as tn:
        run = tn.open_run("import", hold=True)
        run.add("bank.add", 1, 1)
        run.add_many(add, [1, 2])
        run.close()
        assert (run.release(), run.release()) == (True, False)

        async def work() -> None:
            async with app.connect(database) as direct:
                await InlineWorker(direct.direct, app).work(most=10)

        asyncio.run(work())
        assert run.result(60) == [2, 1, 2]
        assert run.why() == []


@pytest.mark.direct_only(reason="a server has transactions of its own")
def test_an_open_run_lives_in_the_callers_transaction(way, database):
    with app.connect_sync(**way) as tn, psycopg.connect(database) as conn:
        run = tn.open_run("import", connection=conn)
        (task_id,) = run.add(add, 1, connection=conn)
        with pytest.raises(NotFound):
            run.info()
        conn.commit()
        assert [task.id for task in run.tasks()] == [task_id]

        run.add(add, 2, connection=conn)
        run.add_many(add, [3], connection=conn)
        run.close(connection=conn)
        conn.rollback()
        assert (run.info().total_tasks, run.info().open) == (1, True)


@pytest.mark.direct_only(reason="a server has transactions of its own")
def test_an_open_run_lives_in_the_callers_async_transaction(journey, database):
    async def steps(tn):
        async with await psycopg.AsyncConnection.connect(tn.url) as conn:
            run = await tn.open_run(connection=conn)
            await run.add(burst, connection=conn)
            await run.add_many(burst.options(connection=conn), [(), ()])
            await run.close(connection=conn)
        info = await run.info()
        assert (info.total_tasks, info.open) == (3, False)

    journey(app, steps)


def test_a_repeated_run_id_returns_the_first_run(journey):
    async def steps(tn):
        id = uuid4()
        first = await tn.start(add, 1, run_id=id)
        again = await tn.start(add, 2, run_id=str(id))
        assert (first.id, first.created, again.id, again.created) == (id, True, id, False)
        graph = tn.graph("report")
        graph.add(add, 1)
        made = await tn.start(graph, run_id=uuid4(), input={"day": 1})
        assert (await tn.start(graph, run_id=made.id)).created is False
        assert (await made.info()).input == {"day": 1}
        opened = await tn.open_run(run_id=uuid4())
        assert (await tn.open_run(run_id=opened.id)).created is False
        await tn.work()
        assert await again.result(60) == 1
        with pytest.raises(InvalidInput, match="run_id"):
            await tn.start_many(add, [1], run_id=id)
        with pytest.raises(InvalidInput, match="run_id"):
            await tn.start([graph], run_id=id)
        with pytest.raises(InvalidInput, match="run_id"):
            await tn.start(add, 1, run_id="x")
        with pytest.raises(InvalidInput, match="run_id"):
            await opened.add(add, 1, run_id=uuid4())

    journey(app, steps)


def test_a_task_whose_id_the_client_made_is_added_once(journey):
    async def steps(tn):
        run, id = await tn.open_run(), uuid4()
        assert [await run.add(add, 1, task_id=given) for given in (id, str(id))] == [[id], [id]]
        assert await run.add("bank.add", 1, task_id=id) == [id]
        await run.close()
        await tn.work()
        assert await run.result(60) == 1
        with pytest.raises(InvalidInput, match="is not the id of a task"):
            await run.add(add, 1, task_id="x")
        with pytest.raises(InvalidInput, match="the id of one task"):
            await run.add(chain(add, add), 3, task_id=uuid4())

    journey(app, steps)


def test_a_run_is_found_by_the_external_id_of_its_task(journey):
    async def steps(tn):
        graph = tn.graph()
        graph.add(add.options(external_id="job 7"), 1)
        graph.add(add, 2)
        run = await tn.start(graph)
        found = await tn.find(external_id="job 7")
        assert (found.id, found.created) == (run.id, False)
        newest = await tn.start(add, 1, external_id="job 7")
        assert (await tn.find(add, external_id="job 7")).id == newest.id
        assert await tn.find(external_id="job 8") is None
        for wrong in ({}, {"external_id": "job 7", "dedupe_key": "k"}):
            with pytest.raises(InvalidInput, match="pass one of them"):
                await tn.find(add, **wrong)

    journey(app, steps)


def test_a_held_run_starts_when_it_is_released(journey):
    async def steps(tn):
        task = await tn.start(add, 1, y=2, hold=True)
        graph = tn.graph("sum")
        graph.add(add, graph.add(add, 3), 4)
        held = [task, await tn.start(graph, hold=True), await tn.open_run(hold=True)]
        await held[2].add(add, 5)
        await held[2].close()
        await tn.work()
        assert [(await run.status(), (await run.info()).held) for run in held] == [("pending", True)] * 3
        (reason,) = await task.why()
        assert "its run is held" in reason
        for run in held:
            assert [await run.release(), await run.release()] == [True, False]
        await tn.work()
        assert [await run.result(60) for run in held] == [3, 7, 5]

        cancelled = await tn.start(add.options(hold=True), 1)
        await cancelled.cancel()
        with pytest.raises(Conflict, match="was cancelled while it was held"):
            await cancelled.release()
        with pytest.raises(InvalidInput, match="hold is 'yes'"):
            await tn.start(add, 1, hold="yes")
        with pytest.raises(InvalidInput, match="hold is an option of a single run"):
            await tn.start_many(add.options(hold=True), [1])
        with pytest.raises(InvalidInput, match="hold is an option of the run"):
            await held[2].add(add, 1, hold=True)

    journey(app, steps)
