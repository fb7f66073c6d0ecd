"""Queries that the gate refuses, with what to write instead."""

import duckdb
import pytest

from tenuto.query.gate import RefusedQuery, check


def test_a_pivot_must_name_its_columns() -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute("create table orders as select 1 as id, 'eu' as region")
        with pytest.raises(RefusedQuery, match=r"a pivot must name its columns: pivot … on COLUMN in \('a', 'b'\)"):
            check(connection, "pivot orders on region using count(*)")
        assert check(connection, "pivot orders on region in ('eu') using count(*)") == ["orders"]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select * from orders at (version => 3)", "cannot have an AT clause; pass `as_of`"),
        ("select * from main.orders", "main.orders is not the name of a dataset; write names without a schema"),
    ],
)
def test_a_table_is_named_by_its_dataset_alone(sql: str, message: str) -> None:
    with duckdb.connect(":memory:") as connection, pytest.raises(RefusedQuery, match=message):
        check(connection, sql)
