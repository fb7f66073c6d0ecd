"""`@app.job`: functions that only jobs of DAGs run."""

import asyncio
import json

import pytest

from tenuto import App, InvalidInput
from tenuto.operators.app import operator_app
from tenuto.sdk.app_loader import BadTarget, combine_apps
from tests.support.database.tasks import Db


class Table:
    """A type without a JSON form, as a pyarrow Table is."""


def test_a_job_function_stays_a_function_and_takes_any_types() -> None:
    app = App("shop")

    @app.job
    def total(orders: Table) -> Table:
        return orders

    @app.job(name="twice", executor="process")
    def other() -> int:
        return 2

    table = Table()
    assert total(table) is table
    assert app.tasks == {}
    assert list(app.functions) == ["shop.total", "shop.twice"]
    operators = operator_app("file:///nowhere", functions=app.functions).tasks
    assert operators["tenuto.python.shop.total"].runs_in == "thread"
    assert operators["tenuto.python.shop.twice"].runs_in == "process"
    assert "tenuto.python" not in operators


def test_wrong_declarations_say_what_to_write() -> None:
    app = App("shop")
    app.task(name="send")(lambda: None)

    with pytest.raises(InvalidInput, match=r"there are two tasks shop\.send"):
        app.job(name="send")(lambda: 1)
    with pytest.raises(InvalidInput, match="is not the name of a job"):
        app.job(lambda: 1)
    with pytest.raises(InvalidInput, match="is not the name of a job"):
        app.job(name="x" * 200)(lambda: 1)
    with pytest.raises(InvalidInput, match="takes a function"):
        app.job(app.tasks["shop.send"])
    with pytest.raises(InvalidInput, match="executor is 'fork', not one of"):
        app.job(executor="fork")(print)  # type: ignore[arg-type]


def test_a_worker_has_the_functions_of_all_of_its_apps_and_none_of_the_operators() -> None:
    shop, mail = App("shop"), App("mail")
    shop.job(name="a")(lambda: 1)
    mail.task(name="b")(lambda: 1)

    assert set(combine_apps([("x", shop), ("y", mail)]).functions) == {"shop.a", "mail.b"}
    with pytest.raises(BadTarget, match=r"both define shop\.a"):
        combine_apps([("x", shop), ("y", shop)])
    for name in ("tenuto", "tenuto.python"):
        with pytest.raises(BadTarget, match="a name of the operators"):
            combine_apps([("x", App(name))])


def test_a_client_deploys_jobs_with_functions_of_its_app_only(way, db: Db) -> None:
    app = App("shop")
    app.job(name="extract")(lambda: 1)

    def document(task: str) -> str:
        job = {"name": "j", "activation": "source", "source": {"kind": "manual"}, "operator": "python"}
        return json.dumps({"version": 1, "name": "sales", "jobs": [{**job, "config": {"task": task}, "outputs": 0}]})

    async def steps() -> None:
        async with app.connect(**way) as tn:
            assert (await tn.dags.plan(document("shop.extrakt"))).denied != []
            with pytest.raises(InvalidInput, match=r"job j runs shop\.extrakt, which no app declares"):
                await tn.dags.deploy(document("shop.extrakt"))
            with pytest.raises(InvalidInput, match=r"write app\.function"):
                await tn.dags.deploy(document("subprocess:getoutput"))
            warning = "job j would wait for a worker: no worker has declared the function shop.extract"
            assert (await tn.dags.plan(document("shop.extract"))).warnings == [warning]
            deployed = await tn.dags.deploy(document("shop.extract"), cutover=True)
            assert (deployed.status, deployed.warnings) == ("current", [warning])
            assert (await tn.dags.get("sales")).warnings == [warning]
            problem = (await tn.jobs.get("sales", "j")).problem
            assert problem == "no worker has declared the function shop.extract"

    asyncio.run(steps())
