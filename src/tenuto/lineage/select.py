"""Finds the column lineage of a SELECT with sqlglot. If the lineage of any column is not certain, only the lineage of
tables is returned."""

import logging
from collections.abc import Mapping, Sequence

from tenuto.model.lineage import MAX_NAME_BYTES, MAX_SOURCES, ColumnSource, OutputLineage

MAX_SQL_BYTES = 65_536
# The columns of each input of a SELECT, by the name of the input; None: they are not known.
Schemas = Mapping[str, Sequence[str] | None]

log = logging.getLogger("tenuto.lineage")


def trace_select(sql: str, inputs: Schemas, columns: Sequence[str] | None = None) -> OutputLineage:
    """Return, for each column of a SELECT, the columns of the inputs from which it comes. If this is not certain for
    every column, return only the lineage of tables. `inputs`: the known columns of each input; the number of an input
    is its position in them. `columns`: the names of the result's columns, if the SELECT has run."""
    table = OutputLineage("sql", "table")
    if len(sql.encode()) > MAX_SQL_BYTES:
        return table
    try:
        from tenuto.lineage.columns import Untraceable, trace_columns
    except ModuleNotFoundError as error:
        if error.name != "sqlglot":
            raise
        return table
    try:
        found = trace_columns(sql, inputs, columns)
    except Untraceable as reason:
        log.debug("the lineage of a SELECT is recorded only for its tables: %s", reason)
        return table
    except Exception as error:  # a SELECT that ran must not fail because a parser does not know its syntax
        log.debug("the lineage of a SELECT is recorded only for its tables: %s: %s", type(error).__name__, error)
        return table
    names = [name for source in found for name in (source.column, source.field) if name is not None]
    if len(found) > MAX_SOURCES or any(len(name.encode()) > MAX_NAME_BYTES for name in names):
        return table
    ordered = sorted(found, key=_order)
    return OutputLineage("sql", "exact", ordered)


def _order(source: ColumnSource) -> tuple[object, ...]:
    return (source.column is None, source.column or "", source.input, source.field or "", source.kind)
