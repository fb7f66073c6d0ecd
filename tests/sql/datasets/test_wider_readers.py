"""An org denies more readers than sources have: the database refuses deploys, cutovers, rollbacks and grants."""

from typing import Any

import pytest

from tenuto.model.errors import Forbidden
from tests.dag.documents import COLLECT, VAULT, with_job
from tests.support.database.dags import cutover, datasets, deploy, rollback
from tests.support.database.tasks import DEFAULT_ORG, Db, call

MESSAGE = "role sales reads orders_daily, which will be computed from secrets, but cannot read secrets"


def from_secrets(**outputs: Any) -> dict[str, Any]:
    """The DAG orders, whose orders_daily is computed from the dataset secrets."""
    return with_job(
        "daily",
        inputs=[{"from": {"dataset": "secrets"}}],
        execution_strategy="PerUpdate",
        outputs=[{"dataset": "orders_daily"}],
        **outputs,
    )


def plain() -> dict[str, Any]:
    return with_job("daily", outputs=[{"dataset": "orders_daily"}])


def policy(db: Db, value: str) -> None:
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={"wider_readers": value})


def grant(db: Db, name: str, role: str = "sales") -> None:
    call(db, "grant_dataset", org_id=DEFAULT_ORG, name=name, role=role)


@pytest.fixture
def org(db: Db) -> Db:
    """Orders without secrets is current, and sales reads orders_daily."""
    deploy(db, VAULT)
    cutover(db, name="vault")
    deploy(db, plain())
    cutover(db)
    call(db, "create_role", org_id=DEFAULT_ORG, name="sales")
    for name in ("orders_raw", "orders_daily"):
        grant(db, name)
    return db


def test_a_deploy_is_denied_and_leaves_nothing(org: Db):
    policy(org, "deny")

    with pytest.raises(Forbidden, match=MESSAGE):
        deploy(org, from_secrets())

    assert [row["version"] for row in call(org, "list_dag_versions", org_id=DEFAULT_ORG, name="orders")] == [1]
    grant(org, "secrets")
    assert deploy(org, from_secrets())["version"] == 2


def test_a_cutover_is_denied_to_what_was_deployed_before(org: Db):
    deploy(org, from_secrets())
    policy(org, "deny")

    with pytest.raises(Forbidden, match=MESSAGE):
        cutover(org, expected=1, version=2, force=True)
    policy(org, "warn")
    assert cutover(org, expected=1, version=2, force=True)["version"] == 2


def test_a_rollback_is_denied_to_a_version_that_widens(org: Db):
    deploy(org, from_secrets())
    cutover(org, expected=1, version=2, force=True)
    rollback(org, expected=2)
    policy(org, "deny")

    with pytest.raises(Forbidden, match=MESSAGE):
        rollback(org, expected=1, version=2)


def test_what_is_current_stays_and_can_be_edited(org: Db):
    deploy(org, from_secrets())
    cutover(org, expected=1, version=2, force=True)
    policy(org, "deny")

    assert deploy(org, from_secrets(description="as before"))["version"] == 3
    grant(org, "orders_daily")  # again


def test_a_grant_is_denied_that_widens_what_is_current(org: Db):
    call(org, "revoke_dataset", org_id=DEFAULT_ORG, name="orders_daily", role="sales")
    deploy(org, from_secrets())
    cutover(org, expected=1, version=2, force=True)
    policy(org, "deny")

    with pytest.raises(Forbidden, match="orders_daily is computed from secrets, which role sales cannot read"):
        grant(org, "orders_daily")
    assert datasets(org)["orders_daily"]["read_roles"] == []
    grant(org, "secrets")
    grant(org, "orders_daily")
    assert datasets(org)["orders_daily"]["read_roles"] == ["sales"]


def test_sources_behind_outputs_without_a_dataset_count(org: Db):
    policy(org, "deny")
    document = from_secrets()
    daily = document["jobs"][1]
    code = {"operator": "python", "config": {"task": "shop.middle"}}
    middle = {**daily, **code, "name": "middle", "outputs": [{"name": "rows"}]}
    last = {**daily, "inputs": [{"from": {"job": "middle", "output": "rows"}}]}
    document["jobs"] = [document["jobs"][0], middle, last, *document["jobs"][2:]]

    with pytest.raises(Forbidden, match=MESSAGE):
        deploy(org, document)


def test_the_sources_of_jobs_that_append_to_a_sink_count(org: Db):
    writer = {**from_secrets()["jobs"][1], "name": "write", "outputs": [{"append_to": "all_rows"}]}
    deploy(org, {"version": 1, "name": "ledger", "jobs": [writer, COLLECT]})
    cutover(org, version=1, name="ledger", force=True)
    policy(org, "deny")

    with pytest.raises(Forbidden, match="all_rows is computed from secrets, which role sales cannot read"):
        grant(org, "all_rows")
