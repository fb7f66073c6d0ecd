"""DAGs, jobs and datasets through the client, over both transports, asynchronous and synchronous."""

import asyncio
import json
from pathlib import Path

import pytest

from tenuto import App, Conflict, InvalidInput, NotFound
from tests.dag.documents import a_document, with_job
from tests.support.database.jobs import deployed, publish, sales, trigger
from tests.support.database.lineage import four_datasets
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

app = App("shop")


@app.job
def extract() -> list[dict[str, object]]:
    return []


@app.job
def report() -> list[dict[str, object]]:
    return []


FIRST, SECOND = json.dumps(a_document()), json.dumps(with_job("daily", config={"sql": "select 2"}))


def test_the_tasks_of_a_job_are_listed_and_counted(way, db: Db):
    deployed(db)
    (started,) = trigger(db, "extract", "mon")
    trigger(db, "daily", "mon")

    with app.connect_sync(**way) as tn:
        assert [task.id for task in tn.tasks(job="sales/extract")] == [started["task_id"]]
        assert tn.tasks.count(job="sales/extract").count == 1
        with pytest.raises(NotFound, match="did you mean sales/extract"):
            tn.tasks(job="sales/extrac")


def test_a_version_is_planned_deployed_cut_over_and_rolled_back(way, tmp_path: Path):
    file = tmp_path / "orders.yaml"
    file.write_text(FIRST)

    async def steps() -> None:
        async with app.connect(**way) as tn:
            first = await tn.dags.deploy(file, cutover=True)
            assert (first.version, first.status, first.created) == (1, "current", True)
            assert not (await tn.dags.deploy(FIRST)).created
            plan = await tn.dags.plan(SECOND)
            assert (plan.dag, plan.current_version, plan.rebuilt) == ("orders", 1, ["daily", "report"])
            assert [(item.job, item.partitions, item.tasks) for item in plan.rebuilds] == [
                ("daily", 0, 0), ("report", 0, 0)
            ]  # fmt: skip
            assert (await tn.dags.plan(FIRST)).is_empty
            second = await tn.dags.deploy(SECOND)
            assert (await tn.dags.diff("orders", 1, 2)).rebuilt == ["daily", "report"]
            assert (await tn.dags.get("orders")).version == 1
            assert json.loads((await tn.dags.get("orders", 2)).yaml) == json.loads(SECOND)
            with pytest.raises(Conflict, match="version 1 is current, not 2"):
                await tn.dags.cutover("orders", second.version, expected=2)
            assert (await tn.dags.cutover("orders", expected=1)).version == 2
            assert (await tn.dags.rollback("orders")).from_version == 2
            assert [(item.version, item.status) for item in await tn.dags.versions("orders")] == [
                (2, "superseded"), (1, "current")
            ]  # fmt: skip
            assert [(dag.name, dag.version) for dag in await tn.dags.list()] == [("orders", 1)]
            for missing in (tn.dags.get("sales"), tn.dags.cutover("sales"), tn.dags.versions("sales")):
                with pytest.raises(NotFound):
                    await missing

    asyncio.run(steps())


def test_a_wrong_document_is_refused_before_it_is_sent(way):
    async def steps() -> None:
        async with app.connect(**way) as tn:
            with pytest.raises(InvalidInput, match="1:1: jbos: unknown key; did you mean jobs"):
                await tn.dags.plan("jbos: []")
            with pytest.raises(InvalidInput, match=r"'orders\.yaml' is the name of a file, not a document"):
                await tn.dags.deploy("orders.yaml")
            with pytest.raises(FileNotFoundError):
                await tn.dags.deploy(Path("nowhere.yaml"))

    asyncio.run(steps())


def test_jobs_and_datasets_are_listed_read_and_changed(way, db: Db):
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")

    async def steps() -> None:
        async with app.connect(**way) as tn:
            await tn.dags.deploy(FIRST, cutover=True)
            assert [job.name for job in await tn.jobs.list(dag="orders")] == ["daily", "extract", "report"]
            await tn.jobs.pause("orders", "daily", "totals are wrong")
            assert (await tn.jobs.get("orders", "daily")).pause_reason == "totals are wrong"
            await tn.jobs.resume("orders", "daily")
            assert (await tn.jobs.get("orders", "daily")).paused_at is None
            assert [dataset.name for dataset in await tn.datasets.list()] == ["orders_daily", "orders_raw"]
            assert await tn.datasets.cursors("orders_raw") == []
            await tn.datasets.grant("orders_daily", "finance")
            assert (await tn.datasets.get("orders_daily")).read_roles == ["finance"]
            await tn.datasets.revoke("orders_daily", "finance")
            assert (await tn.datasets.get("orders_daily")).read_roles == []
            (version,) = await tn.datasets.versions("orders_daily")
            assert (version.is_current, version.dag_versions) == (True, [1])
            for missing in (tn.jobs.get("orders", "x"), tn.datasets.get("x"), tn.datasets.grant("orders_raw", "x")):
                with pytest.raises(NotFound):
                    await missing

    asyncio.run(steps())


def test_the_sync_client_has_the_same_collections(way, db: Db):
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")

    with app.connect_sync(**way) as tn:
        assert tn.dags.plan(FIRST).current_version == 0
        assert tn.dags.deploy(FIRST).status == "ready"
        assert tn.dags.cutover("orders", expected=0).version == 1
        tn.dags.deploy(SECOND, cutover=True)
        assert tn.dags.diff("orders", 1, 2).unchanged_jobs == 1
        assert tn.dags.rollback("orders", 1).version == 1
        assert [version.version for version in tn.dags.versions("orders")] == [2, 1]
        assert tn.dags.get("orders").version == tn.dags.list()[0].version == 1
        tn.jobs.pause("orders", "daily")
        assert tn.jobs.get("orders", "daily").paused_at == tn.jobs.list()[0].paused_at is not None
        tn.jobs.resume("orders", "daily")
        tn.datasets.grant("orders_raw", "finance")
        assert tn.datasets.get("orders_raw").read_roles == tn.datasets.list()[1].read_roles == ["finance"]
        tn.datasets.revoke("orders_raw", "finance")
        assert len(tn.datasets.versions("orders_raw")) == 1


def test_a_plan_counts_the_partitions_that_are_computed_again(way, db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db, "extract", "a", "b")
    for claim in worker.claim(2):
        publish(worker, claim, claim.input["job"]["partition"])

    with app.connect_sync(**way) as tn:
        plan = tn.dags.plan(json.dumps(sales("select 2")))
        assert [(item.job, item.partitions, item.tasks) for item in plan.rebuilds] == [("daily", 2, 2)]
        assert tn.datasets.purge("per_day", keep=1, dry_run=True) == []


def test_lineage_is_read_over_both_transports(way, db: Db):
    four_datasets(db)

    async def steps() -> None:
        async with app.connect(**way) as tn:
            graph = await tn.datasets.lineage("d2", column="total", direction="up", depth=1)
            names = {node.id: node.dataset for node in graph.nodes}
            assert {(names[edge.source], edge.confidence) for edge in graph.edges} == {
                ("d0", "exact"), ("d1", "table"), ("d1", "exact"),
            }  # fmt: skip
            with pytest.raises(NotFound):
                await tn.datasets.lineage("nope")

    asyncio.run(steps())
    with app.connect_sync(**way) as tn:
        assert [edge.method for edge in tn.datasets.lineage("d3", direction="up", depth=1).edges] == ["inputs"]
