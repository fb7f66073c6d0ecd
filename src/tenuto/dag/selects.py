"""Checks the SELECTs of operators such as sql, and of checks. Each must have a valid syntax, be one statement, and read
only the inputs of the job, or the data to check. Needs sqlglot and DuckDB, which the extra `data` installs. Without
them, a wrong SELECT is found only when the job runs."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tenuto.dag.operators import base_name
from tenuto.dag.problems import Position, Problems, did_you_mean, quoted
from tenuto.dag.references import Resolved
from tenuto.dag.yaml_tree import Path, YamlNode, show_path
from tenuto.model.sql_chains import has_long_chain

SELECTING = ("sql", "alert_evaluate")  # operators that run the SELECT in their option sql
PARAMETERS = frozenset({"partition"})  # that the SELECT of a job can use
CHECKED = "data"  # the table that the SELECT of a check reads
MAX_CHARS = 65_536  # the tables of a longer SELECT are not checked, nor those of one with a long chain of calls
# Words that sqlglot accepts as column names and DuckDB does not.
RESERVED = frozenset({"analyze", "asymmetric", "at", "check", "column", "default", "end", "offset", "order", "placing",
                      "references", "show", "some", "symmetric", "to", "variadic"})  # fmt: skip


@dataclass(frozen=True)
class Select:
    """The content of a SELECT: the tables that it reads, each with its offset in the text, or a problem with its
    offset."""

    tables: tuple[tuple[str, int], ...] = ()
    problem: str | None = None
    offset: int = 0


@dataclass(frozen=True)
class SqlField:
    """A SELECT in a document. `tables`: the tables that it can read, or None if they are not known."""

    node: YamlNode
    path: Path
    tables: list[str] | None
    is_check: bool = False


def check_selects(tree: YamlNode, text: str, resolved: Resolved, problems: Problems) -> None:
    """Adds a problem for each SELECT that is wrong, and for each table that a SELECT reads but must not read."""
    jobs = tree.get("jobs")
    nodes = jobs.items() if jobs else []
    by_name = {job.text("name") or "": job for job in nodes}
    lines = text.splitlines()
    for number, job in enumerate(nodes):
        config = job.get("config")
        node = config.get("sql") if config else None
        if base_name(job.text("operator") or "") in SELECTING and node is not None:
            tables = _input_names(job, by_name, resolved)
            _check_select(SqlField(node, ("jobs", number, "config", "sql"), tables), lines, problems)
        for field in _checks(job, number):
            _check_select(field, lines, problems)


def _checks(job: YamlNode, number: int) -> Iterator[SqlField]:
    outputs = job.get("outputs")
    for position, output in enumerate(outputs.items() if outputs else []):
        checks = output.get("checks")
        for check_number, check in enumerate(checks.items() if checks else []):
            if check.text("kind") == "sql" and (node := check.get("sql")) is not None:
                path = ("jobs", number, "outputs", position, "checks", check_number, "sql")
                yield SqlField(node, path, [CHECKED], is_check=True)


def _check_select(field: SqlField, lines: list[str], problems: Problems) -> None:
    if not isinstance(field.node.value, str):
        return
    path = show_path(field.path)
    select = read_select(field.node.value, frozenset[str]() if field.is_check else PARAMETERS)
    if select.problem is not None:
        problems.add(_place(lines, field.node, select.offset), path, select.problem)
    known = field.tables or []
    for table, offset in select.tables if field.tables is not None else ():
        if table.lower() in {name.lower() for name in known}:
            continue
        message = f"the job has no input {quoted(table)}"
        hint = did_you_mean(table, known) or f"the inputs are {', '.join(known) or 'none'}"
        if field.is_check:
            message, hint = f"a check cannot read {quoted(table)}", f"read {CHECKED}, which has the written rows"
        problems.add(_place(lines, field.node, offset), path, message, hint)


@lru_cache(maxsize=2048)
def read_select(sql: str, parameters: frozenset[str] = PARAMETERS) -> Select:
    """Returns the tables that a SELECT reads, without CTEs and functions, or the problem with it. If DuckDB is
    installed, only DuckDB decides whether the SELECT is wrong."""
    select = _read(sql)
    try:
        from tenuto.dag.statements import NotOneSelect, check_statement
    except ModuleNotFoundError:
        return select
    try:
        check_statement(sql, parameters)
    except NotOneSelect as wrong:
        return select if select.problem is not None else Select(problem=str(wrong), offset=wrong.offset)
    return Select() if select.problem is not None else select


def _read(sql: str) -> Select:
    try:
        import sqlglot
        from sqlglot import errors, exp
    except ModuleNotFoundError:
        return Select()
    logging.getLogger("sqlglot").setLevel(logging.ERROR)  # a text that it cannot parse becomes a problem below
    if len(sql) > MAX_CHARS:
        return Select()
    try:
        if has_long_chain(sql):
            return Select()
        parsed = [item for item in sqlglot.parse(sql, dialect="duckdb") if item and not isinstance(item, exp.Semicolon)]
    except errors.ParseError as wrong:
        first = wrong.errors[0] if wrong.errors else {}
        highlight, message = str(first.get("highlight") or ""), str(first.get("description") or "it is not SQL")
        offset = _offset(sql, int(first.get("line") or 1), int(first.get("col") or 1) - max(len(highlight) - 1, 0))
        near = f" near {quoted(highlight)}" if highlight else ""
        return Select(problem=f"the SQL is wrong{near}: {message.strip().rstrip('.')}", offset=offset)
    except errors.SqlglotError as wrong:
        return Select(problem=f"the SQL is wrong: {str(wrong).splitlines()[0][:200]}")
    except RecursionError:
        return Select(problem="the SQL is nested too deeply")
    if len(parsed) != 1:
        return Select(problem=f"the SQL has {len(parsed)} statements; write one SELECT")
    statement = parsed[0]
    if not isinstance(statement, exp.Query | exp.Pivot | exp.Values):
        return Select(problem="the SQL is not a SELECT")
    for column in statement.find_all(exp.Column):
        if not column.table and not column.this.args.get("quoted") and column.name.lower() in RESERVED:
            problem = f'{column.name} is a word of SQL; write "{column.name}", with quotes, or TABLE.{column.name}'
            return Select(problem=problem, offset=int(column.this.meta.get("start", 0)))
    known = {cte.alias.lower() for cte in statement.find_all(exp.CTE)}
    tables = [
        (table.name, int(table.this.meta.get("start", 0)))
        for table in statement.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier) and not table.db and table.name.lower() not in known
    ]
    return Select(tables=tuple(dict(reversed(tables)).items()))


def _input_names(job: YamlNode, jobs: dict[str, YamlNode], resolved: Resolved) -> list[str] | None:
    """Returns the names that the inputs of a job have in its SELECT, or None if one of these inputs is wrong."""
    inputs = job.get("inputs")
    references = [node.get("from") for node in (inputs.items() if inputs else [])]
    sources = resolved.inputs.get(job.text("name") or "", [])
    if len(sources) != len(references):
        return None
    names: list[str] = []
    for number, (reference, source) in enumerate(zip(references, sources, strict=True)):
        name = (reference.text("dataset") if reference else None) or (resolved.datasets.get(source) if source else None)
        if name is None and source is None:
            return None
        name = name or (_output_name(jobs.get(source[0]), source[1]) or source[0] if source else "")
        names.append(f"{name}_{number}" if name in names else name)
    return names


def _output_name(job: YamlNode | None, number: int) -> str | None:
    outputs = job.get("outputs") if job else None
    items = outputs.items() if outputs else []
    return items[number].text("name") if number < len(items) else None


def _offset(sql: str, line: int, column: int) -> int:
    return sum(len(text) + 1 for text in sql.split("\n")[: line - 1]) + max(column, 1) - 1


def _place(lines: list[str], node: YamlNode, offset: int) -> Position:
    """Returns the position in the document of an offset in a text. It is exact for a block (`|`) and for a text on one
    line. Otherwise it is the beginning of the text."""
    before = str(node.value)[:offset]
    line, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
    begin = lines[node.at.line - 1][node.at.column - 1 :] if node.at.line <= len(lines) else ""
    if begin.startswith("|"):
        content = [text for text in lines[node.at.line :] if text.strip()]
        indent = len(content[0]) - len(content[0].lstrip(" ")) if content else 0
        return Position(node.at.line + 1 + line, indent + column + 1)
    if begin.startswith(">") or "\n" in str(node.value):
        return node.at
    return Position(node.at.line, node.at.column + column + begin.startswith(("'", '"')))
