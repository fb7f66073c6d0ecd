"""Estimates: how much of what a deploy changes has to be computed again, without numbers that nobody knows."""

from typing import Any

from tenuto.dag.diff import diff_dags
from tenuto.dag.plan import AffectedReader, Rebuild, affected_readers, estimate_rebuilds
from tests.dag.documents import a_document, parsed, with_job

KEYED = {"dataset": "orders_daily", "partition": {"kind": "key", "column": "order_date"}}
READS = [{"from": {"dataset": "orders_raw"}}]
EDITED = {"config": {"sql": "select 2"}, "outputs": [KEYED]}


def rebuilds(new: dict[str, Any], old: dict[str, Any] | None = None, **counts: int) -> list[Rebuild]:
    before, after = (parsed(old) if old else None), parsed(new)
    return estimate_rebuilds(diff_dags(before, after), before, after, counts)


def test_a_job_without_partitions_is_one_task():
    edited = with_job("daily", config={"sql": "select 2"})
    assert rebuilds(edited, a_document(), orders_raw=3, orders_daily=1) == [
        Rebuild("daily", 1, 1),
        Rebuild("report", 1, 1),
    ]


def test_a_job_that_reads_what_is_empty_computes_nothing():
    edited = with_job("daily", config={"sql": "select 2"})
    assert rebuilds(edited, a_document(), orders_raw=0, orders_daily=0) == [
        Rebuild("daily", 0, 0),
        Rebuild("report", 0, 0),
    ]


def test_a_job_that_runs_for_every_update_is_one_task_per_partition_that_it_reads():
    edited = with_job("daily", config={"sql": "select 2"})
    assert rebuilds(edited, a_document(), orders_raw=3, orders_daily=8)[1] == Rebuild("report", 1, 8)
    assert rebuilds(edited, a_document(), orders_raw=3)[1] == Rebuild("report", 1, None)


def test_a_partitioned_job_is_one_task_per_partition_that_it_has_now():
    new, old = with_job("daily", **EDITED), with_job("daily", outputs=[KEYED])

    assert rebuilds(new, old, orders_daily=31)[0] == Rebuild("daily", 31, 31)
    assert rebuilds(new, old, orders_daily=0)[0] == Rebuild("daily", 0, 0)
    new, old = (with_job("daily", **fields, inputs=READS) for fields in (EDITED, {"outputs": [KEYED]}))
    assert rebuilds(new, old, orders_daily=0, orders_raw=5)[0] == Rebuild("daily", 5, 5)  # nothing was computed yet


def test_a_renamed_job_is_estimated_by_what_it_was():
    renamed = {**EDITED, "name": "per_day", "renamed_from": "daily", "outputs": [{**KEYED, "dataset": "per_day"}]}
    new = with_job("daily", **renamed)
    new["jobs"][2]["inputs"] = [{"from": {"job": "per_day"}}]

    assert rebuilds(new, with_job("daily", outputs=[KEYED]), orders_daily=7)[0] == Rebuild("per_day", 7, 7)


def test_a_new_job_is_estimated_by_the_partitions_that_it_reads_one_by_one():
    reads = {"outputs": [KEYED], "inputs": READS}

    def daily(**changes: Any) -> Rebuild:
        return next(item for item in rebuilds(with_job("daily", **changes), orders_raw=12) if item.job == "daily")

    assert daily(**reads) == Rebuild("daily", 12, 12)
    assert daily(outputs=[KEYED]) == Rebuild("daily", None, None)  # days of times: nobody knows how many
    assert daily(**reads, execution_strategy="PerUpdate") == Rebuild("daily", None, 12)


def test_tasks_that_follow_events_are_not_counted():
    extract = rebuilds(a_document())[0]

    assert extract == Rebuild("extract", 1, None)


def test_a_source_computes_what_it_has_published_again_unless_its_data_is_gone():
    manual = {"source": {"kind": "manual"}}
    edited = {**manual, "config": {"task": "shop.other"}}
    for changes, extract in (
        ({}, Rebuild("extract", 1, 6)),
        ({"bootstrap": {"reset_outputs": True}}, Rebuild("extract", 0, 0)),
        ({"source": {"kind": "continuous"}}, Rebuild("extract", 0, 0)),
    ):
        found = rebuilds(with_job("extract", **{**edited, **changes}), with_job("extract", **manual), orders_raw=6)
        assert found[0] == extract
        assert (found[1] == Rebuild("daily", 0, 0)) == (extract.tasks == 0)  # it reads orders_raw


def test_readers_in_other_dags_are_affected_by_other_data_and_by_removed_datasets():
    readers = [
        {"dag": "reports", "job": job, "dataset": name} for job, name in (("a", "orders_daily"), ("b", "orders_raw"))
    ]

    def affected(new: dict[str, Any]) -> list[AffectedReader]:
        return affected_readers(diff_dags(parsed(a_document()), parsed(new)), readers)

    assert affected({**a_document(), "description": "other words"}) == []
    assert affected(with_job("daily", config={"sql": "select 2"})) == [
        AffectedReader("reports", "a", "orders_daily", "updated")
    ]
    assert affected({**a_document(), "jobs": a_document()["jobs"][:1]}) == [
        AffectedReader("reports", "a", "orders_daily", "removed")
    ]
