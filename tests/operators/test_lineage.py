"""Operators and functions say which columns their outputs are computed from."""

from pathlib import Path
from typing import Any

import pytest

from tenuto.sdk.context.control import Fail
from tenuto.testing import UnitSyncContext
from tests.operators.jobs import Workbench, an_output


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


def sources(publication: Any) -> set[tuple[str | None, int, str | None]]:
    return {(item["column"], item["input"], item["field"]) for item in publication["lineage"]["columns"]}


def test_a_select_publishes_its_column_lineage(bench: Workbench) -> None:
    bench.add_input("orders", [{"region": "eu", "n": 1}])
    bench.add_input("rates", [{"region": "eu", "rate": 2}])
    sql = "select sum(n * rate) from orders join rates on orders.region = rates.region"

    (published,) = bench.run("sql", {"sql": sql}, an_output())

    assert sources(published) == {
        ("sum((n * rate))", 0, "n"), ("sum((n * rate))", 1, "rate"), (None, 0, "region"), (None, 1, "region"),
    }  # fmt: skip
    assert (published["lineage"]["method"], published["lineage"]["confidence"]) == ("sql", "exact")  # type: ignore[index]


def test_the_same_input_read_twice_has_two_numbers(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}])
    bench.add_input("orders", [{"n": 2}])

    (published,) = bench.run("sql", {"sql": "select n as later from orders_1"}, an_output())

    assert sources(published) == {("later", 1, "n")}


@pytest.mark.parametrize("word", ["declared", "off"])
def test_an_output_with_other_lineage_is_not_traced(bench: Workbench, word: str) -> None:
    bench.add_input("orders", [{"n": 1}])

    (published,) = bench.run("sql", {"sql": "select n from orders"}, an_output(lineage=word))

    assert "lineage" not in published


def test_a_function_states_lineage_before_or_after_it_writes(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}])
    ctx = UnitSyncContext()
    job = bench.job(ctx, {}, [an_output(dataset="a"), an_output(dataset="b")], None)

    ctx.lineage({"total": ["orders.n", "orders"]}, "a")
    for key in ("mon", "tue"):
        ctx.write([{"total": 1}], "a", partition=key)
    ctx.write([{"total": 1}], "b")
    ctx.lineage({"total": "orders.n"}, "b")
    job.close()

    first, second, other = job.published
    assert sources(first) == {("total", 0, "n"), ("total", 0, None)}
    assert "lineage" not in second
    assert sources(other) == {("total", 0, "n")}
    assert first["lineage"]["method"] == "reported"  # type: ignore[index]


def test_wrong_lineage_fails_with_the_names_that_exist(bench: Workbench) -> None:
    bench.add_input("orders", [{"n": 1}])
    ctx = UnitSyncContext()
    bench.job(ctx, {}, [an_output()], None)

    with pytest.raises(Fail, match=r"names 'order\.n', which is not an input.*the inputs are orders"):
        ctx.lineage({"total": "order.n"})
    with pytest.raises(Fail, match="has more than 256 bytes"):
        ctx.lineage({"total": "orders." + "n" * 257})
    with pytest.raises(Fail, match="has 10,001 sources"):
        ctx.lineage({"total": [f"orders.n{number}" for number in range(10_001)]})
    with pytest.raises(Fail, match="has no output 7"):
        ctx.lineage({"total": "orders.n"}, 7)
