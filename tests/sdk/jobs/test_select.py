"""A SELECT reads the data that it is given, and nothing else."""

from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

from tenuto.dag.selects import read_select
from tenuto.sdk.jobs.select import BadSql, View, selected

ORDERS = View([pads.dataset(pa.table({"id": [1, 2, 3], "region": ["eu", "us", "eu"]}))])


def read(sql: str, scratch: Path, *, partition: str | None = None) -> list[dict[str, object]]:
    with selected(sql, {"orders": ORDERS}, scratch, partition=partition) as rows:
        return rows.table().to_pylist()


def refusal(sql: str, scratch: Path) -> str:
    with pytest.raises(BadSql) as error:
        read(sql, scratch)
    return str(error.value)


def test_inputs_are_views_of_their_names(tmp_path: Path) -> None:
    counted = read("select region, count(*) as n from orders group by region order by region", tmp_path)

    assert counted == [{"region": "eu", "n": 2}, {"region": "us", "n": 1}]


def test_the_partition_is_a_parameter(tmp_path: Path) -> None:
    assert read("select $partition as key", tmp_path, partition="2026-11-17") == [{"key": "2026-11-17"}]
    assert "parameter $day does not exist" in refusal("select $day", tmp_path)
    assert "add `- from: {dataset: nope}` to the inputs of the job" in refusal("select * from nope", tmp_path)


@pytest.mark.parametrize(
    "sql",
    [
        "pivot (select region, 1 as one from orders) on region using count(*)",
        "pivot (select region, 1 as one from orders) on region using count(*);  -- by region\n/* all of it */",
        "select * from (pivot (select region, 1 as one from orders) on region using count(*)) where one = 1",
        "pivot (select region, $partition::int as one from orders) on region in ('eu', 'us') using count(*)",
    ],
)
def test_a_pivot_runs_with_and_without_a_list_of_its_columns(sql: str, tmp_path: Path) -> None:
    assert read_select(sql).problem is None  # the deploy says the same
    assert read(sql, tmp_path, partition="1") == [{"one": 1, "eu": 2, "us": 1}]


def test_later_parts_replace_rows_with_the_same_key(tmp_path: Path) -> None:
    first, second = pa.table({"id": [1, 2], "v": ["a", "b"]}), pa.table({"id": [2, 3], "v": ["c", "d"]})
    view = View([pads.dataset(first), pads.dataset(second)], ["id"])

    with selected("select * from orders order by id", {"orders": view}, tmp_path) as rows:
        assert rows.table().to_pylist() == [{"id": 1, "v": "a"}, {"id": 2, "v": "c"}, {"id": 3, "v": "d"}]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("", "write one SELECT; this is nothing"),
        ("select 1; select 2", "write one SELECT; this is SELECT, SELECT"),
        ("create table a as select 1", "write one SELECT; this is CREATE"),
        ("copy (select 1) to 'a.csv'", "write one SELECT; this is COPY"),
        ("set memory_limit = '1TB'", "write one SELECT; this is SET"),
        ("attach 'a.db'", "write one SELECT; this is ATTACH"),
        ("install httpfs", "write one SELECT; this is LOAD"),
        ("create table a as (pivot orders on region using count(*))", "write one SELECT; this is several statements"),
        ("copy (pivot orders on region using count(*)) to 'a.csv'", "write one SELECT; this is several statements"),
        ("with p as (pivot orders on region using count(*)) select $partition from p", "has no parameters; name its"),
        ("selekt 1", "the SELECT failed: Parser Error"),
        ("select * from order_lines", "the SELECT failed: Catalog Error"),
        ("select nothing from orders", "the SELECT failed: Binder Error"),
        ("select cast(region as int) from orders", "the SELECT failed: Conversion Error"),
        ("select if(n = 900000, error('late'), n) from range(1000000) t(n)", "the SELECT failed: "),
    ],
)
def test_anything_but_a_select_that_runs_is_refused(sql: str, reason: str, tmp_path: Path) -> None:
    assert reason in refusal(sql, tmp_path)


@pytest.mark.parametrize("sql", ["", "attach 'a.db'", "selekt 1", "select $day", "select a b c", "pivot orders",
                                 "create table a as (pivot orders on region using count(*))"])  # fmt: skip
def test_what_a_worker_does_not_read_as_a_select_is_refused_before_a_deploy(sql: str, tmp_path: Path) -> None:
    assert refusal(sql, tmp_path)
    assert read_select(sql).problem is not None


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('{folder}/secret.csv')",
        "select * from '{folder}/secret.csv'",
        "select * from read_text('{folder}/secret.csv')",
        "select * from read_blob('/etc/passwd')",
        "select * from glob('{folder}/*')",
        "select * from sniff_csv('{folder}/secret.csv')",
        "select * from read_parquet('{folder}/secret.parquet')",
        "select * from parquet_schema('{folder}/secret.parquet')",
        "select * from read_csv('https://127.0.0.1:1/a.csv')",
        "select getenv('HOME')",
        "select * from secret_table",
    ],
)
def test_a_select_reaches_no_files_no_network_and_no_variables(sql: str, tmp_path: Path) -> None:
    secret_table = pa.table({"secret": [7]})  # a variable that DuckDB could find by its name
    (tmp_path / "secret.csv").write_text("secret\n7\n")
    pq.write_table(secret_table, tmp_path / "secret.parquet")

    message = refusal(sql.format(folder=tmp_path), tmp_path)

    assert "the SELECT failed" in message


def test_a_cancelled_query_stops(tmp_path: Path) -> None:
    endless = "select count(*) from range(1000000000000) a, range(1000000000000) b"

    with pytest.raises(BadSql, match=r"(?i)interrupt"), selected(endless, {}, tmp_path, cancelled=lambda: True) as rows:
        rows.table()
