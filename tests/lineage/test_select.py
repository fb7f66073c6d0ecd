"""Column lineage of SELECTs, compared with what DuckDB computes."""

import duckdb
import pytest

from tenuto.lineage.select import MAX_SQL_BYTES, trace_select
from tenuto.model.lineage import OutputLineage

INPUTS = {
    "orders": ["id", "Amount", "rate", "status", "customer", "day"],
    "customers": ["customer", "region", "grade"],
}

TRACED = [
    "select * from orders",
    "select amount as a, amount + rate as b, 1 as c from orders where status = 'paid'",
    "select o.day, sum(o.amount * rate) as total, count(*) as n from orders o group by o.day having max(rate) > 1",
    "select day, c.region, avg(amount) filter (where grade = 'a') as mean from orders o"
    " join customers c on c.customer = o.customer group by all order by mean",
    "select case when status = 'paid' then amount else rate end as x, if(rate > 2, 1, 0) as y from orders",
    "select id, row_number() over (partition by status order by amount, id) as no from orders",
    "with paid as (select * exclude (rate) from orders where status = 'paid'), unused as (select grade from customers)"
    " select p.id, p.amount * 2 as doubled, doubled + 1 as more from paid p",
    "select id, amount from orders union all select customer, rate from orders where status = 'open'",
    "select id, (select max(grade) from customers c where c.customer = o.customer) as best from orders o",
    "select id from orders o where exists (select 1 from customers c where c.customer = o.customer and grade = 'a')",
    "select distinct on (status) status, amount from orders order by status, amount, id",
    "select x.total from (select sum(amount) as total, day from orders group by day) x where x.total > 3",
    "select status, amount from orders qualify rank() over (partition by status order by rate, id) = 1",
    "from orders select amount",
]

TABLE_ONLY = [
    "select columns('a.*') from orders",
    "select unnest([amount]) as a from orders",
    "select * from orders natural join customers",
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select i, amount from n, orders",
    "select id as a, rate as b from orders union all by name select rate as b, id as a from orders",
    "pivot orders on status using sum(amount) group by day",
    "select list_transform([amount], x -> x + rate) as a from orders",
    "select orders from orders",
    "select a.i from orders as a(i)",
    "summarize orders",
    "select 1 from",
    "select " + "1 + " * MAX_SQL_BYTES + "1 as a from orders",
]


@pytest.mark.parametrize("sql", TRACED)
def test_no_input_changes_a_column_that_it_is_not_a_source_of(sql: str) -> None:
    with duckdb.connect() as db:
        _fill(db)
        before = db.sql(sql)
        names, rows = before.columns, before.fetchall()
        lineage = trace_select(sql, INPUTS, names)
        assert lineage.confidence == "exact"

        for number, (table, columns) in enumerate(INPUTS.items()):
            for column in columns:
                _fill(db)
                db.execute(f"update {table} set {column} = {column} || 'x'" if _is_text(column) else
                           f"update {table} set {column} = {column} * 7 + id * 3")  # fmt: skip
                changed = _changed(names, rows, db.sql(sql).fetchall())
                sources = {source.column for source in lineage.columns
                           if source.input == number and source.field == column}  # fmt: skip
                assert not changed or None in sources or changed <= sources, (column, changed, sources)


@pytest.mark.parametrize("sql", TABLE_ONLY)
def test_what_is_not_certain_falls_back_to_the_table(sql: str) -> None:
    assert trace_select(sql, INPUTS) == OutputLineage("sql", "table")


def test_a_result_with_other_columns_falls_back_to_the_table() -> None:
    assert trace_select("select id from orders", INPUTS, ["id", "rate"]).confidence == "table"


def test_an_input_without_known_columns_falls_back_to_the_table() -> None:
    assert trace_select("select id from orders", {"orders": None}).confidence == "table"


def test_names_are_those_of_the_data_and_of_the_result() -> None:
    lineage = trace_select("select sum(AMOUNT) from Orders", INPUTS, ["sum(AMOUNT)"])
    assert [(source.column, source.field) for source in lineage.columns] == [("sum(AMOUNT)", "Amount")]


def test_each_source_says_how_it_is_used() -> None:
    sql = """select o.day, sum(amount) as total, case when status = 'paid' then rate end as paid_rate
             from orders o join customers c on c.customer = o.customer where region = 'eu' group by all"""
    uses = {(s.column, s.field): (s.kind, s.subtype) for s in trace_select(sql, INPUTS).columns if s.column}
    assert uses == {
        ("day", "day"): ("direct", "identity"),
        ("total", "Amount"): ("direct", "aggregation"),
        ("paid_rate", "rate"): ("direct", "transformation"),
        ("paid_rate", "status"): ("indirect", "conditional"),
    }
    rows = {(s.field, s.subtype) for s in trace_select(sql, INPUTS).columns if s.column is None}
    assert {("region", "filter"), ("customer", "join"), ("day", "group_by")} <= rows


def test_a_cte_that_nothing_reads_is_no_source() -> None:
    sql = "with unused as (select grade from customers where region = 'eu') select amount from orders"
    assert {source.input for source in trace_select(sql, INPUTS).columns} == {0}


def _fill(db: duckdb.DuckDBPyConnection) -> None:
    db.execute("""create or replace table orders as select i as id, i * 3 % 7 as "Amount", i % 5 as rate,
        case when i % 2 = 0 then 'paid' else 'open' end as status, i % 4 as customer, i // 5 as day
        from range(20) t(i)""")
    db.execute("""create or replace table customers as select i as id, i as customer, 'r' || i % 2 as region,
        case when i % 2 = 0 then 'a' else 'b' end as grade from range(4) t(i)""")


def _is_text(column: str) -> bool:
    return column in ("status", "region", "grade")


def _changed(names: list[str], before: list[tuple[object, ...]], after: list[tuple[object, ...]]) -> set[str]:
    """The columns whose values differ, whatever the order of the rows."""
    return {
        name
        for number, name in enumerate(names)
        if sorted(str(row[number]) for row in before) != sorted(str(row[number]) for row in after)
    }
