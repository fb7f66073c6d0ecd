"""Follows the columns of a SELECT through its subqueries, CTEs and set operations to the inputs that they come from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

from tenuto.lineage.select import Schemas
from tenuto.model.lineage import ColumnSource
from tenuto.model.sql_chains import has_long_chain
from tenuto.model.statuses import LineageKind

DIALECT = "duckdb"
# Syntax whose columns depend on the data, or that sqlglot does not resolve.
UNTRACED = (exp.Pivot, exp.Columns, exp.Unnest, exp.Lateral, exp.Explode, exp.Lambda, exp.TableSample)
UNTRACED_OPTIONS = ("recursive", "by_name")  # of CTEs and set operations
CLAUSES = {"where": "filter", "having": "filter", "qualify": "filter", "order": "sort", "group": "group_by",
           "distinct": "group_by"}  # fmt: skip
# The subtypes of direct uses, the weakest first. If a value passes through several expressions, the strongest counts.
STRENGTH = ("identity", "transformation", "aggregation")


class Untraceable(Exception):
    """The lineage of the SELECT is not certain; the message says why."""


@dataclass(frozen=True)
class Use:
    """How a value is used: directly, to compute a result, or indirectly, to decide which other values are used."""

    kind: LineageKind = "direct"
    subtype: str = "identity"

    def then(self, subtype: str) -> "Use":
        """Return the use of the operands of an expression. `subtype`: the kind of the expression. This object is the
        use of the expression's result."""
        if self.kind == "indirect":
            return self
        return Use("direct", max(self.subtype, subtype, key=STRENGTH.index))

    def of(self, inner: "Use") -> "Use":
        """Return the use of a subquery's input in the whole query. `inner`: the use of the input in the subquery. This
        object is the use of the subquery's result."""
        if self.kind == "indirect":
            return self
        return inner if inner.kind == "indirect" else self.then(inner.subtype)


Leaf = tuple[int, str, Use]  # the number of an input, its column, and how it is used


def trace_columns(sql: str, inputs: Schemas, columns: Sequence[str] | None) -> set[ColumnSource]:
    """Return the sources of all columns. Raises Untraceable, or an error of sqlglot, if the sources of a column are not
    certain."""
    schema = {name.lower(): {column.lower(): "unknown" for column in known} for name, known in inputs.items() if known}
    if has_long_chain(sql):
        raise Untraceable("a chain of calls is too long")
    statement = sqlglot.parse_one(sql, dialect=DIALECT)
    if not isinstance(statement, exp.Query):
        raise Untraceable("it is not a SELECT")
    for node in statement.walk():
        natural = isinstance(node, exp.Join) and node.method == "NATURAL"
        if natural or isinstance(node, UNTRACED) or any(node.args.get(option) for option in UNTRACED_OPTIONS):
            raise Untraceable(f"{type(node).__name__} cannot be traced")
    query = qualify(statement, dialect=DIALECT, schema=cast("Any", schema), quote_identifiers=False)
    scope = build_scope(query)
    if scope is None:
        raise Untraceable("its tables cannot be resolved")
    return _Tracer(inputs).trace(scope, columns)


