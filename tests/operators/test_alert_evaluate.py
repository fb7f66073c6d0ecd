"""The operator alert_evaluate: a row is an alert, and the rows are published."""

from pathlib import Path
from typing import Any, cast

import pytest

from tenuto.sdk.context.control import Fail
from tests.operators.jobs import Workbench, an_output

ORDERS = [{"id": no, "customer": name, "amount": no * 10} for no, name in enumerate(["ann", "bob", "ann", None])]


def run(folder: Path, rows: list[dict[str, Any]] = ORDERS, **config: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Returns the published rows and the alerts."""
    bench = Workbench(folder)
    bench.add_input("orders", rows)
    values = {"sql": "select * from orders where id > 0", "key": ["customer"], "message": "{customer} owes {amount}"}
    (published,) = bench.run("alert_evaluate", {**values, **config}, an_output())
    return bench.read(published).to_pylist(), cast("list[dict[str, Any]]", published["alerts"])


def test_each_key_is_an_alert_and_all_rows_are_published(tmp_path: Path) -> None:
    rows, alerts = run(tmp_path, severity="critical")

    assert rows == ORDERS[1:]
    assert [(item["key"], item["summary"], item["severity"]) for item in alerts] == [
        ('"bob"', "bob owes 10", "critical"),
        ('"ann"', "ann owes 20", "critical"),
        ('""', " owes 30", "critical"),
    ]
    assert alerts[0]["row"] == {"id": "1", "customer": "bob", "amount": "10"}


def test_no_rows_are_no_alerts(tmp_path: Path) -> None:
    assert run(tmp_path, sql="select * from orders where false") == ([], [])


def test_alerts_are_bounded(tmp_path: Path) -> None:
    many = [{"id": no, "customer": f"{no:04} {'ä' * 900}", "amount": "x\0" * 5000} for no in range(150, 0, -1)]

    rows, alerts = run(tmp_path, many, key=["id"], message="{customer}" * 50)

    assert (len(rows), len(alerts)) == (150, 100)
    assert {item["key"] for item in alerts} == set(sorted(f'"{no}"' for no in range(1, 151))[:100])
    for item in alerts:
        assert len(item["summary"].encode()) <= 1000
        assert len(str(item["row"]).encode()) < 8192
        assert "\0" not in str(item)
    _, (hashed, *_) = run(tmp_path, many)
    assert len(hashed["key"]) == 64


@pytest.mark.parametrize("config", [{"key": ["nobody"]}, {"message": "{nobody}"}])
def test_a_column_that_is_missing_fails_the_job(tmp_path: Path, config: dict[str, Any]) -> None:
    with pytest.raises(Fail, match="has no column nobody"):
        run(tmp_path, **config)


def test_a_message_reads_columns_and_nothing_else(tmp_path: Path) -> None:
    _, alerts = run(tmp_path, message="{customer.__class__} {0} {amount!r}")

    assert alerts[0]["summary"] == "{customer.__class__} {0} {amount!r}"


def test_a_message_of_a_value_that_is_null_is_the_key(tmp_path: Path) -> None:
    _, alerts = run(tmp_path, key=["id"], message="{customer}")

    assert [item["summary"] for item in alerts] == ["bob", "ann", '"3"']
