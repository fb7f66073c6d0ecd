"""Deleting DAGs and datasets: what starts and computes them goes with their data, the history stays, and nothing that
another DAG reads is deleted."""

from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import Conflict, NotFound
from tests.dag.documents import a_document, with_job
from tests.support.clock import Clock
from tests.support.database.dags import cutover, datasets, deploy, rollback, set_status
from tests.support.database.jobs import deployed, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, status, task

READER: dict[str, Any] = {
    "name": "reports",
    "jobs": [
        {
            "name": "weekly",
            "activation": "reactive",
            "operator": "sql",
            "execution_strategy": "PerPartition",
            "inputs": [{"from": {"dataset": "per_day"}}],
            "config": {"sql": "select 1"},
            "outputs": [{"dataset": "per_week"}],
        }
    ],
}


def delete(db: Db, name: str = "sales", **options: Any) -> Any:
    (row,) = call(db, "delete_dag", org_id=DEFAULT_ORG, name=name, actor="ann", **options)
    return row


def delete_dataset(db: Db, name: str, **options: Any) -> int:
    return call(db, "delete_dataset", org_id=DEFAULT_ORG, name=name, **options)


def count(db: Db, table: str) -> int:
    ((number,),) = db.execute(f"select count(*) from tenuto.{table}".encode()).fetchall()
    return number


def test_a_deleted_dag_is_gone_with_its_datasets_and_its_history_stays(db: Db) -> None:
    deployed(db)
    deployed(db, sales("select 2"), expected=1)
    dry = delete(db, dry_run=True)
    assert dry == {"dag": "sales", "versions": 2, "datasets": ["per_day", "raw"], "dataset_versions": 3}
    assert set(datasets(db)) == {"per_day", "raw"}

    assert delete(db) == dry

    assert (datasets(db), call(db, "list_dags", org_id=DEFAULT_ORG), call(db, "list_jobs", org_id=DEFAULT_ORG)) == (
        {}, [], [],
    )  # fmt: skip
    history = call(db, "list_deploys", org_id=DEFAULT_ORG, name="sales")
    assert [(row["action"], row["from_version"], row["to_version"]) for row in history[:2]] == [
        ("delete", 2, None), ("cutover", 1, 2),
    ]  # fmt: skip
    assert count(db, "outbox where kind = 'delete_data'") == 3
    assert count(db, "dataset_versions where purged_at is null") == 0
    (entry,) = call(db, "list_audit", org_id=DEFAULT_ORG, entity="dag", action="delete")
    assert entry["changes"]["datasets"] == {"new": ["per_day", "raw"]}
    for call_again in (lambda: delete(db), lambda: cutover(db, name="sales"), lambda: trigger(db)):
        with pytest.raises(NotFound):
            call_again()


def test_the_names_of_a_deleted_dag_can_be_used_again(db: Db) -> None:
    deployed(db)
    old = datasets(db)["raw"]["id"]
    delete(db)

    again = deploy(db, sales("select 1"))
    cutover(db, name="sales")

    assert (again["version"], again["created"]) == (1, True)
    assert datasets(db)["raw"]["id"] != old
    delete(db)
    assert len(call(db, "list_deploys", org_id=DEFAULT_ORG, name="sales")) == 6
    deployed(db, sales("select 1", name="other"))  # another DAG has the names of the datasets now
    assert datasets(db)["raw"]["dag"] == "other"


def test_what_starts_and_bounds_its_jobs_goes(db: Db) -> None:
    hook = {"kind": "webhook", "webhook_path": "/orders"}
    document = with_job("extract", source=hook)
    document["jobs"][1]["scaling"] = {"max_queue_depth": 5}
    tick = {**a_document()["jobs"][0], "name": "tick", "outputs": [{"dataset": "ticks"}], "update_strategy": "replace"}
    del tick["unique_key"]
    document["jobs"].append(tick)
    deployed(db, document)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="orders", name="daily")
    ((key,),) = db.execute("select job_key from tenuto.jobs where name = 'daily'").fetchall()
    call(db, "set_limit", org_id=DEFAULT_ORG, scope="key", key=f"job:{key}", size=3)
    tables = ["schedules", "webhooks", "job_backlogs", "limit_overrides", "job_controls where paused_at is not null"]
    assert [count(db, table) for table in tables] == [1] * 5

    delete(db, "orders")

    assert [count(db, table) for table in tables] == [0] * 5
    assert count(db, "dag_current_versions") == 0


