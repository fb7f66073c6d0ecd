"""How a query process reads Parquet files: texts with few values as numbers, which changes no result."""

import io
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tenuto.query.engine import NUMBERED_TEXT, parquet_dataset

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
    return {field.name: field.type for field in parquet_dataset(files, schema).schema}


def test_only_texts_with_few_values_are_read_as_numbers() -> None:
    plain = {"region": pa.string(), "id": pa.string(), "n": pa.int64()}

    assert types(None, a_file(ROWS)) == plain | {"region": NUMBERED_TEXT}
    assert types(ROWS.schema, a_file(ROWS)) == plain | {"region": NUMBERED_TEXT}
    assert types(None, a_file(ROWS, use_dictionary=False)) == plain
    assert types(None, a_file(ROWS.slice(0, 0))) == plain
    declared = ROWS.schema.set(0, pa.field("region", pa.binary()))
    assert types(declared, a_file(ROWS)) == plain | {"region": pa.binary()}
    build: Any = pa.table
    twice = a_file(build([ROWS.column("region")] * 2, names=["region", "region"]))
    assert parquet_dataset([twice], None).schema.types == [pa.string()] * 2


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
    data = parquet_dataset(files, None)
    with duckdb.connect() as database:
        sql = f"select region, id, n from orders where {condition} order by n"
        database.register("orders", data)
        numbered = database.sql(sql).to_arrow_table()
        database.unregister("orders")
        database.register("orders", ROWS)
        assert numbered == database.sql(sql).to_arrow_table()
    assert numbered.num_rows
