"""Partitions that exist upstream and not downstream are found, page by page, each with the reason."""

from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.backfills import backfill, fail_one, go_on
from tests.support.database.builds import compute
from tests.support.database.events import RAW, a_reader, commit, readers, route
from tests.support.database.jobs import DAY, by_day, deployed
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

DAYS = ["2026-11-01", "2026-11-02", "2026-11-03"]
MANY = """
insert into tenuto.current_partitions (org_id, dataset_version_id, partition_key, partition_version_id, task_id)
select d.org_id, d.current_version_id, to_char(timestamp '1990-01-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24'),
       gen_random_uuid(), gen_random_uuid()
from tenuto.datasets d, generate_series(1, %s) n
where d.name = %s and n %% 9000 <> %s
"""


def reconcile(db: Db, dataset: str = "out_daily", org_id: UUID = DEFAULT_ORG, **options: Any) -> dict[str, Any]:
    (row,) = call(db, "reconcile_dataset", org_id=org_id, dataset=dataset, **options)
    return row


def missing(db: Db, dataset: str = "out_daily") -> list[tuple[str, str, bool]]:
    """(partition, state, is_fixable)"""
    found = reconcile(db, dataset)
    assert found["next"] is None
    return [(item["partition"], item["state"], item["is_fixable"]) for item in found["missing"]]


def test_each_missing_partition_has_its_reason(db: Db) -> None:
    deployed(db, readers(a_reader()))
    worker = a_worker(db)
    commit(worker, *DAYS)
    assert missing(db) == [(day, "not_started", True) for day in DAYS]  # its events are not routed yet
    route(db)
    assert missing(db) == [(day, "open", False) for day in DAYS]

    failed = fail_one(worker)
    compute(worker)
    (item,) = reconcile(db)["missing"]
    assert (item["partition"], item["state"], item["is_fixable"], item["input"]) == (failed, "failed", True, "raw")
    assert item["input_partition"] == failed
    assert item["reason"].startswith(f"task {item['task_id']} of job daily for {failed}: ")
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="daily", reason="moving house")
    (item,) = reconcile(db)["missing"]
    assert (item["state"], item["reason"], item["is_fixable"]) == ("paused", "the job is paused: moving house", False)


def test_what_is_found_can_be_started(db: Db) -> None:
    deployed(db, readers(a_reader()))
    worker = a_worker(db)
    commit(worker, *DAYS)
    route(db)
    compute(worker)
    assert missing(db) == []
    db.execute("delete from tenuto.current_partitions where partition_key = %s and dataset_version_id = ("
               " select current_version_id from tenuto.datasets where name = 'out_daily')", [DAYS[1]])  # fmt: skip
    assert missing(db) == [(DAYS[1], "unpublished", True)]

    backfill(db, "out_daily", partitions=[DAYS[1]])
    go_on(db)
    assert missing(db) == []  # its data was computed from the same inputs before


def test_what_a_backfill_did_not_pass_on_is_found(db: Db) -> None:
    deployed(db, by_day(readers(a_reader())))
    worker = a_worker(db)
    backfill(db, "raw", downstream="none")
    go_on(db)
    compute(worker)
    go_on(db)

    assert missing(db) == [(day, "filtered", True) for day in DAYS]
    assert reconcile(db)["missing"][0]["reason"] == "the backfill starts nothing downstream"


def test_inputs_are_mapped_filtered_and_waited_for(db: Db) -> None:
    other = {**RAW, "name": "more", "outputs": [{"dataset": "other", **DAY}]}
    both = [{"from": {"dataset": name}, "trigger": "all_same_partition"} for name in ("raw", "other")]
    monthly = [{"from": {"dataset": "raw"}, "map": {"kind": "time", "every": "month"}}]
    month = {"partition": {"kind": "time", "every": "month", "column": "at"}}
    document = readers(
        a_reader(inputs=both),
        a_reader("monthly", inputs=monthly, outputs=[{"dataset": "out_monthly", **month}]),
    )
    deployed(db, {**document, "jobs": [*document["jobs"], other]})
    worker = a_worker(db)
    commit(worker, *DAYS, "2026-12-01")
    commit(worker, DAYS[0], job="more")

    assert missing(db) == [
        (DAYS[0], "not_started", True), *((day, "waiting", False) for day in (*DAYS[1:], "2026-12-01")),
    ]  # fmt: skip
    assert reconcile(db)["missing"][1]["reason"] == "it is not committed yet in other"
    assert missing(db, "out_monthly") == [("2026-11", "not_started", True), ("2026-12", "not_started", True)]


def test_a_search_goes_on_where_it_ended(db: Db) -> None:
    deployed(db, readers(a_reader()))
    commit(a_worker(db), *DAYS)
    first = reconcile(db, limit=2)
    second = reconcile(db, limit=2, after=first["next"])

    assert [item["partition"] for item in first["missing"] + second["missing"]] == DAYS
    assert (first["looked_at"], second["looked_at"], second["next"]) == (2, 1, None)


def test_a_search_looks_at_a_bounded_number_of_partitions(db: Db) -> None:
    deployed(db, readers(a_reader()))
    for name, gap in (("raw", -1), ("out_daily", 8999)):
        db.execute(MANY, [25_000, name, gap])
    found, pages, after = list[str](), list[int](), None
    while True:
        page = reconcile(db, after=after)
        pages.append(page["looked_at"])
        found += [item["partition"] for item in page["missing"]]
        if (after := page["next"]) is None:
            break

    assert (pages, len(found)) == ([10_000, 10_000, 5_000], 2)


def test_only_what_is_computed_partition_by_partition_can_be_reconciled(db: Db) -> None:
    deployed(db, readers(a_reader(), a_reader("each", execution_strategy="PerUpdate")))
    other = call(db, "create_org", slug="other")
    for dataset, error, text in (
        ("raw", Conflict, "job extract does not compute partitions of raw one by one"),
        ("out_each", Conflict, "job each does not compute"),
        ("nothing", NotFound, "no dataset nothing"),
    ):
        with pytest.raises(error, match=text):
            reconcile(db, dataset)
    with pytest.raises(NotFound):
        reconcile(db, org_id=other)
    with pytest.raises(InvalidInput, match="is not the position where a search ended"):
        reconcile(db, after="next")
