"""Check the SQL: one object per file, writes and calls in the order of contexts, lines of at most 120 columns."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tenuto.db.install.sql_tree import CONTEXTS

SQL = Path(__file__).parents[1] / "src" / "tenuto" / "sql"
MAX_LINES = 100
MAX_COLUMNS = 120
GENERATED = "tables.sql"

# Functions with dynamic SQL because names only exist at run time; each with its reason.
MAY_BE_DYNAMIC = {
    "create_partitions": "a partition is named after its week",
    "drop_partitions": "a partition is named after its week",
    "prune_audit": "a partition is named after its month",
}
ONLY_NOTIFIER = "_wake"

NOISE = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
CREATES = re.compile(r"\bcreate\s+(?:or\s+replace\s+)?(function|procedure|materialized\s+view|view)\s+tenuto\.(\w+)")
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


def check_tree(root: Path) -> list[str]:
    """Return every broken rule, one line each."""
    schema = read_schema(root)
    complaints = []
    for context in CONTEXTS:
        for path in sorted((root / context).rglob("*.sql")):
            broken = check_file(path.stem, context, path.read_text(), schema)
            complaints += [f"{path.relative_to(root)}: {complaint}" for complaint in broken]
    return complaints + list(check_widths(root))


def check_widths(root: Path) -> Iterator[str]:
    """Objects, grants and policies; migrations are never edited, and the snapshot of tables is generated."""
    for path in sorted(root.rglob("*.sql")):
        if path.parent.name == "migrations" or path.name == GENERATED:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > MAX_COLUMNS:
                width = f"has {len(line)} columns, at most {MAX_COLUMNS}"
                yield f"{path.relative_to(root)}: line {number} {width}; write one clause per line"


def read_schema(root: Path) -> Schema:
    """Read which context owns what: tables belong to the context in their migration's name, objects to their folder."""
    schema = Schema()
    for path in sorted((root / "migrations").glob("*.sql")):
        text = without_noise(path.read_text())
        schema.tables.update(dict.fromkeys(MAKES_TABLE.findall(text), path.name.split("_")[1]))
        schema.others.update(MAKES_OTHER.findall(text))
    for context in CONTEXTS:
        schema.objects.update({path.stem: context for path in (root / context).rglob("*.sql")})
    return schema


def without_noise(text: str) -> str:
    """Return the text in lower case without comments and literals, which cannot break a rule."""
    return NOISE.sub(lambda match: "''" if match.group().startswith("'") else " ", text).lower()


def check_file(name: str, context: str, text: str, schema: Schema) -> Iterator[str]:
    code = without_noise(text)
    yield from _check_what_it_creates(name, code)
    yield from _check_writes(context, code, schema)
    yield from _check_calls(context, code, schema)
    if DYNAMIC.search(code) and name not in MAY_BE_DYNAMIC:
        yield "runs dynamic SQL; write the statement out, or give the reason in tools/check_sql.py"
    if NOTIFIES.search(code) and name != ONLY_NOTIFIER:
        yield f"notifies; only {ONLY_NOTIFIER}.sql may, call tenuto.{ONLY_NOTIFIER}"
    if (lines := len(text.splitlines())) > MAX_LINES:
        yield f"has {lines} lines, at most {MAX_LINES} fit on a screen; split it"


def _check_what_it_creates(name: str, code: str) -> Iterator[str]:
    created = [match[1] for match in CREATES.findall(code)]
    if created != [name]:
        yield f"must create exactly tenuto.{name}, but creates {', '.join(created) or 'nothing'}"
    for kind in CREATES_OTHER.findall(code):
        yield f"creates a {kind}; that belongs in a migration"


def _check_writes(context: str, code: str, schema: Schema) -> Iterator[str]:
    for table in sorted(set(WRITES.findall(code))):
        owner = schema.tables.get(table)
        if owner is None:
            yield f"writes tenuto.{table}, which no migration creates"
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


def main() -> int:
    complaints = check_tree(SQL)
    print("\n".join(complaints) or "SQL boundaries: kept.")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
