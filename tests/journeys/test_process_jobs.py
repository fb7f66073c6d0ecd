"""Jobs whose function has executor="process": they publish, emit and read as others do, and a killed process leaves
nothing half committed."""

import os
import signal
from typing import Any

from psycopg.types.json import Jsonb

from tests.journeys.test_jobs import paused, rows
from tests.support.database.attempts import error_of, outcomes, wait_for
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import KEY, deployed, partitions, trigger
from tests.support.database.loops import count, value
from tests.support.database.tasks import DEFAULT_ORG, Db
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

DAY = {"partition": {**KEY["partition"], "column": "day"}}
HERE = "process_jobs"
SECRET = "hunter2-hunter2"


def a_source(name: str, *outputs: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "activation": "source",
        "operator": "python",
        "source": {"kind": "manual"},
        "config": {"task": f"{HERE}.{name}"},
        "outputs": list(outputs),
        **changes,
    }


DAG: dict[str, Any] = {
    "name": "sales",
    "jobs": [
        a_source(
            "extract",
            {"dataset": "raw", **DAY},
            {"name": "sums", "dataset": "sums", **DAY},
            {"name": "ticks"},
            secrets=["crm-token"],
        ),
        {
            "name": "count",
            "activation": "reactive",
            "operator": "python",
            "execution_strategy": "PerPartition",
            "inputs": [{"from": {"dataset": "raw"}}],
            "config": {"task": f"{HERE}.count"},
            "outputs": [{"dataset": "totals"}],
        },
        a_source("boxed", {"dataset": "boxed"}),
    ],
}


def task_process(fleet: Fleet, no: int) -> int:
    """The pid that the function of this attempt reported."""
    wait_until(lambda: sum(line.startswith("half") for line in fleet.effects()) == no)
    return int([line for line in fleet.effects() if line.startswith("half")][-1].split()[1])


def test_a_task_process_runs_jobs_and_one_that_is_killed_while_it_writes_commits_nothing(
    db: Db, workers: Fleet
) -> None:
    fleet = workers
    fleet.variables = {"TENUTO_SECRET_CRM_TOKEN": SECRET}
    deployed(db, DAG)
    paused(db, "sales", "count")
    worker = fleet.start("process_jobs")
    (task,) = trigger(db, "extract", "1")
    doomed = task_process(fleet, 1)
    assert doomed in [process.pid for process in worker.pool()]

    os.kill(doomed, signal.SIGKILL)
    fleet.open_gate("1 2")
    assert task_process(fleet, 2) != doomed
    wait_for(db, completed=1)

    assert outcomes(db, task["task_id"]) == ["lost", "completed"]
    assert partitions(db, "raw") == partitions(db, "sums") == {"1": task["task_id"]}
    assert len(list(fleet.folder.rglob("_done"))) == 3  # the first attempt wrote one output, the second both
    assert rows(db, fleet.folder, "sums", "1") == [{"day": "1", "n": 3}]
    emitted = "select data from tenuto.events where partition_key = '1' and data is not null"
    assert db.execute(emitted).fetchall() == [({"half": True},)]  # the second attempt emitted the same event again
    assert value(db, "select value from tenuto.operator_state where key = 'runs'") == 2

    (counted,) = trigger(db, "count", "1", force=True)
    wait_until(lambda: outcomes(db, counted["task_id"]) == ["completed"])

    assert fleet.effects()[-1] == f"counted {task_process(fleet, 2)} Table"  # the process was kept
    assert rows(db, fleet.folder, "totals", "1") == [{"total": 3}]
    assert value(db, "select input_column from tenuto.column_lineage") == "id"
    assert count(db, "task_logs", "message like '%%the password is ***%%'") == 2
    assert SECRET not in worker.log
    assert_invariants(db)


def test_a_worker_takes_jobs_of_its_own_functions_only_and_a_function_of_a_sandbox_is_refused(
    db: Db, fleet: Fleet
) -> None:
    deployed(db, DAG)
    deployed(db, {"name": "other", "jobs": [{**a_source("follow"), "config": {"task": "jobs.follow"}}]})
    fleet.start("jobs")
    (boxed,), (other,) = trigger(db, "boxed"), trigger(db, "follow", dag="other")
    wait_until(lambda: outcomes(db, other["task_id"]) == ["completed"])

    why = value(db, "select tenuto.explain_task(%s, %s)", DEFAULT_ORG, boxed["task_id"])
    assert "boxed is queued: no worker alive has the function process_jobs.boxed" in why
    assert outcomes(db, boxed["task_id"]) == []
    fleet.start("process_jobs")
    wait_until(lambda: outcomes(db, boxed["task_id"]) == ["failed"])
    assert error_of(db, boxed["task_id"])["message"] == (
        f'{HERE}.boxed has runtime="sandbox", but the operator python has no sandbox; use the operator bundle'
    )


def test_a_row_that_names_another_function_ends_for_good_and_imports_nothing(db: Db, fleet: Fleet) -> None:
    """Only the owner can write such a row: a deploy is refused."""
    deployed(db, {"name": "other", "jobs": [{**a_source("follow"), "config": {"task": "jobs.follow"}}]})
    tasks = [trigger(db, "follow", dag="other")[0]["task_id"] for _ in range(3)]
    names = ("subprocess:getoutput", "os.system", "jobs.numbers")
    for task, name in zip(tasks, names, strict=True):
        call = {"task": name, "arguments": {"cmd": f"touch {fleet.folder / 'pwned'}"}}
        db.execute(
            "update tenuto.tasks set input = jsonb_set(input, '{job,config}', %s) where id = %s", [Jsonb(call), task]
        )
    fleet.start("jobs")

    wait_until(lambda: [outcomes(db, task) for task in tasks] == [["failed"]] * 3)

    errors = [error_of(db, task)["message"] for task in tasks]
    assert errors[0].startswith("the configuration of the job is invalid: task: String should match pattern")
    assert errors[1:] == [f"no app of this worker declares the function {name} for this task" for name in names[1:]]
    assert not (fleet.folder / "pwned").exists()
