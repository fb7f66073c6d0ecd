"""A dataset that is deleted and published again is another one, and so is one that takes the name of a renamed one:
nothing that was computed from the dataset that had the name is used again."""

from typing import Any

import pytest

from tests.sql.reactions.test_delete_dag import delete, delete_dataset
from tests.support.database.builds import advance, compute, status
from tests.support.database.dags import cutover, datasets, deploy
from tests.support.database.events import RAW, a_reader, commit, queued, readers
from tests.support.database.jobs import KEY, deployed, partitions, publish
from tests.support.database.tasks import Db, Worker, a_worker

PRODUCER = readers()
ALONE = {**RAW, "name": "alone", "outputs": [{"dataset": "alone", **KEY}]}  # a job that reads nothing
MONTHLY = {**a_reader("monthly"), "inputs": [{"from": {"dataset": "out_weekly"}}]}
REPORTS: dict[str, Any] = {"name": "reports", "jobs": [a_reader("weekly"), MONTHLY, ALONE]}
WITHOUT: dict[str, Any] = {"name": "reports", "jobs": [ALONE]}
NEWCOMER: dict[str, Any] = {**PRODUCER, "name": "newcomer"}  # publishes raw too


def raw_as(name: str, *, was: str, document: dict[str, Any] = PRODUCER) -> dict[str, Any]:
    """A producer whose dataset has another name."""
    job = document["jobs"][0]
    return {**document, "jobs": [{**job, "outputs": [{**job["outputs"][0], "dataset": name, "renamed_from": was}]}]}


def take_name(db: Db) -> None:
    """Renames the dataset of the producer; the dataset of another DAG takes its name."""
    deployed(db, raw_as("old_raw", was="raw"), expected=1)
    deployed(db, NEWCOMER)


def work(db: Db, worker: Worker) -> None:
    """Routes events, and computes what there is to compute."""
    advance(db)
    while compute(worker):
        advance(db)


def producer_deleted(db: Db, worker: Worker) -> None:
    """A producer with the partitions mon and tue was read by version 1 of reports, and is deleted."""
    deployed(db, PRODUCER)
    deployed(db, REPORTS)
    commit(worker, "mon", "tue")
    work(db, worker)
    assert set(partitions(db, "out_monthly")) == {"mon", "tue"}
    deployed(db, WITHOUT, expected=1)
    advance(db)
    delete(db)


def again(document: dict[str, Any], words: str = "again") -> dict[str, Any]:
    return {**document, "description": words}


def test_readers_begin_anew_with_a_dataset_that_was_deleted_and_deployed_again(db: Db) -> None:
    worker = a_worker(db)
    producer_deleted(db, worker)
    deployed(db, PRODUCER)
    commit(worker, "tue", "wed")

    assert deploy(db, again(REPORTS))["status"] == "building"
    work(db, worker)
    assert status(db, 3, "reports") == "ready"
    cutover(db, 2, 3, name="reports")

    for name in ("out_weekly", "out_monthly"):
        assert set(partitions(db, name)) == {"tue", "wed"}, name
    assert deploy(db, again(REPORTS, "once more"))["status"] == "ready"  # computes nothing again
    work(db, worker)
    commit(worker, "thu")
    work(db, worker)
    assert set(partitions(db, "out_monthly")) == {"tue", "wed", "thu"}


def test_a_dataset_that_was_deleted_twice_is_a_third_one(db: Db) -> None:
    worker = a_worker(db)
    producer_deleted(db, worker)
    for expected, key in ((2, "wed"), (4, "thu")):
        deployed(db, PRODUCER)
        commit(worker, key)
        deployed(db, again(REPORTS, key), expected=expected)
        work(db, worker)
        assert set(partitions(db, "out_monthly")) == {key}
        deployed(db, again(WITHOUT, key), expected=expected + 1)
        advance(db)
        delete(db)


def test_a_job_that_was_removed_and_added_again_is_computed_from_what_it_reads_now(db: Db) -> None:
    worker = a_worker(db)
    whole = {**PRODUCER, "jobs": [*PRODUCER["jobs"], *REPORTS["jobs"]]}
    deployed(db, whole)
    commit(worker, "mon")
    work(db, worker)
    assert set(partitions(db, "out_monthly")) == {"mon"}
    deployed(db, {**PRODUCER, "jobs": [ALONE]}, expected=1)
    advance(db)
    delete_dataset(db, "raw")

    deployed(db, again(whole), expected=2)
    work(db, worker)

    assert partitions(db, "out_monthly") == {}
    commit(worker, "tue")
    work(db, worker)
    assert set(partitions(db, "out_monthly")) == {"tue"}


def test_jobs_that_never_read_the_deleted_dataset_keep_their_data(db: Db) -> None:
    worker = a_worker(db)
    producer_deleted(db, worker)
    commit(worker, "mon", job="alone", dag="reports")
    before = datasets(db)["alone"]["version_id"]
    deployed(db, PRODUCER)

    deployed(db, again(REPORTS), expected=2)
    work(db, worker)

    assert (datasets(db)["alone"]["version_id"], set(partitions(db, "alone"))) == (before, {"mon"})


