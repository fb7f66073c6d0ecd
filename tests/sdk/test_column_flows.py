"""A plan names the columns that reach a dataset with more readers than their source, and an org can deny the deploy."""

import asyncio
import json
from typing import Any

import pytest

from tenuto import App, Forbidden
from tenuto.dag.readers import wider_readers
from tenuto.sdk.operations.column_flows import describe_flow
from tests.dag.documents import VAULT, parsed, with_job
from tests.support.database.dags import cutover, deploy
from tests.support.database.functions import serve_functions
from tests.support.database.tasks import DEFAULT_ORG, Db, call

app = App("shop")


@app.job
def extract() -> list[dict[str, object]]:
    return []


@app.job
def report() -> list[dict[str, object]]:
    return []


COLUMNS = [{"name": name, "type": "bigint"} for name in ("order_id", "secret", "region", "a", "b", "c")]


def a_document(sql: str, **output: Any) -> dict[str, Any]:
    document = with_job("daily", config={"sql": sql}, outputs=[{"dataset": "orders_daily", **output}])
    document["jobs"][0]["outputs"] = [{"dataset": "orders_raw", "columns": COLUMNS}]
    return document


def flow(sql: str, **output: Any) -> str | None:
    return describe_flow(parsed(a_document(sql, **output)), "orders_daily", "orders_raw")


def test_the_columns_of_a_select_are_named():
    assert flow("select sum(secret) as total from orders_raw where region = 1") == (
        "region to all columns, secret to total"
    )
    assert flow("select * from orders_raw") == (
        "a to a, b to b, c to c, order_id to order_id, region to region, 1 more"
    )
    assert flow("select 1 as one") == ""
    assert flow("select unnest([secret]) as s from orders_raw") is None


def test_declared_columns_are_named_and_the_select_is_not_read():
    declared = {"total": ["orders_raw.secret", "orders_raw"]}
    assert flow("select 1 as total", lineage=declared) == "a column to total, secret to total"
    assert flow("select secret from orders_raw", lineage="off") is None


def test_a_warning_has_the_columns_and_is_left_out_if_there_are_none():
    def warnings(sql: str) -> list[str]:
        dag = parsed(a_document(sql))
        roles = {"orders_daily": frozenset({"sales"})}
        return wider_readers(None, dag, roles, lambda dataset, source: describe_flow(dag, dataset, source))

    assert warnings("select max(secret) as top from orders_raw") == [
        "role sales reads orders_daily, which will be computed from orders_raw (secret to top), "
        "but cannot read orders_raw"
    ]
    assert warnings("select 1 as one") == []
    assert warnings("select unnest([secret]) as s from orders_raw") == [
        "role sales reads orders_daily, which will be computed from orders_raw, but cannot read orders_raw"
    ]


def test_an_org_denies_a_deploy_that_widens_readers(way, db: Db):
    serve_functions(db)
    deploy(db, VAULT)
    cutover(db, name="vault")
    deploy(db, a_document("select 1 as one"))
    cutover(db)
    call(db, "create_role", org_id=DEFAULT_ORG, name="sales")
    call(db, "grant_dataset", org_id=DEFAULT_ORG, name="orders_daily", role="sales")
    # Until now the dataset is computed from another one, that is not restricted.
    document = a_document("select max(secret) as top from secrets", columns=[{"name": "top", "type": "bigint"}])
    document["jobs"][1]["inputs"] = [{"from": {"dataset": "secrets"}}]
    document["jobs"][1]["execution_strategy"] = "PerUpdate"
    edited = json.dumps(document)
    message = "role sales reads orders_daily, which will be computed from secrets, but cannot read secrets"

    async def steps() -> None:
        async with app.connect(**way) as tn:
            plan = await tn.dags.plan(edited)
            assert (plan.warnings, plan.denied) == ([message], [])
            call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={"wider_readers": "deny"})
            plan = await tn.dags.plan(edited)
            assert (plan.warnings, plan.denied) == ([], [message])
            with pytest.raises(Forbidden, match="the org denies this deploy: role sales"):
                await tn.dags.deploy(edited)
            assert [version.version for version in await tn.dags.versions("orders")] == [1]
            call(db, "grant_dataset", org_id=DEFAULT_ORG, name="orders_daily", role="sales")
            call(db, "revoke_dataset", org_id=DEFAULT_ORG, name="orders_daily", role="sales")
            assert (await tn.dags.plan(edited)).denied == []

    asyncio.run(steps())


@pytest.mark.parametrize("value", ["no", True, None, 1])
def test_the_setting_is_warn_or_deny(db: Db, value: object):
    with pytest.raises(Exception, match=r"wider_readers is .*, not warn or deny"):
        call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={"wider_readers": value})
