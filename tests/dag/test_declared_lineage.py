"""Column lineage in DAG documents."""

from tests.dag.documents import messages, parsed, with_job

COLUMNS = [{"name": "day", "type": "date"}, {"name": "total", "type": "bigint"}]


def test_declared_lineage_names_datasets_and_jobs_of_inputs():
    dag = parsed(with_job("daily", outputs=[{"dataset": "orders_daily", "lineage": {
        "total": ["orders_raw.order_id", "extract"],
    }}]))  # fmt: skip

    assert dag.job("daily").outputs[0].lineage == {
        "method": "declared",
        "confidence": "stated",
        "columns": [
            {"column": "total", "input": 0, "field": None, "kind": "direct", "subtype": None},
            {"column": "total", "input": 0, "field": "order_id", "kind": "direct", "subtype": None},
        ],
    }


def test_lineage_is_no_part_of_the_data():
    plain, declared = (
        parsed(with_job("daily", outputs=[{"dataset": "orders_daily", "lineage": lineage}])).job("daily")
        for lineage in ("auto", {"total": ["orders_raw.order_id"]})
    )
    assert (plain.config_hash == declared.config_hash, plain.metadata_hash == declared.metadata_hash) == (True, False)


def test_unknown_columns_and_inputs_are_problems():
    found = messages(with_job("daily", outputs=[{"dataset": "orders_daily", "columns": COLUMNS, "lineage": {
        "totl": ["orders_row.order_id"], "day": ["orders_raw"],
    }}]))  # fmt: skip

    assert any("the output has no column 'totl'" in text and "total" in text for text in found), found
    assert any("the job has no input 'orders_row'" in text and "orders_raw" in text for text in found), found
    assert len(found) == 2


def test_a_word_or_a_source_that_is_wrong_gets_one_message():
    assert len(messages(with_job("daily", outputs=[{"dataset": "orders_daily", "lineage": "yes"}]))) == 1
    (wrong,) = messages(with_job("daily", outputs=[{"dataset": "orders_daily", "lineage": {"day": ["a.b.c"]}}]))
    assert "INPUT.COLUMN" in wrong


def test_a_source_has_no_inputs_to_name():
    (wrong,) = messages(with_job("extract", outputs=[{"dataset": "orders_raw", "lineage": {"order_id": ["shop.id"]}}]))
    assert "the job has no input 'shop'" in wrong
    assert "the inputs are none" in wrong
