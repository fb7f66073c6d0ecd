"""Operators read the inputs of a job and publish its outputs."""

import re
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tenuto.model.json import JsonObject
from tenuto.operators.app import operator_app
from tenuto.sdk.context.control import Fail
from tenuto.testing import UnitContext, UnitSyncContext
from tenuto.testing.unit_context import UnitApi
from tests.operators.functions import app
from tests.operators.jobs import Workbench, an_output

HERE = "shop"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path, functions=app.functions)


def test_a_function_gets_the_partition_and_its_result_is_published(bench: Workbench) -> None:
    config: JsonObject = {"task": f"{HERE}.two_days", "arguments": {"days": 1}}

    (published,) = bench.run("python", config, an_output(), partition="2026-11-17")

    assert bench.read(published).to_pylist() == [{"day": "2026-11-17", "no": 0}]
    assert (published["partition"], published["rows"], published["output"]) == ("2026-11-17", 1, 0)
    assert str(published["location"]).startswith("orders_daily/v1/2026-11-17/")
    assert published["schema_hash"] is None


def test_a_function_gets_tables_of_inputs_by_name(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}], [{"n": 2}])

    (published,) = bench.run("python", {"task": f"{HERE}.total"}, an_output())

    assert bench.read(published).to_pylist() == [{"total": 3}]


def test_an_async_task_of_an_app_writes_what_it_wants(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}, {"n": 2}])

    (published,) = bench.run("python", {"task": f"{HERE}.count", "arguments": {"factor": 2}}, an_output())

    assert bench.read(published).to_pylist() == [{"n": 4.0}]


def test_a_job_can_publish_several_partitions(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}, {"n": 2}])

    published = bench.run("python", {"task": f"{HERE}.split"}, an_output())

    assert [item["partition"] for item in published] == ["1", "2"]
    assert [bench.read(item).to_pylist() for item in published] == [[{"n": 1}], [{"n": 2}]]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("twice", "output 0 (orders_daily) is written a second time; call ctx.write once"),
        ("writes_and_returns", "returned a value after ctx.write"),
        ("nothing", "published nothing: return rows or call ctx.write"),
        ("no_rows", "the data has no columns; declare them in the output"),
        ("returns_text", "there is no file done, and text is the path of a Parquet file; write a pyarrow Table"),
        ("two_days", "needs a partition: run `tenuto jobs trigger"),
        ("needs_more", "needs 'threshold': write it in config.arguments; a job passes partition, orders by itself"),
    ],
)
def test_a_function_that_publishes_wrongly_fails_for_good(name: str, problem: str, bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}])

    with pytest.raises(Fail) as failed:
        bench.run("python", {"task": f"{HERE}.{name}"}, an_output())

    assert problem in str(failed.value)


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"task": f"{HERE}.two_days", "arguments": {"dys": 1}}, "has no parameter 'dys'; its signature is"),
        ({"task": f"{HERE}.two_days", "arguments": {"days": "x"}}, "'x' is not int"),
        ({"task": f"{HERE}.converts", "arguments": {"day": "x"}}, "'x' is not date"),
        ({"task": f"{HERE}.two_days", "days": 1}, "the configuration of the job is invalid: days: Extra inputs"),
    ],
)
def test_a_function_that_cannot_be_called_fails_for_good_and_says_why(
    config: JsonObject, problem: str, bench: Workbench
) -> None:
    with pytest.raises(Fail, match=re.escape(problem)):
        bench.run("python", config, an_output())


@pytest.mark.parametrize("name", ["shop.total", "antigravity:geohash", "os.system", "tenuto.python.shop.two_days"])
def test_a_task_whose_configuration_names_another_function_fails_for_good_and_imports_nothing(
    name: str, bench: Workbench
) -> None:
    task = operator_app(bench.storage, functions=app.functions).tasks["tenuto.python.shop.two_days"]
    context = UnitContext(task=task)
    description = bench.description("python", {"task": name}, [an_output()], "1")

    with pytest.raises(Fail) as failed:
        task.function(UnitSyncContext(context), description)

    assert "antigravity" not in sys.modules
    assert "no app of this worker declares" in str(failed.value) or "configuration of the job" in str(failed.value)


