"""Random SQL: SELECTs that sqlglot builds of every function that DuckDB has, and statements around them."""

from collections.abc import Callable
from random import Random

import duckdb
import sqlglot
from sqlglot import exp

COLUMNS = ("id", "region", "amount", "id", "region", "amount", "nothing")
COMMON = ("abs", "lower", "length", "coalesce", "concat", "count", "sum", "max", "hash", "typeof", "list_value", "md5")
TYPES = ("int", "varchar", "date", "json", "blob", "decimal(10,2)", "int[]", "struct(a int)", "interval", "uuid")
OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.EQ, exp.LT, exp.And, exp.Or, exp.Like, exp.Is, exp.DPipe)
TEXTS = ("eu", "", "a'b", "\u0000", "%", "2026-11-01", "[1]", "é" * 9)
CATALOG = ("information_schema.tables", "pg_catalog.pg_class", "duckdb_settings()", "main.orders", "sqlite_master")
TEMPLATES = (
    "copy ({select}) to {path}", "copy orders from {path}", "create table x as {select}", "create view v as {select}",
    "create macro f(a) as ({select})", "attach {path} as other", "set {name} = {value}", "pragma {name}",
    "pragma {name} = {value}", "insert into orders {select}", "delete from orders", "explain {select}",
    "explain analyze {select}", "{select}; {select}", "prepare p as {select}", "call {name}({value})", "load {path}",
    "install {path}", "export database {path}", "import database {path}", "describe {select}", "summarize {select}",
    "with recursive r as ({select} union all {select}) select * from r", "from {path}", "values ({value}, {value})",
    "pivot orders on region using count(*)", "update orders set id = ({select})", "checkpoint", "use memory",
    "select * from ({select}) as a, lateral ({select}) as b", "({select}) union ({select})", "show tables",
    "/* {path} */ {select} -- {value}", "{select} at (version => 1)", "drop table orders", "begin", "vacuum",
)  # fmt: skip


class SqlFuzz:
    """Makes the same statements for the same seed. `paths`: files and addresses that no query may reach."""

    def __init__(self, seed: int, paths: list[str]) -> None:
        self._random, self._paths = Random(seed), paths  # noqa: S311 (not for secrets)
        with duckdb.connect(":memory:") as plain:
            rows = plain.execute("select distinct function_type, function_name from duckdb_functions() order by all")
            found = rows.fetchall()
            settings = plain.execute("select name from duckdb_settings() order by all").fetchall()
        self._table_functions = [name for kind, name in found if kind in ("table", "table_macro", "pragma")]
        self._functions = [name for kind, name in found if kind in ("scalar", "aggregate", "macro")]
        self._settings = [name for (name,) in settings]

    def statement(self) -> str:
        if self._random.random() < 0.6:
            return self.select()
        fill = {
            "{select}": self.select, "{path}": self._path, "{value}": lambda: self._text(self._literal()),
            "{name}": lambda: self._random.choice(self._settings + self._table_functions),
        }  # fmt: skip
        text = self._random.choice(TEMPLATES)
        for mark, make in fill.items():
            while mark in text:
                text = text.replace(mark, make(), 1)
        return text

    def select(self) -> str:
        return self._text(self._query(0))

    def _query(self, depth: int) -> exp.Select:
        query = sqlglot.select(*[self._expression(depth) for _ in range(self._random.randint(1, 3))])
        if self._random.random() < 0.85:
            query = query.from_(self._table(depth))
        if self._random.random() < 0.3:
            query = query.join(self._table(depth), join_type=self._random.choice(("cross", "left", "semi")))
        if self._random.random() < 0.4:
            query = query.where(self._expression(depth))
        if self._random.random() < 0.2:
            query = query.group_by(self._expression(depth))
        if self._random.random() < 0.2:
            query = query.order_by(self._expression(depth))
        return query.limit(self._random.randint(0, 20))

    def _table(self, depth: int) -> exp.Expr | str:
        kinds: list[Callable[[], exp.Expr | str]] = [
            *[lambda: "orders as o"] * 9, lambda: "other_orders", lambda: self._random.choice(CATALOG),
            self._path, lambda: self._call(self._random.choice(self._table_functions), depth),
        ]  # fmt: skip
        if depth < 2:
            kinds.append(lambda: self._query(depth + 1).subquery(f"s{depth}"))
        return self._random.choice(kinds)()

    def _expression(self, depth: int) -> exp.Expr:
        if depth > 3 or self._random.random() < 0.3:
            return self._leaf()
        kinds: list[Callable[[], exp.Expr]] = [
            lambda: self._call(self._random.choice(self._functions), depth),
            lambda: self._call(self._random.choice(COMMON), depth),
            self._leaf,
            self._leaf,
            lambda: self._random.choice(OPERATORS)(
                this=self._expression(depth + 1), expression=self._expression(depth + 1)
            ),
            lambda: exp.Cast(
                this=self._expression(depth + 1), to=exp.DataType.build(self._random.choice(TYPES), "duckdb")
            ),
            lambda: exp.Case(ifs=[exp.If(this=self._expression(depth + 1), true=self._leaf())], default=self._leaf()),
            lambda: exp.Paren(this=self._expression(depth + 1)),
        ]
        if depth < 2:
            kinds.append(lambda: exp.Subquery(this=sqlglot.parse_one(f"select ({self._text(self._leaf())})", "duckdb")))
        return self._random.choice(kinds)()

    def _call(self, name: str, depth: int) -> exp.Expr:
        arguments = [self._expression(depth + 2) for _ in range(self._random.randint(0, 3))]
        return exp.Anonymous(this=name, expressions=arguments)

    def _leaf(self) -> exp.Expr:
        if self._random.random() < 0.4:
            return exp.column(self._random.choice(COLUMNS))
        return self._literal()

    def _literal(self) -> exp.Expr:
        return self._random.choice((
            lambda: exp.Literal.number(self._random.randint(0, 300)),
            lambda: exp.Literal.string(self._random.choice(TEXTS)),
            lambda: exp.Literal.string(self._random.choice(self._paths)),
            lambda: exp.Null(),
        ))()  # fmt: skip

    def _path(self) -> str:
        return self._text(exp.Literal.string(self._random.choice(self._paths)))

    @staticmethod
    def _text(tree: exp.Expr) -> str:
        return tree.sql("duckdb")