def test_a_late_commit_of_a_reader_of_the_deleted_dataset_is_not_seen(db: Db) -> None:
    worker = a_worker(db)
    deployed(db, PRODUCER)
    deployed(db, REPORTS)
    commit(worker, "mon")
    advance(db)
    assert [row[:2] for row in queued(db)] == [("weekly", "mon")]
    (late,) = worker.claim(10)
    deployed(db, WITHOUT, expected=1)
    advance(db)
    delete(db, force=True)
    deployed(db, PRODUCER)
    commit(worker, "mon")
    deployed(db, again(REPORTS), expected=2)

    assert publish(worker, late, "mon") == "accepted"
    assert partitions(db, "out_weekly") == {}
    work(db, worker)
    assert set(partitions(db, "out_weekly")) == {"mon"}


def test_a_sink_and_all_that_append_to_it_begin_anew_together(db: Db) -> None:
    rows = {"storage": {"kind": "postgres"}, "columns": [{"name": "at", "type": "varchar"}]}
    sink = {
        "name": "collect", "activation": "source", "operator": "sink", "source": {"kind": "buffer"},
        "update_strategy": "append", "unique_key": ["at"], "outputs": [{"dataset": "all_rows", **rows}],
    }  # fmt: skip
    appends = [{**a_reader("weekly"), "outputs": [{"append_to": "all_rows"}]},
               {**ALONE, "outputs": [{"append_to": "all_rows"}]}]  # fmt: skip
    collecting = {"name": "reports", "jobs": [sink, *appends]}
    deployed(db, PRODUCER)
    deployed(db, collecting)
    deployed(db, {"name": "reports", "jobs": [sink, appends[1]]}, expected=1)
    delete(db)
    deployed(db, PRODUCER)

    deployed(db, again(collecting), expected=2)

    hashes = """select j.name, count(distinct j.config_hash) from tenuto.jobs j
                join tenuto.dag_versions v on v.id = j.dag_version_id and v.version in (1, 3)
                join tenuto.dags d on d.id = v.dag_id and d.name = 'reports' group by 1 order by 1"""
    assert db.execute(hashes).fetchall() == [("alone", 2), ("collect", 2), ("weekly", 2)]


@pytest.mark.parametrize("left", [False, True])
def test_readers_begin_anew_with_a_dataset_that_took_the_name_of_a_renamed_one(db: Db, left: bool) -> None:
    worker = a_worker(db)
    deployed(db, PRODUCER)
    deployed(db, REPORTS)
    commit(worker, "mon", "tue")
    work(db, worker)
    if left:  # a version that reads nothing is current meanwhile
        deployed(db, WITHOUT, expected=1)
        advance(db)
    take_name(db)
    commit(worker, "wed", dag="newcomer")
    work(db, worker)

    assert deploy(db, again(REPORTS))["status"] == "building"
    work(db, worker)
    cutover(db, 1 + left, 2 + left, name="reports")

    for name in ("out_weekly", "out_monthly"):
        assert set(partitions(db, name)) == {"wed"}, name
    assert deploy(db, again(REPORTS, "once more"))["status"] == "ready"  # computes nothing again
    commit(worker, "thu", dag="newcomer")
    work(db, worker)
    assert set(partitions(db, "out_monthly")) == {"wed", "thu"}


def test_a_dataset_that_gets_its_name_back_gets_what_was_computed_from_it_back(db: Db) -> None:
    worker = a_worker(db)
    deployed(db, PRODUCER)
    deployed(db, REPORTS)
    commit(worker, "mon")
    work(db, worker)
    take_name(db)
    commit(worker, "tue", dag="newcomer")
    deployed(db, again(REPORTS), expected=1)
    work(db, worker)
    assert set(partitions(db, "out_monthly")) == {"tue"}
    deployed(db, raw_as("new_raw", was="raw", document=NEWCOMER), expected=1)
    deployed(db, again(raw_as("raw", was="old_raw")), expected=2)

    deployed(db, again(REPORTS, "back"), expected=2)
    work(db, worker)

    assert set(partitions(db, "out_monthly")) == {"mon"}


def test_readers_of_a_dataset_that_was_renamed_and_got_its_name_back_keep_their_data(db: Db) -> None:
    worker = a_worker(db)
    deployed(db, PRODUCER)
    reports = {"name": "reports", "jobs": [a_reader("weekly")]}
    deployed(db, reports)
    commit(worker, "mon")
    work(db, worker)
    before = datasets(db)["out_weekly"]["version_id"]
    deployed(db, raw_as("old_raw", was="raw"), expected=1)
    deployed(db, again(raw_as("raw", was="old_raw")), expected=2)

    deployed(db, again(reports), expected=1)

    assert datasets(db)["out_weekly"]["version_id"] == before
