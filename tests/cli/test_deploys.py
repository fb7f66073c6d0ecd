"""`tenuto plan`, `deploy`, `versions`, `cutover` and `rollback`, as a person or a CI job runs them."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.dag.documents import a_document, with_job
from tests.sql.datasets.test_find_loop import a_dag, a_job, a_source
from tests.support.database.builds import advance, compute, with_data
from tests.support.database.functions import serve_functions
from tests.support.database.jobs import publish, sales
from tests.support.database.tasks import Db, Worker, a_worker
from tests.support.http.both_ways import run_here as tenuto


@pytest.fixture(autouse=True)
def _functions(db: Db) -> None:
    serve_functions(db)


def test_a_version_is_planned_deployed_cut_over_and_rolled_back(
    database: str, asked: Callable[..., Any], tmp_path: Path
):
    file, edited = tmp_path / "orders.yaml", tmp_path / "edited.yaml"
    file.write_text(json.dumps(a_document()))
    edited.write_text(json.dumps(with_job("daily", config={"sql": "select 2"})))

    first = asked("deploy", str(file), "--auto")
    again = asked("deploy", str(file))
    changes = asked("plan", str(edited))
    no_changes = tenuto("plan", str(file), "--exit-code", TENUTO_DATABASE_URL=database)
    printed = tenuto("plan", str(edited), "--exit-code", TENUTO_DATABASE_URL=database)
    second = asked("deploy", str(edited))
    moved = asked("cutover", "orders")
    back = asked("rollback", "orders")
    late = tenuto("cutover", "orders", "2", "--expected", "2", TENUTO_DATABASE_URL=database)
    versions = asked("versions", "orders")["versions"]
    notes = [entry for entry in asked("audit", "list")["entries"] if entry["entity"] == "dag"]

    assert (first["dag"], first["version"], first["status"], first["created"]) == ("orders", 1, "current", True)
    assert (again["version"], again["status"], again["created"]) == (1, "current", False)
    assert [(change["job"], change["kind"]) for change in changes["jobs"]] == [("daily", "data"), ("report", "data")]
    assert (no_changes.returncode, no_changes.stdout) == (0, "orders: no changes\n")
    assert printed.returncode == 1
    assert printed.stdout.splitlines() == [
        "job daily: changed (config), computed again; 0 partitions, 0 tasks",
        "job report: computed again, because of daily; 0 partitions, 0 tasks",
        "dataset orders_daily: rebuilt",
        "2 jobs are computed again, 1 job is unchanged",
        "estimate: 0 partitions, 0 tasks",
    ]
    assert (second["version"], second["status"]) == (2, "ready")
    assert (moved["version"], moved["from_version"], back["version"], back["from_version"]) == (2, 1, 1, 2)
    assert (late.returncode, "version 1 is current, not 2" in late.stderr) == (1, True)
    assert [(row["version"], row["status"]) for row in versions] == [(2, "superseded"), (1, "current")]
    assert sorted(entry["action"] for entry in notes) == ["cutover", "cutover", "deploy", "deploy", "rollback"]


def test_a_version_that_is_computed_shows_how_far_it_is(
    db: Db, database: str, asked: Callable[..., Any], tmp_path: Path
):
    file = tmp_path / "sales.yaml"
    file.write_text(json.dumps(sales("select 2")))
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue")

    deployed = tenuto("deploy", str(file), "--auto", TENUTO_DATABASE_URL=database)
    early = tenuto("cutover", "sales", "2", TENUTO_DATABASE_URL=database)
    advance(db)
    bad, good = worker.claim(2)
    publish(worker, good, good.input["job"]["partition"])
    advance(db)
    halfway = tenuto("versions", "sales", TENUTO_DATABASE_URL=database)
    worker.fail(bad, error="no such column", final=True)
    advance(db)
    failed = tenuto("versions", "sales", TENUTO_DATABASE_URL=database)
    refused = tenuto("cutover", "sales", "2", TENUTO_DATABASE_URL=database)
    again = asked("deploy", str(file))

    assert deployed.stdout.splitlines() == [
        "sales: version 2 is building; it computes daily (2 partitions, 2 tasks)",
        "it becomes current when it is ready",
    ]
    assert (early.returncode, "version 2 cannot become current: it is building" in early.stderr) == (1, True)
    assert "2        building 1/2  " in halfway.stdout
    assert "2        failed 1/2  " in failed.stdout
    assert f"task {bad.task_id} of job daily for {bad.input['job']['partition']}: no such" in failed.stdout
    assert "deploy its document again" in refused.stderr
    assert (again["version"], again["status"], again["created"]) == (2, "building", False)


def test_a_deploy_that_waits_returns_when_the_version_is_current_has_failed_or_the_time_is_over(
    db: Db, database: str, tmp_path: Path
):
    file = tmp_path / "sales.yaml"
    file.write_text(json.dumps(sales("select 2")))
    worker = a_worker(db)
    with_data(db, worker, "mon")
    at_once = tenuto("deploy", str(file), "--wait-timeout", "0.1s", TENUTO_DATABASE_URL=database)
    db.execute("update tenuto.workers set last_heartbeat = now() - interval '1 day'")
    unserved = tenuto("deploy", str(file), "--wait-timeout", "0.1s", TENUTO_DATABASE_URL=database)
    triggered = ("jobs", "trigger", "sales", "daily", "--partition", "mon", "--force", "--wait-timeout", "0.1s")
    not_run = tenuto(*triggered, TENUTO_DATABASE_URL=database)
    for claim in worker.claim(1):
        worker.complete(claim)

    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(tenuto, "deploy", str(file), "--auto", "--wait", TENUTO_DATABASE_URL=database)
        while not waiting.done():
            advance(db)
            fail(worker)
        failed = waiting.result()
        waiting = threads.submit(tenuto, "deploy", str(file), "--auto", "--wait", TENUTO_DATABASE_URL=database)
        while not waiting.done():
            advance(db)
            compute(worker)
        done = waiting.result()

    assert (at_once.returncode, "version 2 of sales is not ready after 0.1 s" in at_once.stderr) == (4, True)
    assert "no dispatcher is alive" in at_once.stderr
    assert "no worker is alive" not in at_once.stderr
    assert "no worker is alive" in unserved.stderr
    assert (not_run.returncode, "1 of 1 task not ended after 0.1 s; no worker is alive" in not_run.stderr) == (
        4,
        True,
    )
    assert (failed.returncode, "version 2 of sales is failed" in failed.stderr) == (1, True)
    assert "no such column" in failed.stderr
    assert (done.returncode, done.stdout) == (0, "sales: version 2 is current\n")


def fail(worker: Worker) -> None:
    for claim in worker.claim(1):
        worker.fail(claim, error="no such column", final=True)


def test_a_trigger_that_waits_says_how_its_tasks_ended(db: Db, database: str):
    worker = a_worker(db)
    with_data(db, worker, "mon")

    with ThreadPoolExecutor() as threads:
        arguments = ("jobs", "trigger", "sales", "daily", "--partition", "mon", "--force", "--wait")
        waiting = threads.submit(tenuto, *arguments, TENUTO_DATABASE_URL=database)
        while not waiting.done():
            compute(worker)
        done = waiting.result()
        waiting = threads.submit(tenuto, *arguments, TENUTO_DATABASE_URL=database)
        while not waiting.done():
            fail(worker)
        failed = waiting.result()

    assert (done.returncode, done.stdout.endswith(" completed\n")) == (0, True)
    assert (failed.returncode, "no such column" in failed.stdout) == (1, True)
    assert "1 of 1 task did not complete" in failed.stderr


def test_a_plan_says_what_the_deploy_would_be_refused_for(database: str, asked: Callable[..., Any], tmp_path: Path):
    first, other, reader = tmp_path / "orders.yaml", tmp_path / "other.yaml", tmp_path / "reader.yaml"
    first.write_text(json.dumps(a_document()))
    other.write_text(json.dumps({**a_document(), "name": "other"}))
    daily = {
        "name": "weekly",
        "activation": "reactive",
        "operator": "sql",
        "execution_strategy": "PerUpdate",
        "inputs": [{"from": {"dataset": "orders_dayly"}}],
        "config": {"sql": "select 1"},
        "outputs": [{"dataset": "weekly"}],
    }
    reader.write_text(json.dumps({"version": 1, "name": "reader", "jobs": [daily]}))
    asked("deploy", str(first))

    taken, unknown = (tenuto("plan", str(file), TENUTO_DATABASE_URL=database) for file in (other, reader))
    refused = [tenuto("deploy", str(file), TENUTO_DATABASE_URL=database) for file in (other, reader)]

    assert (taken.returncode, unknown.returncode, [run.returncode for run in refused]) == (1, 1, [1, 2])
    assert "denied: dataset orders_daily belongs to the DAG orders; " in taken.stdout
    assert "denied: no other DAG publishes orders_dayly; did you mean orders_daily?" in unknown.stdout
    assert "belongs to the DAG orders" in refused[0].stderr
    assert "no other DAG publishes orders_dayly" in refused[1].stderr


def test_dags_that_would_trigger_each_other_are_refused_by_plan_and_deploy(
    database: str, asked: Callable[..., Any], tmp_path: Path
):
    source, reader, closing = (tmp_path / f"{name}.yaml" for name in ("source", "reader", "closing"))
    source.write_text(json.dumps(a_dag("first", a_source("a0"))))
    reader.write_text(json.dumps(a_dag("second", a_job("clean", "a0", "b0"))))
    renamed = {"dataset": "a_all", "renamed_from": "a0"}
    closing.write_text(json.dumps(a_dag("first", a_source("raw"), a_job("back", "b0", renamed))))
    for file in (source, reader):
        asked("deploy", str(file), "--auto")

    planned, refused = (tenuto(verb, str(closing), TENUTO_DATABASE_URL=database) for verb in ("plan", "deploy"))

    assert (planned.returncode, refused.returncode) == (1, 1)
    loop = "the jobs would trigger each other without end: b0 -> first.back -> a0 -> second.clean -> b0; "
    (denied,) = [line for line in planned.stdout.splitlines() if line.startswith("denied")]
    assert denied.startswith(f"denied: {loop}")
    assert " ".join(denied.removeprefix("denied: ").split()) in " ".join(refused.stderr.split())


def test_a_dag_and_a_dataset_that_is_left_over_are_deleted(database: str, asked: Callable[..., Any], tmp_path: Path):
    file = tmp_path / "orders.yaml"
    file.write_text(json.dumps(a_document()))
    asked("deploy", str(file), "--auto")
    document = a_document()
    file.write_text(json.dumps({**document, "jobs": document["jobs"][:1]}))

    refused = tenuto("datasets", "delete", "orders_daily", TENUTO_DATABASE_URL=database)
    asked("deploy", str(file), "--auto")
    dry = asked("datasets", "delete", "orders_daily", "--dry-run")
    dataset = asked("datasets", "delete", "orders_daily")
    would = tenuto("dags", "delete", "orders", "--dry-run", TENUTO_DATABASE_URL=database)
    deleted = asked("dags", "delete", "orders", "--force")

    assert (refused.returncode, "version 1 of orders publishes it" in refused.stderr) == (1, True)
    assert dry == dataset == {"dataset": "orders_daily", "versions": 1}
    assert would.stdout == "would delete orders with 2 versions, 1 dataset (orders_raw)\n"
    assert deleted == {"dag": "orders", "versions": 2, "datasets": ["orders_raw"], "dataset_versions": 1}
    assert (asked("dags", "list")["dags"], asked("datasets", "list")["datasets"]) == ([], [])
    notes = [(entry["entity"], entry["action"]) for entry in asked("audit", "list")["entries"]]
    assert {("dag", "delete"), ("dataset", "delete")} <= set(notes)


def test_errors_say_what_helps(db: Db, database: str):
    with_data(db, a_worker(db), "mon")
    tenuto("jobs", "pause", "sales", "daily", TENUTO_DATABASE_URL=database)

    for arguments, hint in (
        (("versions", "nope"), "list the DAGs to see which exist"),
        (("cutover", "sale"), "did you mean sales?"),
        (("jobs", "show", "sales", "dayly"), "did you mean sales/daily?"),
        (("jobs", "show", "nope", "other"), "list the jobs to see which exist"),
        (("datasets", "show", "per_dya"), "did you mean per_day?"),
        (("datasets", "show", "nope"), "list the datasets to see which exist"),
        (("datasets", "grant", "daily", "nope"), "create the role first"),
        (("jobs", "trigger", "sales", "daily"), "resume the job, or trigger it with force"),
        (("backfill", "start", "daily", "--range", "2026-11-01:2026-11-02"), "write FIRST..LAST"),
    ):
        done = tenuto(*arguments, TENUTO_DATABASE_URL=database)
        assert done.returncode, arguments
        assert hint in done.stderr
    assert "sales" in tenuto("dags", "list", TENUTO_DATABASE_URL=database).stdout


def test_an_invalid_document_is_not_deployed(database: str, tmp_path: Path):
    file = tmp_path / "orders.yaml"
    file.write_text("name: orders\njbos: []\n")
    done = tenuto("deploy", str(file), TENUTO_DATABASE_URL=database)

    assert done.returncode == 2
    assert "2:1: jbos: unknown key; did you mean jobs?" in done.stderr