def test_a_missing_package_fails_for_good(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    for module in [name for name in sys.modules if name.startswith(("tenuto.sdk.jobs.", "tenuto.operators.sql"))]:
        monkeypatch.delitem(sys.modules, module)

    with pytest.raises(Fail, match="run pip install 'tenuto\\[data\\]'"):
        bench.run("sql", {"sql": "select 1 as n"}, an_output())


def test_the_result_of_a_job_without_outputs_is_the_result_of_its_task(bench: Workbench) -> None:
    assert bench.run("python", {"task": f"{HERE}.returns_text"}) == []
    assert bench.result == "done"
    assert bench.run("python", {"task": f"{HERE}.nothing"}, an_output(dataset=None)) == []


def test_rows_for_an_output_without_a_dataset_are_not_dropped_in_silence(bench: Workbench) -> None:
    with pytest.raises(Fail, match="returned a value, but no output of the job has a dataset; write dataset: NAME"):
        bench.run("python", {"task": f"{HERE}.no_rows"}, an_output(dataset=None))


def test_several_outputs_are_written_one_by_one(bench: Workbench) -> None:
    with pytest.raises(Fail, match="the job has 2 outputs"):
        bench.run("python", {"task": f"{HERE}.two_days"}, an_output("a"), an_output("b"), partition="1")


def test_a_select_reads_the_inputs_by_name_and_the_partition(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1, "region": "eu"}, {"n": 2, "region": "us"}], where={"region": ["eu"]})
    bench.add_input("rates", [{"region": "eu", "rate": 10}])
    columns = [{"name": "day", "type": "DATE"}, {"name": "total", "type": "BIGINT"}]
    sql = "select $partition::date as day, sum(n * rate) as total from orders join rates using (region) group by all"

    (published,) = bench.run("sql", {"sql": sql}, an_output(columns=columns), partition="2026-11-17")

    assert [list(map(str, row.values())) for row in bench.read(published).to_pylist()] == [["2026-11-17", "10"]]
    assert len(str(published["schema_hash"])) == 64


def test_equal_inputs_give_equal_fingerprints(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": number % 7} for number in range(1000)])
    config: JsonObject = {"sql": "select n, count(*) as c from orders group by n"}

    first, second = (bench.run("sql", config, an_output())[0] for _ in range(2))

    assert first["fingerprint"] == second["fingerprint"]
    assert first["location"] != second["location"]


def test_appended_rows_are_read_once_with_their_latest_values(bench: Workbench) -> None:
    bench.add_input(
        "orders",
        [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}],
        [{"id": 2, "v": "c"}],
        update_strategy="append",
        unique_key=["id"],
    )

    (published,) = bench.run("sql", {"sql": "select * from orders order by id"}, an_output())

    assert bench.read(published).to_pylist() == [{"id": 1, "v": "a"}, {"id": 2, "v": "c"}]


@pytest.mark.parametrize("unique_key", [None, ["id"]])
def test_rows_of_batches_with_columns_in_another_order_are_matched_by_name(
    unique_key: list[str] | None, bench: Workbench
) -> None:
    batches = [[{"id": 1, "v": 10, "w": 100}], [{"w": 200, "v": 20, "id": 2}], [{"id": 3, "w": 300, "extra": "x"}]]
    bench.add_input("orders", *batches, update_strategy="append", unique_key=unique_key)

    (published,) = bench.run("sql", {"sql": "select * from orders order by id"}, an_output())

    assert bench.read(published).to_pylist() == [
        {"id": 1, "v": 10, "w": 100, "extra": None},
        {"id": 2, "v": 20, "w": 200, "extra": None},
        {"id": 3, "v": None, "w": 300, "extra": "x"},
    ]


@pytest.mark.parametrize("unique_key", [None, ["id"]])
def test_a_column_whose_type_differs_between_batches_is_named(unique_key: list[str] | None, bench: Workbench) -> None:
    bench.add_input(
        "orders", [{"id": 1, "v": 1}], [{"id": 2, "v": "x"}], update_strategy="append", unique_key=unique_key
    )

    with pytest.raises(Fail, match="the column v of orders has the types BIGINT and VARCHAR in different files"):
        bench.run("sql", {"sql": "select * from orders"}, an_output())


def test_an_input_without_data_has_its_declared_columns(bench: Workbench) -> None:
    bench.add_input("orders", columns=[{"name": "n", "type": "BIGINT"}])

    (published,) = bench.run("sql", {"sql": "select count(n) as n from orders"}, an_output())

    assert bench.read(published).to_pylist() == [{"n": 0}]
    bench.add_input("others")
    with pytest.raises(Fail, match="the input others has no data yet"):
        bench.run("sql", {"sql": "select 1 as n"}, an_output())


