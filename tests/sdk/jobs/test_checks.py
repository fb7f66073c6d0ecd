"""Checks look at the data of an output before it is published."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as pads
import pytest

from tenuto.model.json import JsonObject
from tenuto.sdk.jobs.checks import CheckFailed, Checks, refuse_failed

NOW = dt.datetime.now(dt.UTC)
DATA = pads.dataset(
    pa.table(
        {
            "id": [1, 2, 2, None],
            "total": [1.5, -2.0, 30.0, None],
            "at": [NOW - dt.timedelta(hours=hours) for hours in (30, 20, 10, 3)],
        }
    )
)


def message(check: JsonObject, folder: Path) -> object:
    """Run one check; return what it found, None if it passed."""
    (result,) = Checks(DATA, folder, lambda: False).run([check])
    assert result["passed"] == (result["message"] is None)
    return result["message"]


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ({"kind": "not_null", "columns": ["at"]}, None),
        ({"kind": "not_null", "columns": ["id", "total"]}, "1 rows have no value in id, total"),
        ({"kind": "unique", "columns": ["id", "total"]}, None),
        ({"kind": "unique", "columns": ["id"]}, "1 values of id occur more than once"),
        ({"kind": "range", "column": "total", "min": -2, "max": 30}, None),
        ({"kind": "range", "column": "total", "min": 0}, "1 rows are outside of 0.. in total"),
        ({"kind": "range", "column": "total", "min": 0, "max": 9}, "2 rows are outside of 0..9 in total"),
        ({"kind": "range", "column": "total"}, None),
        ({"kind": "row_count", "min": 4, "max": 4}, None),
        ({"kind": "row_count", "min": 5}, "there are 4 rows, fewer than 5"),
        ({"kind": "row_count", "max": 3}, "there are 4 rows, more than 3"),
        ({"kind": "freshness", "max_age": "1m"}, None),
        ({"kind": "freshness", "max_age": "4h", "column": "at"}, None),
        ({"kind": "sql", "sql": "select * from data where total > 100"}, None),
        ({"kind": "sql", "sql": "select id from data where total = 30"}, "the SELECT returned rows: {'id': 2}"),
    ],
)
def test_each_kind_says_what_it_found(check: JsonObject, found: str | None, tmp_path: Path) -> None:
    assert message(check, tmp_path) == found


def test_old_data_is_not_fresh(tmp_path: Path) -> None:
    found = message({"kind": "freshness", "max_age": "2h", "column": "at"}, tmp_path)

    assert found == f"the latest at is {DATA.to_table().column('at')[3].as_py().isoformat()}, more than 2h ago"


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "unique", "columns": ["nothing"]},
        {"kind": "freshness", "max_age": "2h", "column": "total"},
        {"kind": "sql", "sql": "select * from read_csv('/etc/passwd')"},
        {"kind": "sql", "sql": "drop table data"},
    ],
)
def test_a_check_that_cannot_run_did_not_pass(check: JsonObject, tmp_path: Path) -> None:
    assert message(check, tmp_path) is not None


def test_an_error_refuses_the_data_and_a_warning_is_only_recorded(tmp_path: Path) -> None:
    checks: list[JsonObject] = [
        {"name": "one_order", "kind": "unique", "columns": ["id"], "severity": "error"},
        {"kind": "row_count", "min": 5, "severity": "warn"},
    ]

    results = Checks(DATA, tmp_path, lambda: False).run(checks)

    assert [(result["name"], result["severity"], result["passed"]) for result in results] == [
        ("one_order", "error", False),
        ("row_count", "warn", False),
    ]
    refuse_failed("output 0 (orders)", results[1:])
    with pytest.raises(CheckFailed) as refused:
        refuse_failed("output 0 (orders)", results)
    assert str(refused.value) == (
        "checks refused the data of output 0 (orders):\n  one_order: 1 values of id occur more than once"
    )
