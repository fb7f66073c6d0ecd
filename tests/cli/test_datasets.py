"""`tenuto diff`, `jobs` and `datasets`, as a person runs them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.dag.documents import a_document, with_job
from tests.support.database.dags import cutover, deploy
from tests.support.database.functions import serve_functions
from tests.support.database.tasks import Db
from tests.support.http.both_ways import run_here as tenuto


def test_versions_are_compared(database: str, db: Db, asked: Callable[..., Any]):
    deploy(db)
    deploy(db, with_job("daily", config={"sql": "select 2"}))

    compared = asked("diff", "orders", "1", "2")
    printed = tenuto("diff", "orders", "2", "2", TENUTO_DATABASE_URL=database)
    missing = tenuto("diff", "orders", "1", "7", TENUTO_DATABASE_URL=database)

    assert (compared["dag"], compared["old_version"], compared["new_version"]) == ("orders", 1, 2)
    assert [(change["job"], change["kind"]) for change in compared["jobs"]] == [("daily", "data"), ("report", "data")]
    assert (printed.returncode, printed.stdout) == (0, "orders: no changes\n")
    assert (missing.returncode, "no DAG orders with a version 7" in missing.stderr) == (2, True), missing.stderr


def test_a_job_is_listed_shown_paused_and_resumed(database: str, db: Db, asked: Callable[..., Any]):
    deploy(db)
    cutover(db)

    names = [job["name"] for job in asked("jobs", "list", "--dag", "orders", "--after", "orders/daily")["jobs"]]
    asked("jobs", "pause", "orders", "daily", "--reason", "wrong totals")
    paused = asked("jobs", "show", "orders", "daily")
    printed = tenuto("jobs", "resume", "orders", "daily", TENUTO_DATABASE_URL=database)
    resumed = asked("jobs", "show", "orders", "daily")
    unknown = tenuto("jobs", "pause", "orders", "dayly", TENUTO_DATABASE_URL=database)
    half = tenuto("jobs", "list", "--after", "orders", TENUTO_DATABASE_URL=database)
    notes = [entry for entry in asked("audit", "list")["entries"] if entry["entity"] == "job"]

    assert names == ["extract", "report"]
    assert (paused["pause_reason"], paused["definition"]["config"]) == ("wrong totals", {"sql": "select 1"})
    assert (printed.stdout, resumed["paused_at"], resumed["pause_reason"]) == ("resumed daily of orders\n", None, None)
    assert (unknown.returncode, "no job dayly in a DAG orders" in unknown.stderr) == (2, True)
    assert (half.returncode, "write DAG/JOB" in half.stderr) == (2, True)
    assert {(entry["action"], entry["entity_id"]) for entry in notes} == {
        ("pause", "orders/daily"),
        ("resume", "orders/daily"),
    }


def test_a_dataset_is_listed_shown_granted_and_revoked(database: str, db: Db, asked: Callable[..., Any]):
    deploy(db)
    cutover(db)
    asked("roles", "create", "finance")

    listed = asked("datasets", "list", "--after", "orders_daily")["datasets"]
    asked("datasets", "grant", "orders_raw", "finance")
    granted = asked("datasets", "show", "orders_raw")
    (version,) = asked("datasets", "versions", "orders_raw")["versions"]
    asked("datasets", "revoke", "orders_raw", "finance")
    printed = tenuto("datasets", "show", "orders_raw", TENUTO_DATABASE_URL=database)
    no_role = tenuto("datasets", "grant", "orders_raw", "sales", TENUTO_DATABASE_URL=database)
    no_dataset = tenuto("datasets", "versions", "orders", TENUTO_DATABASE_URL=database)
    notes = [entry for entry in asked("audit", "list")["entries"] if entry["entity"] == "dataset"]

    assert [(row["name"], row["dag"], row["job"]) for row in listed] == [("orders_raw", "orders", "extract")]
    assert granted["read_roles"] == ["finance"]
    assert (version["id"], version["is_current"], version["dag_versions"]) == (granted["version_id"], True, [1])
    assert "only admins" in printed.stdout
    assert (no_role.returncode, "no role sales" in no_role.stderr) == (2, True)
    assert (no_dataset.returncode, "no dataset orders" in no_dataset.stderr) == (2, True)
    assert {(entry["action"], json.dumps(entry["changes"])) for entry in notes} == {
        ("grant", '{"role": {"new": "finance"}}'),
        ("revoke", '{"role": {"old": "finance"}}'),
    }


def test_a_plan_warns_of_readers_that_cannot_read_a_new_source(db: Db, asked: Callable[..., Any], tmp_path: Path):
    serve_functions(db, "shop.extract", "shop.report", "shop.returns", "vault.collect")
    deploy(db)
    cutover(db)
    asked("roles", "create", "finance")
    asked("datasets", "grant", "orders_daily", "finance")
    edited = with_job("report", outputs=[{"dataset": "report"}])
    edited["jobs"][1]["inputs"].append({"from": {"job": "returns"}})
    edited["jobs"][1]["config"] = {"sql": "select * from returns"}
    edited["jobs"].append({**a_document()["jobs"][0], "name": "returns", "outputs": [{"dataset": "returns"}]})
    file = tmp_path / "orders.yaml"
    file.write_text(json.dumps(edited))

    assert asked("plan", str(file))["warnings"] == [
        "role finance reads orders_daily, which will be computed from returns, but cannot read returns"
    ]