def test_a_check_of_severity_error_stages_nothing(bench: Workbench) -> None:
    checks = [{"kind": "row_count", "min": 2}, {"name": "few", "kind": "row_count", "max": 0, "severity": "warn"}]

    with pytest.raises(Fail, match="there are 1 rows, fewer than 2"):
        bench.run("sql", {"sql": "select 1 as n"}, an_output(checks=checks))
    (published,) = bench.run("sql", {"sql": "select 1 as n"}, an_output(checks=checks[1:]))

    assert published["checks"] == [
        {"name": "few", "severity": "warn", "passed": False, "message": "there are 1 rows, more than 0"}
    ]
    assert len(list((bench.folder / "store").rglob("*.parquet"))) == 1


def test_outputs_that_cannot_be_written_are_refused(bench: Workbench) -> None:
    with pytest.raises(Fail, match="output 0 is not published"):
        bench.run("sql", {"sql": "select 1 as n"}, an_output(dataset=None))
    with pytest.raises(Fail, match="has no output 0; it has no outputs"):
        bench.run("sql", {"sql": "select 1 as n"})


def test_a_dataset_that_is_read_twice_has_two_names(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}, {"n": 2}], where={"n": 1})
    bench.inputs.append({**bench.inputs[0], "where": {"n": 2}})

    (published,) = bench.run("sql", {"sql": "select a.n as a, b.n as b from orders a, orders_1 b"}, an_output())

    assert bench.read(published).to_pylist() == [{"a": 1, "b": 2}]


def test_the_folders_of_a_large_input_are_asked_for_in_pages(bench: Workbench) -> None:
    first, second = bench.add_input("orders", [{"n": 1}], [{"n": 2}])
    bench.inputs[0]["locations"] = None

    class Api(UnitApi):
        async def call(self, verb: str, **arguments: object) -> object:
            pages = {None: [{"id": "1", "location": first}], "1": [{"id": "2", "location": second}], "2": []}
            return pages[arguments["after"]] if verb == "list_input_locations" else None  # type: ignore[index]

    context = UnitContext()
    context.api = Api({}, {}, {}, "default")
    job = bench.job(UnitSyncContext(context), {}, [], None)

    assert job.inputs["orders"].read().column("n").to_pylist() == [1, 2]


def test_compacting_keeps_the_rows_in_few_files(bench: Workbench) -> None:
    bench.add_input("orders", *([{"n": number}] for number in range(5)))

    (published,) = bench.run("parquet_compact", {"rows_per_file": 3}, an_output())

    assert [pq.read_metadata(file).num_rows for file in bench.files(published)] == [3, 2]
    assert bench.read(published) == pa.table({"n": list(range(5))})


def test_rows_are_split_by_ranges(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": number} for number in (-1, 0, 9, 10, 2**60)])

    published = bench.run("range_splitter", {"column": "n", "size": 10}, an_output())

    assert {str(item["partition"]): bench.read(item).column("n").to_pylist() for item in published} == {
        "-10-0": [-1],
        "0-10": [0, 9],
        "10-20": [10],
        f"{2**60 // 10 * 10}-{2**60 // 10 * 10 + 10}": [2**60],
    }


def test_rows_without_a_value_cannot_be_split(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}, {"n": None}])

    with pytest.raises(Fail, match="rows have no value in the column by which they are split"):
        bench.run("range_splitter", {"column": "n", "size": 10}, an_output())


def test_damaged_files_are_found(bench: Workbench) -> None:
    good, changed, lost, unmarked = bench.add_input("orders", *([{"n": number}] for number in range(4)))
    folder = bench.folder / "store" / "datasets"
    (folder / changed / "part-00000.parquet").write_bytes(b"other")
    (folder / lost / "part-00000.parquet").unlink()
    (folder / unmarked / "_done").unlink()

    (published,) = bench.run("integrity_check", {}, an_output())

    rows = bench.read(published).to_pylist()
    assert {row["location"]: row["file"] for row in rows} == {
        changed: "part-00000.parquet",
        lost: "part-00000.parquet",
        unmarked: "_done",
    }
    assert good not in {row["location"] for row in rows}
    with pytest.raises(Fail, match="3 files are damaged"):
        bench.run("integrity_check", {})
