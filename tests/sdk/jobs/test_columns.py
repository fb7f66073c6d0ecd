"""What a job writes becomes rows with the declared columns, or an error that shows the difference."""

import datetime as dt
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tenuto.sdk.context.control import Fail
from tenuto.sdk.jobs.columns import Columns, SchemaDrift
from tenuto.sdk.jobs.rows import rows_of

ORDERS = Columns(
    "output 0 (orders)",
    [
        {"name": "id", "type": "BIGINT", "not_null": True},
        {"name": "total", "type": "DECIMAL(10,2)"},
        {"name": "region", "type": "VARCHAR"},
    ],
)


def table_of(data: object, columns: Columns | None = ORDERS) -> pa.Table:
    return rows_of(data, columns).table()


def drift_of(data: object, columns: Columns = ORDERS) -> list[str]:
    with pytest.raises(SchemaDrift) as drift:
        table_of(data, columns)
    first, *lines = str(drift.value).splitlines()
    assert first == "the data does not match the columns of output 0 (orders):"
    return [line.strip() for line in lines]


def test_dicts_become_rows_of_the_declared_types() -> None:
    columns = [
        ("day", "DATE", dt.date(2026, 11, 17)),
        ("at", "TIMESTAMPTZ", dt.datetime(2026, 11, 17, 6, tzinfo=dt.UTC)),
        ("key", "UUID", UUID(int=7)),
        ("notes", "JSON", {"a": [1]}),
        ("small", "SMALLINT", 7),
        ("share", "DOUBLE", 1),
        ("raw", "BLOB", b"\0"),
        ("paid", "BOOLEAN", True),
    ]
    declared = Columns("output 0 (orders)", [{"name": name, "type": type} for name, type, _ in columns])

    table = table_of([{name: value for name, _, value in columns}, {"day": None}], declared)

    first, second = table.to_pylist()
    assert first == {
        **{name: value for name, _, value in columns},
        "key": "00000000-0000-0000-0000-000000000007",
        "notes": '{"a": [1]}',
        "share": 1.0,
    }
    assert set(second.values()) == {None}


@pytest.mark.parametrize(
    "data",
    [
        pa.table({"region": ["eu"], "id": pa.array([1], pa.int32()), "total": [Decimal("1.50")]}),
        pa.table({"region": pa.array(["eu"]).dictionary_encode(), "id": [Decimal(1)], "total": [Decimal("1.50")]}),
        pa.record_batch({"region": pa.array(["eu"], pa.large_string()), "id": [1], "total": [Decimal("1.5")]}),
        ({"region": region, "id": 1, "total": Decimal("1.50")} for region in ["eu"]),
    ],
)
def test_columns_are_put_in_order_and_converted_without_loss(data: object) -> None:
    table = table_of(data)

    assert table.schema == ORDERS.schema
    assert table.to_pylist() == [{"id": 1, "total": Decimal("1.50"), "region": "eu"}]


def test_drift_shows_every_difference() -> None:
    table = pa.table({"id": ["1"], "region": ["eu"], "discount": [0.5]})

    assert drift_of(table) == [
        "- total DECIMAL(10,2) is declared, but not in the data",
        "! id is declared as BIGINT, but the data has VARCHAR",
        "+ discount DOUBLE is not declared",
    ]
    assert drift_of([{"id": 1, "region": "eu", "discount": 0.5}]) == [
        "- total DECIMAL(10,2) is declared, but not in the data",
        "+ discount is not declared",
    ]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"id": "x", "total": 1, "region": "eu"}], "! id is declared as BIGINT: Could not convert 'x'"),
        ([{"id": 2**63, "total": 1, "region": "eu"}], "! id is declared as BIGINT: "),
        ([{"id": 1, "total": Decimal("1.234"), "region": "eu"}], "! total is declared as DECIMAL(10,2): "),
        ([{"id": None, "total": 1, "region": "eu"}], "! id is declared as not_null, but 1 rows have no value"),
        (pa.table({"id": [2**62], "total": [2**62], "region": ["eu"]}), "! total is declared as DECIMAL(10,2): "),
        (
            pa.table({"id": [1.5], "total": [1], "region": ["eu"]}),
            "! id is declared as BIGINT, but the data has DOUBLE",
        ),
    ],
)
def test_values_that_do_not_fit_are_refused(rows: object, problem: str) -> None:
    (line,) = drift_of(rows)

    assert line.startswith(problem)


def test_a_table_with_two_columns_of_one_name_is_refused() -> None:
    twice = pa.Table.from_arrays([pa.array([1])] * 2, names=["id", "id"])

    assert drift_of(twice)[-1] == "! two columns of the data have the same name"


def test_no_rows_have_the_declared_columns() -> None:
    assert table_of([]).schema == ORDERS.schema
    assert table_of([]).num_rows == 0


def test_without_declared_columns_the_data_decides() -> None:
    table = table_of([{"a": 1}, {"b": "x"}], None)

    assert table.to_pylist() == [{"a": 1, "b": None}, {"a": None, "b": "x"}]


def test_notes_of_libraries_are_left_out() -> None:
    noted = pa.table({"a": [1]}).replace_schema_metadata({"pandas": "{}"})

    assert table_of(noted, None).schema.metadata is None


def test_files_and_streams_are_read(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2]})
    pq.write_table(table, tmp_path / "a.parquet")

    class Frame:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return table.__arrow_c_stream__(requested_schema)

    assert table_of(str(tmp_path / "a.parquet"), None).equals(table)
    assert table_of(tmp_path, None).equals(table)
    assert table_of(Frame(), None).equals(table)
    assert table_of(table.to_reader(), None).equals(table)


def test_the_files_of_a_folder_are_matched_by_column_name(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1], "v": [10]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"v": [20.5], "id": [2], "extra": ["x"]}), tmp_path / "b.parquet")

    assert table_of(tmp_path, None).to_pylist() == [
        {"id": 1, "v": 10.0, "extra": None},
        {"id": 2, "v": 20.5, "extra": "x"},
    ]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (7, "a job cannot write int; write a pyarrow Table, a list of dicts"),
        ({"a": 1}, "a job cannot write dict"),
        (["a"], "row 0 of the data is str, not a dict"),
        ([{"a": 1}, {"a": "x"}], "the values of the column a have no common type"),
        (
            pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]),
            "two columns of the data have the same name: a, a",
        ),
        ([], "the data has no columns; declare them in the output"),
        ("/nowhere/a.parquet", "there is no file /nowhere/a.parquet, and text"),
    ],
)
def test_other_data_is_refused_with_what_to_write(data: object, problem: str) -> None:
    with pytest.raises(Fail, match=problem):
        table_of(data, None)
