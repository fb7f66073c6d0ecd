"""SELECTs of jobs: what is wrong with one is found before a deploy, at its place in the document."""

import pytest

from tenuto.dag.parse import parse_dag
from tenuto.dag.selects import read_select
from tenuto.lineage.select import trace_select
from tests.dag.documents import messages, parsed, problems_of, with_job

DOCUMENT = """\
name: orders
jobs:
  - name: extract
    activation: source
    source: {kind: manual}
    operator: python
    config: {task: "shop.extract"}
    outputs: [{dataset: orders_raw}, {name: refused}]
  - name: daily
    activation: reactive
    execution_strategy: PerUpdate
    operator: sql
    inputs:
      - from: {dataset: orders_raw}
      - from: {job: extract, output: refused}
        trigger: false
    config:
      sql: SQL
    outputs: [{dataset: orders_daily}]
"""


def found(sql: str) -> list[str]:
    """The problems of the document with this SELECT, each with its place."""
    return [str(problem) for problem in problems_of(DOCUMENT.replace("SQL", sql))]


def test_a_table_that_is_no_input_is_found_at_its_place_with_the_name_that_was_meant():
    block = "|\n        select r.id\n        from order_raw r\n        join refused using (id)\n"
    assert found(block) == [
        "20:14: jobs[1].config.sql: the job has no input 'order_raw'; did you mean orders_raw?"
    ]  # fmt: skip
    assert found('"select 1 from things"') == [
        "18:27: jobs[1].config.sql: the job has no input 'things'; the inputs are orders_raw, refused"
    ]


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("select count(* from orders_raw", "18:27: jobs[1].config.sql: the SQL is wrong near 'from': Expecting )"),
        ("select 1; select 2", "18:12: jobs[1].config.sql: the SQL has 2 statements; write one SELECT"),
        ("delete from orders_raw", "18:12: jobs[1].config.sql: the SQL is not a SELECT"),
        (
            "select n, max(at) from orders_raw",
            '18:26: jobs[1].config.sql: at is a word of SQL; write "at", with quotes',
        ),
        ("select 'open", "18:12: jobs[1].config.sql: the SQL is wrong: Error tokenizing"),
    ],
)
def test_a_select_that_can_not_run_is_refused(sql: str, problem: str):
    (one,) = found(sql)
    assert one.startswith(problem)


@pytest.mark.parametrize(
    "sql",
    [
        "with days as (select * from orders_raw) select * from Days where day = $partition::date;",
        "from orders_raw r select r.at, \"at\" as at, order_id at time zone 'UTC'",
        "select * exclude (day) from orders_raw qualify row_number() over (partition by id order by day) = 1",
        "select * from orders_raw, range(3), (values (1)) v(x)",
        "pivot orders_raw on region using sum(total)",
        "pivot (select ';-- x' as a, 1 as b from orders_raw) on a using sum(b)",
        f"pivot (select ';{'/**/' * 1000}x' as a, 1 as b from orders_raw) on a using sum(b)",
        "select * from ORDERS_RAW union all by name select * from refused",
        "select list_transform(days, lambda day, n: day + n) from orders_raw",  # sqlglot does not know this, nor these
        "select force, 5! from orders_raw",
        "summarize orders_raw",
    ],
)
def test_what_duckdb_runs_is_accepted(sql: str):
    parse_dag(DOCUMENT.replace("SQL", f"|\n        {sql}\n"))


CHECKED = """\
name: orders
jobs:
  - name: extract
    activation: source
    source: {kind: manual}
    operator: python
    config: {task: "shop.extract"}
    outputs:
      - dataset: refused
      - dataset: orders_raw
        checks:
          - {name: some, kind: row_count, min: 1}
          - {name: no_gifts, kind: sql, sql: "SQL"}
"""


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("select id from data where cents <= 0", None),
        ("with gifts as (from DATA) select id from gifts", None),
        ("select id from data where", "13:67: {}: the SQL is wrong near 'where': "),
        ("select id from orders_raw", "13:62: {}: a check cannot read 'orders_raw'; read data, "),
        ("drop table data", "13:47: {}: the SQL is not a SELECT"),
        ("select id from data where day = $partition", "13:47: {}: the parameter $partition does not exist; "),
    ],
)
def test_the_select_of_a_check_is_checked_too(sql: str, problem: str | None):
    text = CHECKED.replace("SQL", sql)
    if problem is None:
        parse_dag(text)
        return
    (one,) = [str(found) for found in problems_of(text)]
    assert one.startswith(problem.format("jobs[0].outputs[1].checks[1].sql")), one


def test_duckdb_has_the_last_word_and_says_where():
    sql = "select 'é' as word, 1 as n, * replace () from orders_raw"
    (one,) = found(f'"{sql}"')
    place = f"18:{13 + sql.index('from')}"
    assert one == f'{place}: jobs[1].config.sql: the SQL is wrong: syntax error at or near "from"'


def test_a_select_that_is_stored_is_not_checked_again():
    with pytest.raises(Exception, match="has no input"):
        parsed(with_job("daily", config={"sql": "select * from gone"}))
    text = DOCUMENT.replace("SQL", "select * from gone")
    assert parse_dag(text, stored=True).job("daily").config == {"sql": "select * from gone"}


def test_a_very_deep_select_is_a_problem_and_not_an_error():
    assert read_select("select " + "(" * 30_000 + "1" + ")" * 30_000).problem is not None


def test_other_problems_are_listed_too():
    wrong = with_job("daily", config={"sql": "select * from orders_rw"}, queue="tenuto.dispatcher")
    assert messages(wrong) == [
        "jobs[1].config.sql: the job has no input 'orders_rw'; did you mean orders_raw?",
        "jobs[1].queue: is tenuto.dispatcher: names that begin with 'tenuto.' are reserved for dispatchers; "
        "choose another name",
    ]


@pytest.mark.parametrize("link", [".f()", "[1]", ".f(b[1])", "[f(1)]"])
def test_a_select_with_a_long_chain_of_calls_is_not_parsed_for_its_tables(link: str):
    """Parsing 16,000 links would take sqlglot hours."""
    chain = f"select a{link * 31} as x, a{link * 31} as y from src"
    endless = f"select a{link * 5000} as x from src"

    assert [table for table, _ in read_select(chain).tables] == ["src"]
    assert read_select(endless).tables == ()
    assert trace_select(endless, {"src": ["a"]}).confidence == "table"
