"""Comparing two versions of a DAG: what changed, why, and what must be computed again."""

from typing import Any

from tenuto.dag.diff import Diff, JobChange, diff_dags
from tests.dag.documents import a_document, parsed, with_job


def diff(document: dict[str, Any]) -> Diff:
    return diff_dags(parsed(a_document()), parsed(document))


def kinds(diff: Diff) -> dict[str, str]:
    return {change.dataset: change.kind for change in diff.datasets}


def test_the_first_version_adds_everything():
    first = diff_dags(None, parsed(a_document()))

    assert first.jobs == [JobChange("extract", "added"), JobChange("daily", "added"), JobChange("report", "added")]
    assert kinds(first) == {"orders_raw": "added", "orders_daily": "added"}
    assert (first.rebuilt, first.is_empty) == (["extract", "daily", "report"], False)


def test_an_equal_version_changes_nothing():
    same = diff(a_document(jobs=a_document()["jobs"][::-1]))

    assert (same.jobs, same.unchanged_jobs, same.is_empty, same.rebuilt) == ([], 3, True, [])
    assert kinds(same) == {"orders_raw": "reused", "orders_daily": "reused"}


def test_an_edit_rebuilds_from_there_onward():
    edited = diff(with_job("daily", config={"sql": "select 2"}))

    assert edited.jobs == [
        JobChange("daily", "data", ["config"]),
        JobChange("report", "data", [], because_of=["daily"]),
    ]
    assert (edited.rebuilt, edited.unchanged_jobs) == (["daily", "report"], 1)
    assert kinds(edited) == {"orders_raw": "reused", "orders_daily": "rebuilt"}


def test_metadata_rebuilds_nothing():
    edited = diff(with_job("daily", timeout_seconds=60, outputs=[{"dataset": "orders_daily", "lineage": "off"}]))

    assert edited.jobs == [JobChange("daily", "metadata", ["timeout_seconds", "outputs[0].lineage"])]
    assert (edited.rebuilt, kinds(edited)["orders_daily"]) == ([], "reused")


def test_renames_keep_the_data():
    document = with_job("extract", name="fetch", renamed_from="extract")
    document["jobs"][0]["outputs"][0] |= {"dataset": "raw", "renamed_from": "orders_raw"}
    document["jobs"][1]["inputs"][0]["from"] = {"dataset": "raw"}
    renamed = diff(document)

    assert renamed.jobs == [JobChange("fetch", "renamed", renamed_from="extract")]
    assert kinds(renamed) == {"raw": "renamed", "orders_daily": "reused"}
    assert not renamed.is_empty


def test_without_renamed_from_a_new_name_is_another_job_and_dataset():
    document = with_job("extract", name="fetch")
    document["jobs"][0]["outputs"][0] |= {"dataset": "raw"}
    document["jobs"][1]["inputs"][0]["from"] = {"dataset": "raw"}
    renamed = diff(document)

    assert [(change.job, change.kind) for change in renamed.jobs] == [
        ("fetch", "added"),
        ("daily", "metadata"),
        ("extract", "removed"),
    ]
    assert kinds(renamed) == {"raw": "added", "orders_daily": "reused", "orders_raw": "removed"}


def test_removed_jobs_and_datasets_are_listed():
    removed = diff(a_document(jobs=a_document()["jobs"][:1]))

    assert [(change.job, change.kind) for change in removed.jobs] == [("daily", "removed"), ("report", "removed")]
    assert kinds(removed) == {"orders_raw": "reused", "orders_daily": "removed"}


def test_a_dataset_can_move_to_another_output_or_job():
    code = {"operator": "python", "config": {"task": "shop.daily"}}
    position = diff(with_job("daily", **code, outputs=[{}, {"dataset": "orders_daily"}]))
    document = with_job("report", outputs=[{"dataset": "orders_daily"}])
    document["jobs"][1] |= {**code, "outputs": 1}

    assert kinds(position)["orders_daily"] == "rebuilt"
    assert position.warnings[0].startswith("orders_daily moves from output 0 of daily to output 1")
    assert kinds(diff(document))["orders_daily"] == "moved"


def test_a_parent_that_is_replaced_is_a_change_of_the_inputs():
    replaced = diff(with_job("report", inputs=[{"from": {"job": "extract"}}]))

    assert replaced.jobs == [JobChange("report", "data", ["inputs"])]
