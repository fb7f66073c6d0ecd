"""Decides which SELECTs may run, from the syntax tree that DuckDB's own parser makes. Runs inside of the sandbox.

Unknown kinds of nodes, unknown table functions and names with a schema are refused. The sandbox and DuckDB's settings
protect the machine even without this module. It reports a clear error early, and forbids functions that read or change
the state of the engine.
"""

import json
from collections.abc import Iterator
from typing import cast

import duckdb

from tenuto.dag.statements import PIVOT_HINT
from tenuto.model.json import Json, JsonObject

# Table functions that only turn their arguments into rows. All others read files, URLs, memory or settings.
TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "json_each", "json_tree"})
# Functions in expressions that read or change the state of the process, or wait.
REFUSED_FUNCTIONS = frozenset({
    "current_setting", "getenv", "getvariable", "write_log", "sleep_ms", "pg_sleep", "txid_current", "nextval",
    "currval", "setval", "current_connection_id", "current_query", "current_query_id", "current_transaction_id",
    "parse_duckdb_log_message", "json_serialize_sql", "json_deserialize_sql", "json_serialize_plan", "in_search_path",
    "get_block_size", "stats", "invoke", "pg_conf_load_time", "pg_postmaster_start_time", "current_schemas",
})  # fmt: skip
INTERNAL = "__internal"  # the prefix of functions that only DuckDB's optimizer calls
TABLES = frozenset({
    "BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY", "PIVOT",
})  # fmt: skip
PARTS = TABLES | {
    "SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "ORDER_MODIFIER", "LIMIT_MODIFIER",
    "LIMIT_PERCENT_MODIFIER", "DISTINCT_MODIFIER", "ORDER_DEFAULT", "ASCENDING", "DESCENDING",
}  # fmt: skip
EXPRESSIONS = frozenset({
    "BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "DEFAULT", "FUNCTION",
    "LAMBDA", "LAMBDA_REF", "OPERATOR", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "TYPE", "WINDOW",
})  # fmt: skip


class RefusedQuery(Exception):
    """The text is not one SELECT over registered views; the message says what to write."""


def check(connection: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    """Return the names of the tables that a query reads. Raises RefusedQuery if the text is not one SELECT, or if the
    SELECT contains something that is not allowed."""
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            kinds = ", ".join(statement.type.name for statement in statements) or "nothing"
            raise RefusedQuery(
                f"write one SELECT; this is {kinds}" if kinds != "MULTI" else f"a pivot must {PIVOT_HINT}"
            )
        ((text,),) = connection.execute("select json_serialize_sql(?)", [sql]).fetchall()
        tree = cast(JsonObject, json.loads(text))
    except duckdb.Error as error:
        raise RefusedQuery(str(error)) from error
    except RecursionError:
        raise RefusedQuery("the query is nested too deeply") from None
    if tree.get("error") or len(cast("list[Json]", tree.get("statements") or [])) != 1:
        raise RefusedQuery(f"write one SELECT; {tree.get('error_message', 'this is not one')}")
    internal = _internal_views(connection)
    for node in _nodes(tree["statements"]):
        _check_node(node)
        if str(node.get("table_name")).lower() in internal:  # even a CTE, which could hide a use of the view
            raise RefusedQuery(f"{node['table_name']} is not the name of a dataset")
    return sorted(connection.get_table_names(sql))


def _internal_views(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the names of DuckDB's internal views, because `get_table_names` does not return them."""
    rows = connection.execute("select lower(view_name) from duckdb_views() where internal").fetchall()
    return {str(name) for (name,) in rows}


def _nodes(tree: Json) -> Iterator[JsonObject]:
    stack = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            yield item
            stack.extend(item.values())


def _check_node(node: JsonObject) -> None:
    kind = node.get("type")
    if "class" in node:
        if node["class"] not in EXPRESSIONS:
            raise RefusedQuery(f"a query cannot have a {_plain(node['class'])}")
        if "function_name" in node:
            _check_function(node)
    elif isinstance(kind, str):
        if kind not in PARTS:
            raise RefusedQuery(f"a query cannot have a {_plain(kind)}")
        if kind in TABLES:
            _check_table(node, kind)


def _plain(kind: object) -> str:
    return str(kind)[:60].replace("_", " ").lower()


def _check_table(node: JsonObject, kind: str) -> None:
    if kind == "BASE_TABLE":
        if node.get("at_clause"):
            raise RefusedQuery("a query cannot have an AT clause; pass `as_of` to read older data")
        if node.get("schema_name") or node.get("catalog_name"):
            parts = (node.get(part) for part in ("catalog_name", "schema_name", "table_name"))
            name = ".".join(str(part) for part in parts if part)
            raise RefusedQuery(f"{name} is not the name of a dataset; write names without a schema")
    elif kind == "TABLE_FUNCTION":
        function = cast("JsonObject", node["function"])
        name = str(function["function_name"]).lower()
        if name not in TABLE_FUNCTIONS or function.get("schema") or function.get("catalog"):
            raise RefusedQuery(f"the table function {name:.100} cannot be used; write the name of a dataset")


def _check_function(node: JsonObject) -> None:
    name = str(node["function_name"]).lower()
    known = name not in REFUSED_FUNCTIONS and not name.startswith(INTERNAL)
    if not known or node.get("catalog") or node.get("schema") not in ("", None, "main"):
        raise RefusedQuery(f"the function {name:.100} cannot be used in a query")
