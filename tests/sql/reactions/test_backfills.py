"""Backfills: partitions of a dataset are computed again, piece by piece, with a bounded number of open tasks."""

from typing import Any
from uuid import uuid4

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.backfills import END, START, backfill, counts, fail_one, get, go_on
from tests.support.database.builds import compute
from tests.support.database.dags import cutover, deploy
from tests.support.database.events import (
    NO_OUTPUT,
    RAW,
    a_reader,
    commit,
    queued,
    reactions,
    readers,
    reasons,
    route,
)
from tests.support.database.jobs import DAY, SALES, by_day, deployed, partitions, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

DAYS = ["2026-11-01", "2026-11-02", "2026-11-03"]
PAUSE = {"org_id": DEFAULT_ORG, "dag": "sales"}


def test_a_range_is_computed_and_counted(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    id = backfill(db, "raw", reason="a bug in the parser")
    go_on(db)

    assert counts(db, id) == ("running", 3, 0, 0, 0)
    assert compute(worker) == DAYS
    go_on(db)
    assert counts(db, id) == ("running", 3, 3, 0, 0)  # the tasks that follow are open
    assert compute(worker) == DAYS
    go_on(db)
    row = get(db, id)
    assert (row["status"], row["downstream_completed"], row["error"]) == ("completed", 3, None)
    assert (row["dataset"], row["job"], row["total"], row["planned"]) == ("raw", "extract", 3, 3)
    assert partitions(db, "per_day").keys() == set(DAYS)
    assert call(db, "list_backfill_tasks", org_id=DEFAULT_ORG, id=id) == []
    assert call(db, "advance_backfills") == 0


def test_none_computes_only_what_is_missing(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    commit(worker, "2026-11-02")
    id = backfill(db, "raw")
    go_on(db)

    assert counts(db, id) == ("running", 2, 0, 0, 1)
    assert [row for row in queued(db) if row[0] == "extract"] == [
        ("extract", "2026-11-01", False), ("extract", "2026-11-03", False),
    ]  # fmt: skip


def test_none_waits_for_a_task_that_is_open_already(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    (task,) = trigger(db, "extract", "2026-11-02")
    claim = worker.claim_one()
    id = backfill(db, "raw", downstream="none")
    go_on(db)

    assert len([row for row in queued(db) if row[0] == "extract"]) == 2
    publish(worker, claim, "2026-11-02")
    assert claim.task_id == task["task_id"]
    assert compute(worker) == ["2026-11-01", "2026-11-03"]
    go_on(db)
    assert counts(db, id)[:3] == ("completed", 3, 3)
    assert queued(db) == [("daily", "2026-11-02", False)]  # the other task is not muted


def test_failed_computes_also_what_failed_again(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    commit(worker, *DAYS[:2])
    route(db)
    worker.claim(10)
    trigger(db, "extract", "2026-11-02")
    assert fail_one(worker) == "2026-11-02"
    none, failed, everything = (
        call(db, "preview_backfill", org_id=DEFAULT_ORG, dataset="raw", first=START, last=END, reprocess=policy)[0]
        for policy in ("none", "failed", "all")
    )

    assert none == {"total": 3, "starts": 1, "waits": 0, "skips": 2}
    assert failed == {"total": 3, "starts": 2, "waits": 0, "skips": 1}
    assert everything == {"total": 3, "starts": 3, "waits": 0, "skips": 0}
    id = backfill(db, "raw", reprocess="failed")
    go_on(db)
    assert sorted(row[1] for row in queued(db)) == ["2026-11-02", "2026-11-03"]
    assert counts(db, id) == ("running", 2, 0, 0, 1)


def test_all_computes_again_although_nothing_changed(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    commit(worker, *DAYS)
    route(db)
    assert compute(worker) == DAYS
    missing, everything = backfill(db), backfill(db, reprocess="all")
    go_on(db)

    assert counts(db, missing) == ("completed", 0, 0, 0, 3)
    assert counts(db, everything) == ("running", 3, 0, 0, 0)
    assert len(queued(db)) == 3


def test_at_most_its_concurrency_is_open_at_a_time(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    id = backfill(db, "raw", concurrency=2, downstream="none")
    go_on(db)

    assert compute(worker) == DAYS[:2]
    assert compute(worker) == []
    go_on(db)
    assert compute(worker) == DAYS[2:]
    go_on(db)
    assert counts(db, id) == ("completed", 3, 3, 0, 0)


def test_descending_starts_with_the_last_partition(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    backfill(db, "raw", concurrency=1, descending=True)
    backfill(db, "raw", concurrency=1, descending=True, partitions=["2026-12-01", "2026-12-02"])
    go_on(db)

    assert compute(worker) == ["2026-11-03", "2026-12-02"]


def test_a_partition_that_fails_fails_the_backfill_and_is_listed(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    id = backfill(db, "raw", downstream="none")
    go_on(db)
    assert fail_one(worker) == "2026-11-01"
    compute(worker)
    go_on(db)

    assert counts(db, id) == ("failed", 3, 2, 1, 0)
    assert "of job extract for 2026-11-01: " in get(db, id)["error"]
    (row,) = call(db, "list_backfill_tasks", org_id=DEFAULT_ORG, id=id)
    assert (row["job"], row["partition"], row["direct"], row["failed"]) == ("extract", "2026-11-01", True, True)


def test_downstream_none_mutes_the_jobs_that_read_it(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    id = backfill(db, "raw", downstream="none")
    go_on(db)
    compute(worker)
    go_on(db)

    assert counts(db, id)[0] == "completed"
    assert queued(db) == []
    assert set(reactions(db)) == {("daily", day, "filtered") for day in DAYS}
    assert set(reasons(db)) == {"the backfill starts nothing downstream"}
    commit(worker, *DAYS)  # an ordinary commit
    route(db)
    assert compute(worker) == DAYS


def test_downstream_same_starts_the_same_partitions_only_all_the_way_down(db: Db):
    month = {"inputs": [{"from": {"dataset": "raw"}, "map": {"kind": "time", "every": "month"}}]}
    last = a_reader("last", inputs=[{"from": {"dataset": "out_daily"}}])
    log = a_reader("log", execution_strategy="PerUpdate", inputs=[{"from": {"dataset": "out_daily"}}], **NO_OUTPUT)
    deployed(db, by_day(readers(a_reader(), a_reader("monthly", **month), last, log)))
    worker = a_worker(db)
    id = backfill(db, "raw", downstream="same")
    for _ in range(3):
        go_on(db)
        compute(worker)
    go_on(db)

    row = get(db, id)
    assert (row["status"], row["completed"], row["downstream_completed"]) == ("completed", 3, 6)
    assert {(job, reaction) for job, _, reaction in reactions(db)} == {
        ("daily", "triggered"), ("monthly", "filtered"), ("last", "triggered"), ("log", "filtered"),
    }  # fmt: skip


def test_a_queued_task_that_takes_over_another_event_is_not_muted(db: Db):
    last = a_reader("last", inputs=[{"from": {"dataset": "out_daily"}}])
    deployed(db, by_day(readers(a_reader(), last)))
    worker = a_worker(db)
    commit(worker, "2026-11-01")
    route(db)
    compute(worker)
    route(db)
    compute(worker)
    id = backfill(db, "out_daily", partitions=["2026-11-01"], reprocess="all", downstream="none")
    go_on(db)
    commit(worker, "2026-11-01")
    route(db)  # the event is read by the task of the backfill
    call(db, "cancel_backfill", org_id=DEFAULT_ORG, id=id)
    go_on(db)

    assert get(db, id)["status"] == "cancelled"
    assert compute(worker) == ["2026-11-01"]  # which is not cancelled with it
    route(db)
    assert queued(db) == [("last", "2026-11-01", False)]


def test_a_paused_backfill_starts_nothing_until_it_is_resumed(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    id = backfill(db, "raw", concurrency=1, downstream="none")
    go_on(db)
    for _ in range(2):
        call(db, "pause_backfill", org_id=DEFAULT_ORG, id=id)
    compute(worker)
    go_on(db)

    assert counts(db, id)[:3] == ("paused", 1, 1)
    for _ in range(2):
        call(db, "resume_backfill", org_id=DEFAULT_ORG, id=id)
    for _ in range(2):
        go_on(db)
        compute(worker)
    go_on(db)
    assert counts(db, id)[:3] == ("completed", 3, 3)
    for verb in ("pause", "resume", "cancel"):
        with pytest.raises(Conflict, match=r"cannot be \w+: it is completed"):
            call(db, f"{verb}_backfill", org_id=DEFAULT_ORG, id=id)


def test_a_cancel_ends_the_tasks_that_are_open_and_keeps_what_is_committed(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)
    id = backfill(db, "raw", downstream="none")
    go_on(db)
    claim = worker.claim_one()
    publish(worker, claim, "2026-11-01")
    for _ in range(2):
        call(db, "cancel_backfill", org_id=DEFAULT_ORG, id=id)
    go_on(db)

    row = get(db, id)
    assert (row["status"], row["completed"], row["failed"]) == ("cancelled", 1, 2)
    assert partitions(db).keys() == {"2026-11-01"}
    assert queued(db) == []
    call(db, "cancel_backfill", org_id=DEFAULT_ORG, id=id)


def test_a_paused_job_is_waited_for(db: Db):
    deployed(db, by_day(SALES))
    id = backfill(db, "raw")
    call(db, "pause_job", name="extract", **PAUSE)
    go_on(db)

    assert (get(db, id)["status"], get(db, id)["error"]) == ("running", "job extract is paused")
    call(db, "resume_job", name="extract", **PAUSE)
    go_on(db)
    assert len(queued(db)) == 3


def test_a_job_that_is_defined_in_another_way_ends_the_backfill(db: Db):
    deployed(db, by_day(SALES))
    id = backfill(db, concurrency=1)
    go_on(db)
    deploy(db, by_day(sales("select 2")))
    cutover(db, 1, name="sales")
    go_on(db)

    assert get(db, id)["status"] == "failed"
    assert get(db, id)["error"] == "version 2 of sales defines job daily in another way; start another backfill"


@pytest.mark.parametrize(
    ("partition", "first", "last", "keys"),
    [
        ({"kind": "time", "every": "hour"}, "2026-11-01T22", "2026-11-02T01", 4),
        ({"kind": "time", "every": "week"}, "2026-10-26", "2026-11-16", 4),
        ({"kind": "time", "every": "month"}, "2025-11", "2026-02", 4),
        ({"kind": "range", "size": 100}, "-100-0", "100-200", 3),
    ],
)
def test_ranges_are_counted_by_the_partitions_of_the_dataset(
    db: Db, partition: dict[str, Any], first: str, last: str, keys: int
):
    source = {**RAW, "outputs": [{"dataset": "raw", "partition": {"column": "at", **partition}}]}
    deployed(db, readers(source=source))
    worker = a_worker(db)
    id = backfill(db, "raw", first=first, last=last)
    go_on(db)

    found = compute(worker)
    assert (len(found), get(db, id)["total"]) == (keys, keys)
    assert {first, last} <= set(found)


def test_keys_without_an_order_of_their_own_are_those_that_are_committed(db: Db):
    source = {**RAW, "outputs": [{"dataset": "raw", "partition": {"kind": "key", "column": "shop"}}]}
    mapped = a_reader(
        inputs=[{"from": {"dataset": "raw"}, "map": {"kind": "time", "every": "day"}}],
        outputs=[{"dataset": "out_daily", "partition": {"kind": "key", "column": "day"}}],
    )
    deployed(db, readers(mapped, source=source))
    worker = a_worker(db)
    commit(worker, "berlin", "lyon", "oslo")
    committed = backfill(db, "raw", first="a", last="m", reprocess="all", descending=True)
    counted = backfill(db, "out_daily", first=START, last=END)
    go_on(db)

    assert (get(db, committed)["started"], get(db, committed)["total"]) == (2, 2)
    assert get(db, counted)["started"] == 3  # its input is mapped to days


def test_a_dataset_without_partitions_has_one_part(db: Db):
    deployed(db, readers(source={**RAW, "outputs": [{"dataset": "raw"}]}))
    worker = a_worker(db)
    id = call(db, "start_backfill", org_id=DEFAULT_ORG, dataset="raw")
    go_on(db)
    publish(worker, worker.claim_one())
    go_on(db)

    assert counts(db, id) == ("completed", 1, 1, 0, 0)
    assert get(db, id)["partitions"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first": "mon", "last": END}, "'mon' is not a partition of the dataset"),
        ({"first": END, "last": START}, "the range ends before it begins"),
        ({"first": "0001-01-01", "last": "9999-12-31", "dataset": "hours"}, "is not a partition"),
        ({"first": START}, "both ends"),
        ({"first": START, "last": END, "partitions": ["mon"]}, "or a list of partitions"),
        ({}, "dataset raw has partitions"),
        ({"partitions": ["mon", "mon"]}, "given twice"),
        ({"partitions": [START, "2026-99-99"]}, "partition '2026-99-99' of raw is not a day; write 2026-11-17"),
        ({"partitions": []}, "1 to 1,000 partitions"),
        ({"first": START, "last": END, "reprocess": "some"}, "reprocess is 'some'"),
        ({"first": START, "last": END, "downstream": "some"}, "downstream is 'some'"),
        ({"first": START, "last": END, "concurrency": 0}, "concurrency is 0"),
        ({"first": START, "last": END, "reason": "x" * 1025}, "1025 bytes"),
    ],
)
def test_wrong_options_are_refused(db: Db, options: dict[str, Any], message: str):
    hours = {**RAW, "name": "hours", "outputs": [{"dataset": "hours", **DAY}]}
    hours["outputs"] = [{"dataset": "hours", "partition": {"kind": "time", "column": "at", "every": "hour"}}]
    deployed(db, by_day({"name": "sales", "jobs": [RAW, hours]}))
    for function in ("start_backfill", "preview_backfill"):
        with pytest.raises(InvalidInput, match=message):
            call(db, function, **{"org_id": DEFAULT_ORG, "dataset": "raw", **options})


def test_what_cannot_be_computed_by_partition_is_refused(db: Db):
    deployed(db, readers(a_reader(execution_strategy="PerUpdate")))
    with pytest.raises(Conflict, match="job daily runs for every update"):
        backfill(db, "out_daily")
    with pytest.raises(NotFound, match="no dataset nothing"):
        backfill(db, "nothing")
    with pytest.raises(NotFound, match="no backfill"):
        get(db, uuid4())
    deploy(db, {**SALES, "name": "other", "jobs": [{**RAW, "name": "x", "outputs": [{"dataset": "later", **DAY}]}]})
    with pytest.raises(Conflict, match="no current job computes dataset later"):
        backfill(db, "later")


def test_ten_million_partitions_are_the_most(db: Db):
    source = {**RAW, "outputs": [{"dataset": "raw", "partition": {"kind": "range", "column": "id", "size": 1}}]}
    deployed(db, readers(source=source))
    with pytest.raises(InvalidInput, match="10000001 partitions, more than 10,000,000"):
        backfill(db, "raw", first="0-1", last="10000000-10000001")


def test_another_org_does_not_see_it(db: Db):
    deployed(db, by_day(SALES))
    id, other = backfill(db, "raw"), call(db, "create_org", slug="other", name="Other")

    assert call(db, "list_backfills", org_id=other) == []
    assert [row["id"] for row in call(db, "list_backfills", org_id=DEFAULT_ORG, dataset="raw", status="running")] == [
        id
    ]
    for verb in ("get", "pause", "resume", "cancel"):
        with pytest.raises(NotFound):
            call(db, f"{verb}_backfill", org_id=other, id=id)
    with pytest.raises(NotFound):
        call(db, "list_backfill_tasks", org_id=other, id=id)
