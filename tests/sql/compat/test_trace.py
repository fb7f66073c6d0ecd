"""The tables of Trace as views: deploys, jobs, datasets and their tasks."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.support.database.compat import refused, rows
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.outbox import publish as publish_effect
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.database.users import an_org_with_users

S = "tenuto_compat_trace"


def read(db: Db, view: str, where: str = "true", *params: object) -> list[dict[str, Any]]:
    return rows(db, f"select * from {S}.{view} where {where}", *params)


def test_a_deployed_dag_is_shown_with_its_jobs_and_datasets(db: Db) -> None:
    deployed(db)

    (version,) = read(db, "dag_versions")
    (current,) = read(db, "dag_current_versions")
    assert (version["dag_name"], current["dag_version_id"]) == ("sales", version["id"])
    jobs = {job["name"]: job for job in read(db, "jobs", "dag_version_id = %s", version["id"])}
    daily, extract = jobs["daily"], jobs["extract"]
    assert (extract["activation"], extract["source"]["kind"], extract["max_attempts"]) == ("source", "manual", 2)
    assert (daily["execution_strategy"], daily["timeout_seconds"]) == ("PerPartition", 90)
    assert (daily["scaling"], daily["source"], daily["unique_key"]) == ({"max_concurrency": 3}, None, None)
    datasets = {row["name"]: row for row in read(db, "datasets")}
    raw = datasets["raw"]
    assert (raw["producer_dag_name"], raw["producer_job_name"], raw["producer_output_index"]) == ("sales", "extract", 0)
    assert (daily["input_datasets"], extract["output_datasets"]) == ([str(raw["id"])], [str(raw["id"])])
    pointers = {row["dataset_uuid"]: row["dataset_version"] for row in read(db, "dag_version_datasets")}
    versions = {row["id"]: row for row in read(db, "dataset_versions")}
    assert versions[pointers[raw["id"]]]["storage_location"].endswith("/")


def test_a_task_of_a_job_is_shown_from_its_start_to_its_end(db: Db) -> None:
    deployed(db)
    (started,) = trigger(db, "extract", "2026-11-16", dedupe_key="monday")
    (task,) = read(db, "tasks")
    assert (task["id"], task["status"], task["attempt"]) == (started["task_id"], "Queued", 1)
    assert (task["dedupe_key"], task["partitions"]) == ("monday/2026-11-16", ["2026-11-16"])
    (job,) = read(db, "jobs", "id = %s", task["job_id"])
    assert job["name"] == "extract"

    worker = a_worker(db)
    claim = worker.claim_one()
    (task,) = read(db, "tasks")
    assert (task["status"], task["worker_id"], task["lease_token"]) == ("Running", "w", None)
    assert task["lease_expires_at"] > task["last_heartbeat"]
    worker.fail(claim, error="timeout")
    (task,) = read(db, "tasks")
    assert (task["status"], task["next_retry_at"] is None) == ("Failed", False)
    db.execute("update tenuto.delayed_tasks set available_at = now()")
    call(db, "promote_due")
    publish(worker, worker.claim_one(), "2026-11-16")

    (task,) = read(db, "tasks")
    assert (task["status"], task["attempt"], task["worker_id"]) == ("Completed", 2, None)
    trigger(db, "daily", "2026-11-16")
    (read_by,) = read(db, "task_inputs")
    assert (read_by["input_partition_key"], read_by["task_id"] != task["id"]) == ("2026-11-16", True)


def test_setting_the_status_to_canceled_cancels(db: Db) -> None:
    deployed(db)
    trigger(db, "extract", "2026-11-16")

    db.execute("update tenuto_compat_trace.tasks set status = 'Canceled'")

    assert [task["status"] for task in read(db, "tasks")] == ["Canceled"]


def test_orgs_people_outbox_and_state_are_those_of_the_client(db: Db) -> None:
    an_org_with_users(db, DEFAULT_ORG, "default")
    an_org_with_users(db, call(db, "create_org", slug="other"), "other")
    deployed(db)
    (job,) = read(db, "jobs", "name = 'extract'")
    trigger(db, "extract", "2026-11-16")
    worker = a_worker(db)
    claim = worker.claim_one()
    fence = {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}
    call(db, "put_task_state", **fence, key="cursor", value=Jsonb(7), version=0)
    publish_effect(db, {"to": "ann"})

    assert [org["slug"] for org in read(db, "orgs")] == ["default"]
    assert {user["org_id"] for user in read(db, "users")} == {DEFAULT_ORG}
    members = {row["role_id"] for row in read(db, "org_role_memberships")}
    assert members
    assert members <= {role["id"] for role in read(db, "org_roles")}
    assert [(row["job_id"], row["state_key"], row["state"]) for row in read(db, "operator_state")] == [
        (job["id"], "cursor", 7)
    ]
    assert "Pending" in {row["status"] for row in read(db, "outbox")}


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("update tenuto_compat_trace.tasks set status = 'Completed'", "can only set the status to Canceled"),
        ("insert into tenuto_compat_trace.tasks (dedupe_key) values ('x')", "tenuto.trigger_job"),
        ("update tenuto_compat_trace.dag_current_versions set dag_name = 'x'", "tenuto cutover"),
        ("delete from tenuto_compat_trace.jobs", "tenuto deploy"),
    ],
)
def test_other_writes_are_refused_with_the_function_to_use(db: Db, statement: str, hint: str) -> None:
    deployed(db)
    trigger(db, "extract", "2026-11-16")

    with refused("TN003", hint):
        db.execute(statement.encode())
