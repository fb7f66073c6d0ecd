"""Triggering a job: tasks of the current version, with what they read fixed and what they write prepared."""

from uuid import UUID

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.dags import cutover, deploy
from tests.support.database.jobs import SALES, by_day, deployed, partitions, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start


def test_a_trigger_starts_a_task_with_all_that_its_code_needs(db: Db):
    deployed(db)
    ((task),) = trigger(db)
    worker = a_worker(db)
    claim = worker.claim_one()
    job = claim.input["job"]
    (dataset,) = call(db, "get_dataset", org_id=DEFAULT_ORG, name="raw")

    assert (task["task_id"], task["partition"], task["created"]) == (claim.task_id, None, True)
    assert {key: job[key] for key in ("dag", "version", "job", "operator", "runtime", "config", "partition")} == {
        "dag": "sales",
        "version": 1,
        "job": "extract",
        "operator": "python",
        "runtime": "worker",
        "config": {"task": "shop.extract"},
        "partition": None,
    }
    assert (job["inputs"], job["secrets"], job["udf"]) == ([], [], None)
    (output,) = job["outputs"]
    assert (output["dataset"], output["dataset_id"], output["version_id"], output["location"]) == (
        "raw", str(dataset["id"]), str(dataset["version_id"]), dataset["storage_location"],
    )  # fmt: skip
    assert [column["name"] for column in output["columns"]] == ["at"]
    (run,) = call(db, "get_run", org_id=DEFAULT_ORG, run_id=claim.run_id)
    assert (run["name"], run["status"]) == ("sales/extract", "running")


def test_a_task_has_the_options_of_its_job(db: Db):
    deployed(db)
    ((task),) = trigger(db, "daily", "2026-11-17")
    (shown,) = call(db, "get_task", org_id=DEFAULT_ORG, task_id=task["task_id"])

    assert (shown["type"], shown["timeout_seconds"], shown["max_attempts"]) == ("tenuto.sql", 90, 3)
    assert (shown["partitions"], [row["dataset"] for row in shown["input_versions"]]) == (["2026-11-17"], ["raw"])
    assert shown["limits"][0]["size"] == 3
    listed = db.execute("select partitions, input_versions from tenuto.task_status").fetchall()
    assert listed == [(shown["partitions"], shown["input_versions"])]


def test_inputs_are_pinned_when_the_task_is_created(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db)
    publish(worker, worker.claim_one(), "mon", "tue")
    pinned = trigger(db, "daily", "mon", "wed")
    trigger(db)
    again = worker.claim(3)
    publish(worker, next(claim for claim in again if claim.input["job"]["job"] == "extract"), "mon", "wed")
    mon, wed = (next(c for c in again if c.task_id == task["task_id"]).input["job"]["inputs"][0] for task in pinned)

    assert (mon["partition"], mon["locations"]) == ("mon", [mon["location"]])
    assert mon["location"].split("/")[2] == "mon"
    assert len(mon["fingerprint"]) == 64
    assert (wed["partition"], wed["locations"], wed["location"], wed["fingerprint"]) == ("wed", [], None, None)
    (shown,) = call(db, "get_task", org_id=DEFAULT_ORG, task_id=pinned[0]["task_id"])
    assert [row["fingerprint"] for row in shown["input_versions"]] == [mon["fingerprint"]]


def test_a_task_without_a_partition_reads_the_whole_dataset(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db)
    publish(worker, worker.claim_one(), *(f"{number:03}" for number in range(100)))
    trigger(db, "daily")
    whole = worker.claim_one().input["job"]["inputs"][0]
    trigger(db)
    publish(worker, worker.claim_one(), "more")
    trigger(db, "daily")
    large = worker.claim_one().input["job"]["inputs"][0]

    assert (len(whole["locations"]), whole["location"], len(whole["fingerprint"])) == (100, None, 64)
    assert [location.split("/")[2] for location in whole["locations"]] == [f"{number:03}" for number in range(100)]
    assert (large["locations"], large["fingerprint"]) == (None, None)


def test_a_dataset_that_grows_is_read_with_all_its_commits(db: Db):
    extract, daily = SALES["jobs"]
    deployed(db, {**SALES, "jobs": [{**extract, "update_strategy": "append", "unique_key": ["at"]}, daily]})
    worker = a_worker(db)
    for _ in range(2):
        trigger(db)
        publish(worker, worker.claim_one(), "mon")
    trigger(db, "daily", "mon")
    read = worker.claim_one().input["job"]["inputs"][0]

    assert (len(read["locations"]), read["location"], read["unique_key"]) == (2, None, ["at"])


def test_a_dedupe_key_counts_for_the_job_in_all_versions(db: Db):
    deployed(db)
    first = trigger(db, "daily", "mon", "tue", dedupe_key="night")
    deployed(db, sales("select 2"), expected=1)
    again = trigger(db, "daily", "tue", "wed", dedupe_key="night")
    other = trigger(db, "extract", "tue", dedupe_key="night")

    assert [task["created"] for task in (*first, *again, *other)] == [True, True, False, True, True]
    assert again[0]["task_id"] == first[1]["task_id"]
    assert [task["partition"] for task in again] == ["tue", "wed"]