def test_a_dag_whose_datasets_another_one_reads_is_not_deleted_even_forced(db: Db) -> None:
    deployed(db)
    deploy(db, READER)  # not current, but it can become it

    for force in (False, True):
        with pytest.raises(Conflict, match="job weekly of reports reads per_day"):
            delete(db, force=force)
    delete(db, "reports")
    assert delete(db)["datasets"] == ["per_day", "raw"]


def test_open_tasks_and_a_version_that_is_computed_forbid_it_unless_it_is_forced(db: Db) -> None:
    deployed(db)
    worker = a_worker(db)
    trigger(db, "extract", "mon", "tue")
    first = worker.claim_one()
    publish(worker, first, first.input["job"]["partition"])
    held = worker.claim_one()
    assert deploy(db, sales("select 2"))["status"] == "building"

    with pytest.raises(Conflict, match="version 2 is being computed; 1 task of job extract has not ended"):
        delete(db)
    delete(db, force=True)
    assert publish(worker, held, held.input["job"]["partition"]) == "accepted"  # it lands in its own version
    call(db, "advance_builds", limit=10)
    assert worker.claim(10) == []
    statuses = [
        status for (status,) in db.execute("select status from tenuto.dag_versions order by version").fetchall()
    ]
    assert statuses == ["superseded", "failed"]
    assert deploy(db, sales("select 2"))["version"] == 1


def test_tasks_that_a_trigger_adds_meanwhile_are_cancelled(db: Db, clock: Clock) -> None:
    deployed(db)
    (started,) = trigger(db, "extract", "mon")
    delete(db, force=True)

    call(db, "advance_builds", limit=10)

    assert status(db, started["task_id"]) == "cancelled"
    assert "the DAG was deleted" in str(task(db, started["task_id"]))
    clock.advance(minutes=2)
    call(db, "advance_builds", limit=10)
    assert count(db, "builds where due_at is not null") == 0


def test_a_dataset_that_no_version_publishes_any_more_can_be_deleted(db: Db) -> None:
    deployed(db)
    with pytest.raises(Conflict, match="version 1 of sales publishes it"):
        delete_dataset(db, "per_day")
    only_raw = {**sales(), "jobs": sales()["jobs"][:1]}
    deploy(db, READER)
    deployed(db, only_raw, expected=1)
    with pytest.raises(Conflict, match="job weekly of reports reads it"):
        delete_dataset(db, "per_day")
    delete(db, "reports")

    assert (delete_dataset(db, "per_day", dry_run=True), delete_dataset(db, "per_day")) == (1, 1)

    assert set(datasets(db)) == {"raw"}
    with pytest.raises(NotFound, match="no dataset per_day"):
        delete_dataset(db, "per_day")
    with pytest.raises(Conflict, match="the data of per_day in this version was purged"):
        rollback(db, 2, 1, name="sales")
    deployed(db, {**sales(), "description": "with per_day again"}, expected=2)
    assert set(datasets(db)) == {"raw", "per_day"}


def test_a_version_that_reads_a_deleted_dataset_can_not_become_current_again(db: Db) -> None:
    deployed(db)
    deployed(db, READER)
    alone = {**READER["jobs"][0], "activation": "source", "source": {"kind": "manual"}}
    for field in ("inputs", "execution_strategy"):
        del alone[field]
    deployed(db, {**READER, "jobs": [alone]}, expected=1)
    delete(db)

    with pytest.raises(Conflict, match="reads the dataset per_day, which was deleted"):
        rollback(db, 2, 1, name="reports")


def test_nothing_of_another_org_is_deleted(db: Db) -> None:
    deployed(db)
    for function, options in (("delete_dag", {"actor": "ann"}), ("delete_dataset", {})):
        with pytest.raises(NotFound):
            call(db, function, org_id=UUID(int=7), name="sales", **options)
    assert set(datasets(db)) == {"per_day", "raw"}


def test_a_version_that_failed_is_not_computed_again_without_what_it_reads(db: Db) -> None:
    deployed(db)
    source = {**sales()["jobs"][0], "outputs": [{"dataset": "per_week"}]}
    deployed(db, {**READER, "jobs": [source]})
    deploy(db, READER)
    set_status(db, 2, "failed")
    delete(db)

    with pytest.raises(Conflict, match="reads the dataset per_day, which was deleted"):
        deploy(db, READER)
