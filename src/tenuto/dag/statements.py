"""Parses SQL with DuckDB, which also runs it later. Decides whether a job may run a text: before a deploy, and again in
workers. Runs no SQL itself. Importing it needs DuckDB."""

import json
import re

import duckdb

PIVOT_HINT = "name its columns: pivot … on COLUMN in ('a', 'b')"

# Possessive: otherwise a text with many comments would be matched again and again, which would block the process.
_END = re.compile(r";(?>\s|--[^\n]*|/\*.*?\*/)*+\Z", re.DOTALL)


class NotOneSelect(Exception):
    """The text is not one SELECT that a job can run; the message says why, and `offset` where."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


def one_select(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Return the statement to run for a text that is one SELECT, or raise NotOneSelect. For DuckDB, a pivot whose
    columns are values of the data is several statements. Such a pivot is put into a SELECT, in which it can only
    read."""
    statements = connection.extract_statements(sql)
    kinds = [statement.type for statement in statements]
    if kinds == [duckdb.StatementType.SELECT]:
        return statements[0]
    if kinds != [duckdb.StatementType.MULTI]:
        names = ", ".join(kind.name for kind in kinds) or "nothing"
        raise NotOneSelect(f"write one SELECT; this is {names}")
    if statements[0].named_parameters:
        raise NotOneSelect(f"a pivot without a list of columns has no parameters; {PIVOT_HINT}")
    for query in (sql, _END.sub("", sql)):  # the whole text first: what looks like its end may be part of a literal
        try:
            (pivot,) = connection.extract_statements(f"select * from (\n{query}\n)")
        except (duckdb.Error, ValueError):
            continue
        return pivot
    raise NotOneSelect("write one SELECT; this is several statements")


def check_statement(sql: str, parameters: frozenset[str]) -> None:
    """Raise NotOneSelect if a text is not one SELECT with these parameters only."""
    try:
        with duckdb.default_connection().cursor() as parser:  # a database of its own would take 40 ms to open
            used = one_select(parser, sql).named_parameters
    except duckdb.Error:
        raise _not_sql(sql) from None
    if unknown := used - parameters:
        raise NotOneSelect(unknown_parameter(min(unknown), parameters))


def unknown_parameter(name: str, parameters: frozenset[str]) -> str:
    known = f"the only parameter is ${min(parameters)}" if parameters else "there are no parameters here"
    return f"the parameter ${name} does not exist; {known}"


def _not_sql(sql: str) -> NotOneSelect:
    """Return an exception with DuckDB's message about a text that DuckDB cannot parse, and with the position."""
    message, place = "it is not SQL", 0
    with duckdb.connect(":memory:", config={"threads": 1}) as parser:
        parser.execute("set errors_as_json = true")
        try:
            parser.extract_statements(sql)
        except duckdb.Error as error:
            facts = json.loads(str(error).partition(": ")[2])
            message, place = str(facts["exception_message"]), int(facts.get("position", 0))  # in bytes
    offset = len(sql.encode()[:place].decode(errors="ignore"))
    return NotOneSelect(f"the SQL is wrong: {' '.join(message.split())[:300]}", offset)
