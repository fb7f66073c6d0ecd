"""A value of each type is the same in every place that shows the result of a query, with all its digits."""

import csv
import io
import json
from typing import Any

import psycopg

from tenuto import App
from tests.support.database.tasks import start
from tests.support.waiting import wait_until
from tests.web.conftest import Dashboard, System


def same(text: str) -> tuple[str, str, str]:
    return text, text, text


# SQL: its value in JSON, and its text in a table, in CSV and on the page, where that differs from the value.
VALUES: dict[str, tuple[Any, str, str]] = {
    "150966.66::double": (150966.66, "150966.66", "150966.66"),
    "1234567.891::double": (1234567.891, "1234567.891", "1234567.891"),
    "100::double": (100.0, "100.0", "100"),
    "1e300::double": (1e300, "1e+300", "1e+300"),
    "-0.000012345::double": (-0.000012345, "-1.2345e-05", "-0.000012345"),
    "0.1::real": (0.10000000149011612, "0.10000000149011612", "0.10000000149011612"),
    "'nan'::double": same("nan"),
    "9007199254740993::bigint": (9007199254740993, "9007199254740993", "9007199254740993"),
    "170141183460469231731687303715884105::hugeint": (
        170141183460469231731687303715884105,
        "170141183460469231731687303715884105",
        "170141183460469231731687303715884105",
    ),
    "7::smallint": (7, "7", "7"),
    "12.50::decimal(10, 2)": same("12.50"),
    "true": (True, "true", "true"),
    "'a, \"b\"'": ('a, "b"', 'a, "b"', 'a, "b"'),
    "date '2026-11-19'": same("2026-11-19"),
    "timestamp '2026-11-19 12:30:00.5'": (
        "2026-11-19T12:30:00.500000",
        "2026-11-19T12:30:00.500000",
        "2026-11-19T12:30:00.500000",
    ),
    "timestamptz '2026-11-19 12:30:00+01'": (
        "2026-11-19T11:30:00+00:00",
        "2026-11-19T11:30:00+00:00",
        "2026-11-19T11:30:00+00:00",
    ),
    "time '12:30:00.5'": same("12:30:00.500000"),
    "interval '1 month 2 days 90 minutes'": same("P1M2DT5400S"),
    "-interval '500 milliseconds'": same("P0M0DT-0.5S"),
    "'ab'::blob": same("YWI="),
    "uuid '01a1f4fd-9ed7-7000-ae80-b49bea5cb570'": (
        "01a1f4fd-9ed7-7000-ae80-b49bea5cb570",
        "01a1f4fd-9ed7-7000-ae80-b49bea5cb570",
        "01a1f4fd-9ed7-7000-ae80-b49bea5cb570",
    ),
    "[1.5, 9007199254740993]::decimal(20, 1)[]": (
        ["1.5", "9007199254740993.0"],
        '["1.5", "9007199254740993.0"]',
        '["1.5","9007199254740993.0"]',
    ),
    "[9007199254740993]": ([9007199254740993], "[9007199254740993]", "[9007199254740993]"),
    "{'id': 9007199254740993, 'n': 0.5::double}": (
        {"id": 9007199254740993, "n": 0.5},
        '{"id": 9007199254740993, "n": 0.5}',
        '{"id":9007199254740993,"n":0.5}',
    ),
    "null::integer": (None, "", "null"),
}
SQL = "select " + ", ".join(f"{sql} as v{no:02}" for no, sql in enumerate(VALUES))
NAMES = [f"v{no:02}" for no in range(len(VALUES))]


def test_a_value_of_each_type_is_shown_with_all_its_digits(system: System, admin: Dashboard) -> None:
    values, texts, shown = (list(column) for column in zip(*VALUES.values(), strict=True))

    assert json.loads(system.run("query", SQL, "--json"))["rows"] == [values]
    assert list(csv.reader(io.StringIO(system.run("query", SQL, "--format", "csv")))) == [NAMES, texts]
    headings, line = system.run("query", SQL).splitlines()[:2]
    starts = [headings.index(name) for name in NAMES]
    assert [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)] == texts
    with App("values").connect_sync(system.environment["TENUTO_DATABASE_URL"]) as client:
        assert client.query(SQL).rows == [values]

    page = admin.visit("/query")
    page.get_by_label("SQL").fill(SQL)
    page.get_by_role("button", name="Run Ctrl").click()
    page.get_by_role("region", name="Result").get_by_role("cell").first.wait_for()
    assert page.get_by_role("region", name="Result").get_by_role("cell").all_inner_texts() == shown


def test_large_integers_of_an_input_survive_the_page_that_starts_it_again(
    system: System, admin: Dashboard, db: psycopg.Connection
) -> None:
    (run_id,) = start(db, [9007199254740993, 1], kind={"type": "shop.add"})

    page = admin.visit(f"/runs/{run_id}")
    page.get_by_role("button", name="Start a similar run").click()
    page.get_by_role("dialog").get_by_role("button", name="Start the run").click()

    newest = "select input, run_id <> %s from tenuto.tasks order by id desc limit 1"
    wait_until(lambda: db.execute(newest, [run_id]).fetchone() == ([9007199254740993, 1], True))