def test_a_paused_job_starts_only_by_force(db: Db):
    deployed(db)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="extract", reason="holiday")

    with pytest.raises(Conflict, match="job extract of sales is paused: holiday"):
        trigger(db)
    assert trigger(db, force=True)[0]["created"]


def test_only_jobs_of_a_current_version_start(db: Db):
    deploy(db, SALES)

    with pytest.raises(Conflict, match="job extract is not in a current version of sales"):
        trigger(db)
    cutover(db, name="sales")
    with pytest.raises(NotFound, match="no job nope in a DAG sales"):
        trigger(db, "nope")
    with pytest.raises(NotFound, match="no job extract in a DAG nope"):
        trigger(db, dag="nope")


@pytest.mark.parametrize(
    ("every", "good", "bad"),
    [
        ("hour", "2026-11-17T05", ["2026-11-17", "2026-11-17T24", "2026-02-30T05"]),
        ("day", "2026-11-17", ["banana", "2026-11-17T05", "2026-99-99", "2026-11", "0000-01-01"]),
        ("week", "2026-11-16", ["2026-11-17"]),
        ("month", "2026-11", ["2026-13", "2026-11-01"]),
    ],
)
def test_partitions_by_time_have_keys_of_their_period(db: Db, every: str, good: str, bad: list[str]):
    extract, daily = SALES["jobs"]
    by_time = {"partition": {"kind": "time", "column": "at", "every": every}}
    outputs = [{"dataset": "raw", **by_time, "columns": [{"name": "at", "type": "timestamp"}]}]
    deployed(db, {**SALES, "jobs": [{**extract, "outputs": outputs}, {**daily, "outputs": [{"dataset": "per_day"}]}]})

    for job, dataset in (("extract", "raw"), ("daily", "per_day")):  # its own partitions, and those of its input
        for key in bad:
            with pytest.raises(InvalidInput, match=f"partition '{key}' of {dataset} is not a {every}; write 2026-11"):
                trigger(db, job, good, key)
        assert trigger(db, job, good)[0]["partition"] == good
    with pytest.raises(InvalidInput, match=f"job daily computes per_day for one {every} at a time; name partitions"):
        trigger(db, "daily")
    assert trigger(db)[0]["partition"] is None  # a source can choose what it publishes


def test_a_job_that_splits_partitions_starts_for_those_of_its_input(db: Db):
    extract, daily = SALES["jobs"]
    hours = [{"dataset": "per_hour", "partition": {"kind": "time", "column": "at", "every": "hour"}}]
    source, split = by_day({**SALES, "jobs": [extract, {**daily, "outputs": hours}]})["jobs"]
    deployed(db, {**SALES, "jobs": [source, split]})

    assert len(trigger(db, "daily", "2026-11-17", "2026-11-17T05")) == 2
    with pytest.raises(InvalidInput, match="'2026-11' of per_hour is not a day or hour; write 2026-11-17 or"):
        trigger(db, "daily", "2026-11")


def test_wrong_partitions_are_refused(db: Db):
    deployed(db)
    cases = {
        ("a", "a"): "partition 'a' is given twice",
        ("",): "partition '' is not a text of 1 to 255 bytes",
        ("x" * 256,): "is not a text of 1 to 255 bytes",
        ("a\nb",): "is not a text of 1 to 255 bytes",
        ("ä" * 43,): "is not a text of 1 to 255 bytes",
        tuple(map(str, range(1001))): "a trigger has 1 to 1,000 partitions, not 1001",
    }
    for keys, message in cases.items():
        with pytest.raises(InvalidInput, match=message):
            trigger(db, "daily", *keys)
    with pytest.raises(InvalidInput, match="not 0"):
        call(db, "trigger_job", org_id=DEFAULT_ORG, dag="sales", name="daily", partitions=[])


def test_types_of_operators_start_only_through_jobs(db: Db):
    deployed(db)
    trigger(db)

    for kind in ("tenuto.python", "tenuto.mine"):
        with pytest.raises(InvalidInput, match="only a job of a DAG runs"):
            start(db, 1, kind={"type": kind})


def test_a_retried_run_of_a_job_publishes_for_the_same_version(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db)
    claim = worker.claim_one()
    worker.fail(claim, final=True)
    call(db, "retry_run", org_id=DEFAULT_ORG, run_id=claim.run_id)
    copy = worker.claim_one()

    assert copy.input == claim.input
    assert publish(worker, copy, "mon") == "accepted"
    assert partitions(db) == {"mon": copy.task_id}


def test_deleting_a_run_keeps_what_it_published(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db)
    claim = worker.claim_one()
    publish(worker, claim, "mon")
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=claim.run_id)

    assert partitions(db) == {"mon": claim.task_id}
    assert db.execute("select count(*) from tenuto.job_tasks").fetchone() == (0,)


def test_a_rollback_lets_the_job_of_the_older_version_start(db: Db):
    deployed(db)
    deployed(db, sales("select 2"), expected=1)
    (task,) = trigger(db, "daily", "mon")
    call(db, "rollback_dag", org_id=DEFAULT_ORG, name="sales", expected=2, actor="ann")
    (later,) = trigger(db, "daily", "mon")
    worker = a_worker(db)
    versions: dict[UUID, int] = {claim.task_id: claim.input["job"]["version"] for claim in worker.claim(2)}

    assert versions == {task["task_id"]: 2, later["task_id"]: 1}
