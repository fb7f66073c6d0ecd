"""How a query process reads Parquet files: texts with few values as numbers, which changes no result."""

import io
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tenuto.query.engine import NUMBERED_TEXT, parquet_datasets
from tenuto.sdk.context.control import Fail
from tenuto.sdk.jobs.select import View, create_view

ROWS = pa.table(
    {
        "region": ["eu", "us", None, "ä", ""] * 400,
        "id": [f"{no:036}" for no in range(2000)],
        "n": list(range(2000)),
    }
)


def a_file(table: pa.Table, *, use_dictionary: bool = True, row_group_size: int | None = None) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(table, file, use_dictionary=use_dictionary, row_group_size=row_group_size)
    return file


def types(schema: pa.Schema | None, *files: io.BytesIO) -> dict[str, pa.DataType]:
    (data,) = parquet_datasets("orders", [files], schema)
    return {field.name: field.type for field in data.schema}


def test_only_texts_with_few_values_are_read_as_numbers() -> None:
    plain = {"region": pa.string(), "id": pa.string(), "n": pa.int64()}

    assert types(None, a_file(ROWS)) == plain | {"region": NUMBERED_TEXT}
    assert types(ROWS.schema, a_file(ROWS)) == plain | {"region": NUMBERED_TEXT}
    assert types(None, a_file(ROWS, use_dictionary=False)) == plain
    assert types(None, a_file(ROWS.slice(0, 0))) == plain
    declared = ROWS.schema.set(0, pa.field("region", pa.binary()))
    assert types(declared, a_file(ROWS)) == plain | {"region": pa.binary()}


def test_a_file_with_two_columns_of_one_name_is_refused() -> None:
    build: Any = pa.table
    twice = a_file(build([ROWS.column("region")] * 2, names=["region", "region"]))

    with pytest.raises(Fail, match="a file of orders has two columns with the name region"):
        types(None, twice)


def test_columns_of_several_files_are_matched_by_name() -> None:
    tables = [
        pa.table({"id": [1], "v": [10], "w": [100]}),
        pa.table({"w": [200], "v": [20.5], "id": [2]}),
        pa.table({"id": [3], "extra": ["x"]}),
    ]
    expected = [(1, 10, 100, None), (2, 20.5, 200, None), (3, None, None, "x")]

    for parts in ([tables], [[table] for table in tables]):
        datasets = parquet_datasets("orders", [list(map(a_file, part)) for part in parts], None)
        with duckdb.connect() as database:
            create_view(database, "orders", View(datasets, ["id"] if len(datasets) > 1 else []))
            found = database.sql("select * from orders order by id")
            assert found.columns == ["id", "v", "w", "extra"]
            assert found.fetchall() == expected


def test_a_column_with_types_that_have_no_common_type_is_named() -> None:
    files = [a_file(pa.table({"v": [1]})), a_file(pa.table({"v": ["one"]}))]

    with pytest.raises(Fail, match="column v of orders has the types BIGINT and VARCHAR in different files; declare"):
        types(None, *files)


@pytest.mark.parametrize(
    "condition",
    [
        "region = 'eu'",
        "region <> 'eu'",
        "region > 'eu'",
        "region between 'a' and 'f'",
        "region in ('eu', 'ä', 'none')",
        "region not in ('eu')",
        "region is null",
        "region is not null",
        "region = ''",
        "region like 'e%'",
        "region is distinct from 'us'",
        "region = 'eu' or n < 7",
        "region = (select max(region) from orders)",
        "upper(region) = 'US' and n > 100",
    ],
)
def test_conditions_select_the_same_rows_as_in_plain_data(condition: str) -> None:
    files = [a_file(ROWS.slice(0, 1500), row_group_size=500), a_file(ROWS.slice(1500), use_dictionary=False)]
    (data,) = parquet_datasets("orders", [files], None)
    with duckdb.connect() as database:
        sql = f"select region, id, n from orders where {condition} order by n"
        database.register("orders", data)
        numbered = database.sql(sql).to_arrow_table()
        database.unregister("orders")
        database.register("orders", ROWS)
        assert numbered == database.sql(sql).to_arrow_table()
    assert numbered.num_rows
