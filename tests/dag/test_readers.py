"""A plan warns of datasets whose readers would see data from datasets that they cannot read."""

from typing import Any

from tenuto.dag.readers import named_datasets, wider_readers
from tests.dag.documents import COLLECT, a_document, parsed, with_job

BOTH = [{"from": {"dataset": "orders_raw"}}, {"from": {"dataset": "customers"}}]


def warnings(old: dict[str, Any] | None, new: dict[str, Any], **roles: str) -> list[str]:
    granted = {name: frozenset(text.split()) for name, text in roles.items()}
    return wider_readers(parsed(old) if old else None, parsed(new), granted)


def daily_with(**changes: Any) -> dict[str, Any]:
    return with_job("daily", execution_strategy="PerUpdate", **changes)


def test_a_new_input_with_fewer_readers_is_named_with_the_roles():
    edited = daily_with(inputs=BOTH)

    assert warnings(a_document(), edited, orders_daily="finance sales", orders_raw="finance sales") == [
        "roles finance, sales read orders_daily, which will be computed from customers, but cannot read customers"
    ]
    assert warnings(a_document(), edited, orders_daily="finance", customers="finance") == []


def test_a_dataset_without_roles_and_an_input_that_was_there_before_give_no_warning():
    assert warnings(None, a_document()) == []
    assert warnings(a_document(), a_document(), orders_daily="finance") == []
    assert len(warnings(None, a_document(), orders_daily="finance")) == 1


def test_an_output_without_a_dataset_is_followed_to_the_datasets_behind_it():
    hidden = with_job("report", outputs=[{"dataset": "report"}])
    hidden["jobs"][1] |= {"operator": "python", "config": {"task": "shop.daily"}, "outputs": 1}

    assert warnings(None, hidden, report="sales") == [
        "role sales reads report, which will be computed from orders_raw, but cannot read orders_raw"
    ]


def test_a_renamed_dataset_keeps_its_readers():
    renamed = daily_with(inputs=BOTH, outputs=[{"dataset": "totals", "renamed_from": "orders_daily"}])

    assert warnings(a_document(), renamed, orders_daily="sales", orders_raw="sales") == [
        "role sales reads totals, which will be computed from customers, but cannot read customers"
    ]
    assert named_datasets(parsed(renamed)) == ["customers", "orders_daily", "orders_raw", "totals"]


def test_a_renamed_source_is_no_new_source():
    old = a_document()
    renamed = with_job("extract", outputs=[{"dataset": "raw", "renamed_from": "orders_raw"}])
    renamed["jobs"][1]["inputs"] = [{"from": {"dataset": "raw"}}]
    renamed["jobs"][1]["execution_strategy"] = "PerUpdate"

    assert warnings(old, renamed, orders_daily="sales") == []


def test_a_sink_is_computed_from_what_the_jobs_read_that_append_to_it():
    document = daily_with(outputs=[{"append_to": "all_rows"}])
    document["jobs"] = [*document["jobs"][:2], COLLECT]

    assert warnings(None, document, all_rows="sales", orders_raw="finance") == [
        "role sales reads all_rows, which will be computed from orders_raw, but cannot read orders_raw"
    ]
