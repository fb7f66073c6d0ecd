"""Check the SQL: one object per file, writes and calls in the order of contexts, lines of at most 120 columns."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tenuto.db.install.sql_tree import COMPAT, CONTEXTS, ObjectFile

SQL = Path(__file__).parents[1] / "src" / "tenuto" / "sql"
MAX_COLUMNS = 120

# Functions with dynamic SQL because names only exist at run time; each with its reason.
MAY_BE_DYNAMIC = {
    "create_partitions": "a partition is named after its week",
    "drop_partitions": "a partition is named after its week",
    "prune_audit": "a partition is named after its month",
    "_create_data_tables": "a table of rows is named after its dataset version, and has its columns",
    "drop_data_table": "a table of rows is named after its dataset version",
    "_stage_rows": "a table of rows is named after its dataset version, and has its columns",
    "_read_rows": "a table of rows is named after its dataset version, and has its columns",
    "_merge_rows": "a table of rows is named after its dataset version, and has its columns",
    "_settle_row_set": "a table of rows is named after its dataset version",
    "_slow_queries": "an extension that may not be installed, in any schema",
}
ONLY_NOTIFIER = "_wake"

NOISE = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
CREATES = re.compile(
    r"\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure|materialized\s+view|view)\s+(tenuto\w*)\.(\w+)"
)
# A view of a compat schema has its triggers in its file.
VIEW_TRIGGER = re.compile(
    r"\bcreate\s+or\s+replace\s+trigger\s+\w+\s+instead\s+of\s+[\w\s]+?\s+on\s+(tenuto_compat\w*)\.(\w+)\s"
)
CREATES_OTHER = re.compile(
    r"\bcreate\s+(?:or\s+replace\s+)?(?:unique\s+|temp\s+|temporary\s+|unlogged\s+|constraint\s+)*"
    r"(table|index|type|domain|sequence|trigger|policy|role|schema|extension)\b"
)
WRITES = re.compile(
    r"\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?tenuto\.(\w+)"
)
CREATED_NAME = re.compile(r"\bcreate\s[\w\s]*?tenuto\.\w+")
CALLS = re.compile(r"\btenuto\.(\w+)\s*\(")
NAMES = re.compile(r"\btenuto\.(\w+)")
COMPAT_NAMES = re.compile(r"\b(tenuto_compat\w*)\.(\w+)")
DYNAMIC = re.compile(r"\bexecute\b(?!\s+(?:function|procedure|on)\b)")
NOTIFIES = re.compile(r"\bpg_notify\s*\(|(?:^|;)\s*notify\b")
MAKES_TABLE = re.compile(r"\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?tenuto\.(\w+)")
MAKES_OTHER = re.compile(r"\bcreate\s+(?:type|domain|sequence)\s+(?:if\s+not\s+exists\s+)?tenuto\.(\w+)")


@dataclass(frozen=True)
class Schema:
    """The context that each table and object belongs to."""

    tables: dict[str, str] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    objects: dict[str, str] = field(default_factory=dict)
    compat_objects: set[tuple[str, str]] = field(default_factory=set)


def check_tree(root: Path) -> list[str]:
    """Return every broken rule, one line each."""
    schema = read_schema(root)
    complaints = []
    for context in CONTEXTS:
        for file in read_files(root, context):
            complaints += [f"{file.path}: {complaint}" for complaint in check_file(file, context, schema)]
    return complaints + list(check_widths(root))


def read_files(root: Path, context: str) -> list[ObjectFile]:
    paths = sorted((root / context).rglob("*.sql"))
    return [ObjectFile(path.relative_to(root).as_posix(), path.read_text()) for path in paths]


def check_widths(root: Path) -> Iterator[str]:
    """Yield the lines that are too long. Migrations are not checked, because they are never edited."""
    for path in sorted(root.rglob("*.sql")):
        if path.parent.name == "migrations":
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > MAX_COLUMNS:
                width = f"has {len(line)} columns, at most {MAX_COLUMNS}"
                yield f"{path.relative_to(root)}: line {number} {width}; write one clause per line"


def read_schema(root: Path) -> Schema:
    """Read the context of each table and object: a table belongs to the context in the name of the file that creates
    it, an object to the context of its folder."""
    schema = Schema()
    for path in sorted((root / "tables").glob("*.sql")) + sorted((root / "migrations").glob("*.sql")):
        text = without_noise(path.read_text())
        context = path.name.split("_")[1] if path.parent.name == "migrations" else path.stem
        schema.tables.update(dict.fromkeys(MAKES_TABLE.findall(text), context))
        schema.others.update(MAKES_OTHER.findall(text))
    for context in CONTEXTS:
        files = read_files(root, context)
        if context == COMPAT:
            schema.compat_objects.update(file.identity for file in files)
        else:
            schema.objects.update({file.name: context for file in files})
    return schema


def without_noise(text: str) -> str:
    """Return the text in lower case without comments and literals, which cannot break a rule."""
    return NOISE.sub(lambda match: "''" if match.group().startswith("'") else " ", text).lower()


def check_file(file: ObjectFile, context: str, schema: Schema) -> Iterator[str]:
    code, name = without_noise(file.text), file.name
    yield from _check_what_it_creates(file, code)
    yield from _check_writes(context, code, schema)
    yield from _check_calls(context, code, schema)
    yield from _check_compat_names(context, code, schema)
    if DYNAMIC.search(code) and name not in MAY_BE_DYNAMIC:
        yield "runs dynamic SQL; write the statement out, or give the reason in tools/check_sql.py"
    if NOTIFIES.search(code) and name != ONLY_NOTIFIER:
        yield f"notifies; only {ONLY_NOTIFIER}.sql may, call tenuto.{ONLY_NOTIFIER}"


def _check_what_it_creates(file: ObjectFile, code: str) -> Iterator[str]:
    created = CREATES.findall(code)
    if created != [file.identity]:
        names = ", ".join(name if schema == file.schema else f"{schema}.{name}" for schema, name in created)
        yield f"must create exactly {file.schema}.{file.name}, but creates {names or 'nothing'}"
    others = VIEW_TRIGGER.sub(lambda match: "" if match.groups() == file.identity else match.group(), code)
    for kind in CREATES_OTHER.findall(others):
        yield f"creates a {kind}; {'triggers.sql' if kind == 'trigger' else 'a file in tables/'} does that"


def _check_writes(context: str, code: str, schema: Schema) -> Iterator[str]:
    for table in sorted(set(WRITES.findall(code))):
        owner = schema.tables.get(table)
        if owner is None:
            yield f"writes tenuto.{table}, which no file in tables/ creates"
        elif owner != context:
            yield f"writes tenuto.{table}, which belongs to {owner}; call a function of {owner} instead"


def _check_calls(context: str, code: str, schema: Schema) -> Iterator[str]:
    for name in sorted(set(NAMES.findall(code))):
        owner = schema.objects.get(name)
        if owner is not None and CONTEXTS.index(owner) > CONTEXTS.index(context):
            yield f"uses tenuto.{name} of {owner}, which comes after {context}"
    for name in sorted(set(CALLS.findall(CREATED_NAME.sub("", code)))):
        if name not in schema.objects and name not in schema.tables and name not in schema.others:
            yield f"calls tenuto.{name}(), which no file creates"


def _check_compat_names(context: str, code: str, schema: Schema) -> Iterator[str]:
    for name in sorted(set(COMPAT_NAMES.findall(code))):
        if context != COMPAT:
            yield f"uses {'.'.join(name)} of {COMPAT}, which comes after {context}"
        elif name not in schema.compat_objects:
            yield f"uses {'.'.join(name)}, which no file creates"


def main() -> int:
    complaints = check_tree(SQL)
    print("\n".join(complaints) or "SQL boundaries: kept.")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