@dataclass
class _Tracer:
    """Finds the sources of columns. Each column of each subquery is resolved only once."""

    inputs: Schemas
    _done: dict[tuple[int, int], frozenset[Leaf]] = field(default_factory=dict[tuple[int, int], frozenset[Leaf]])
    _visited: dict[int, Scope] = field(default_factory=dict[int, Scope])

    def __post_init__(self) -> None:
        self._numbers = {name.lower(): number for number, name in enumerate(self.inputs)}
        self._names = {
            (number, column.lower()): column
            for number, known in enumerate(self.inputs.values())
            for column in known or ()
        }

    def trace(self, root: Scope, columns: Sequence[str] | None) -> set[ColumnSource]:
        outputs = _outputs(root)
        names = [output.alias_or_name for output in outputs]
        if columns is not None:
            if len(columns) != len(names):
                raise Untraceable(f"it selects {len(names)} columns, but its result has {len(columns)}")
            names = list(columns)
        found: set[ColumnSource] = set()
        for number, name in enumerate(names):
            found |= {self._source(name, leaf) for leaf in self._output(root, number)}
        self._reach(root)
        for scope in self._visited.values():
            found |= {self._source(None, leaf) for leaf in self._deciding(scope)}
        return found

    def _source(self, column: str | None, leaf: Leaf) -> ColumnSource:
        number, name, use = leaf
        return ColumnSource(column, number, self._names[number, name], use.kind, use.subtype)

    def _output(self, scope: Scope, number: int) -> frozenset[Leaf]:
        """Return the sources of one output of a subquery."""
        key = (id(scope), number)
        if key not in self._done:
            self._done[key] = frozenset()
            if scope.set_operation_scopes:
                parts = [self._output(part, number) for part in scope.set_operation_scopes]
                self._done[key] = frozenset[Leaf]().union(*parts)
            else:
                self._done[key] = frozenset(self._leaves(scope, _outputs(scope)[number], Use()))
        return self._done[key]

    def _leaves(self, scope: Scope, node: exp.Expr, use: Use) -> Iterator[Leaf]:
        """Yield the columns of inputs that an expression uses."""
        if isinstance(node, exp.Column):
            yield from self._column(scope, node, use)
        elif isinstance(node, exp.TableColumn):
            raise Untraceable(f"{node.sql()} is a whole row")
        elif isinstance(node, exp.Query):
            yield from self._subquery(scope, node, use.then("transformation"))
        elif isinstance(node, exp.Alias | exp.Paren):
            yield from self._leaves(scope, node.this, use)
        elif isinstance(node, exp.Window):
            yield from self._window(scope, node, use)
        elif isinstance(node, exp.Filter):
            yield from self._leaves(scope, node.this, use)
            yield from self._leaves(scope, node.expression, _indirect("filter"))
        elif isinstance(node, exp.Case | exp.If):
            yield from self._condition(scope, node, use)
        else:
            inner = use.then("aggregation" if isinstance(node, exp.AggFunc) else "transformation")
            for child in node.iter_expressions():
                yield from self._leaves(scope, child, inner)

    def _window(self, scope: Scope, node: exp.Window, use: Use) -> Iterator[Leaf]:
        yield from self._leaves(scope, node.this, use.then("transformation"))
        for part in (*(node.args.get("partition_by") or ()), node.args.get("order"), node.args.get("spec")):
            if part is not None:
                yield from self._leaves(scope, part, _indirect("window"))

    def _condition(self, scope: Scope, node: exp.Case | exp.If, use: Use) -> Iterator[Leaf]:
        """Yield the sources of `case` and `if`. Columns of the conditions are indirect sources."""
        for name, value in node.args.items():
            parts = cast("list[object]", value) if isinstance(value, list) else [value]
            for part in parts:
                if not isinstance(part, exp.Expr):
                    continue
                inner = _indirect("conditional") if name == "this" else use.then("transformation")
                yield from self._leaves(scope, part, use if isinstance(part, exp.If) else inner)

    def _column(self, scope: Scope, node: exp.Column, use: Use) -> Iterator[Leaf]:
        name = node.name.lower()
        if not node.table:  # the alias of an output, in `order by` or `group by`
            numbers = [number for number, item in enumerate(_outputs(scope)) if item.alias_or_name == node.name]
            if len(numbers) != 1:
                raise Untraceable(f"the column {node.name} cannot be resolved")
            inner = self._output(scope, numbers[0])
            yield from ((number, column, use.of(found)) for number, column, found in inner)
            return
        source = _find_source(scope, node.table)
        if isinstance(source, exp.Table):
            number = self._input(source)
            if (number, name) not in self._names:
                raise Untraceable(f"{node.sql()} is not a known column")
            yield (number, name, use)
        elif isinstance(source, Scope):
            outputs = [number for number, item in enumerate(_outputs(source)) if item.alias_or_name.lower() == name]
            if len(outputs) != 1:
                raise Untraceable(f"{node.sql()} is not exactly one column of its subquery")
            inner = self._output(source, outputs[0])
            yield from ((number, column, use.of(found)) for number, column, found in inner)
        else:
            raise Untraceable(f"the column {node.sql()} cannot be resolved")

    def _subquery(self, scope: Scope, node: exp.Query, use: Use) -> Iterator[Leaf]:
        """Yield the sources of all columns of a subquery inside of an expression."""
        query = node.unnest() if isinstance(node, exp.Subquery) else node
        inner = next((part for part in scope.subquery_scopes if part.expression is query), None)
        if inner is None:
            raise Untraceable("a subquery cannot be resolved")
        for number in range(len(_outputs(inner))):
            yield from ((no, column, use.of(found)) for no, column, found in self._output(inner, number))

    def _input(self, table: exp.Table) -> int:
        number = self._numbers.get(table.name.lower())
        if number is None or table.db:
            raise Untraceable(f"{table.sql()} is not an input")
        return number

    def _reach(self, scope: Scope) -> None:
        """Record the subqueries on which the result depends. CTEs that are not read are left out."""
        if id(scope) in self._visited:
            return
        self._visited[id(scope)] = scope
        for _, source in scope.selected_sources.values():
            if isinstance(source, Scope):
                self._reach(source)
            else:
                self._input(source)
        for part in (*scope.set_operation_scopes, *scope.subquery_scopes):
            self._reach(part)

    def _deciding(self, scope: Scope) -> Iterator[Leaf]:
        """Yield the columns that decide which rows a subquery returns, and in which order."""
        query = scope.expression
        for name, subtype in CLAUSES.items():
            clause = query.args.get(name)
            if isinstance(clause, exp.Group) and clause.args.get("all"):
                for output in _outputs(scope):
                    if not output.find(exp.AggFunc):
                        yield from self._leaves(scope, output, _indirect(subtype))
            elif isinstance(clause, exp.Expr):
                yield from self._leaves(scope, clause, _indirect(subtype))
        for join in cast("list[exp.Join]", query.args.get("joins") or []):
            condition = join.args.get("on")
            if join.args.get("using"):
                raise Untraceable("the columns of a join with USING cannot be resolved")
            if isinstance(condition, exp.Expr):
                yield from self._leaves(scope, condition, _indirect("join"))


def _indirect(subtype: str) -> Use:
    return Use("indirect", subtype)


def _find_source(scope: Scope, name: str) -> "exp.Table | Scope | None":
    """Return the source that a name refers to, in the subquery or in the queries around it."""
    found, around = scope.sources.get(name), scope.parent
    while found is None and around is not None:
        found, around = around.sources.get(name), around.parent
    return found


def _outputs(scope: Scope) -> list[exp.Expr]:
    outputs = list(scope.expression.selects) if isinstance(scope.expression, exp.Query) else []
    if not outputs or any(output.is_star for output in outputs):
        raise Untraceable("its columns are not known")
    return outputs
