"""Prints results: text for users, one JSON object for programs."""

import dataclasses
import json
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.model.json import Json
from tenuto.model.stored_errors import describe_error
from tenuto.model.text import INDENT, indented, one_line, printable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Cell = Json | datetime | timedelta | UUID
MAX_CELL = 80  # characters of an error in a list
MAX_WIDTH = 1_000_000  # of a table: wide enough that no line is wrapped

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def show(facts: object, text: str, *, as_json: bool) -> None:
    """Print a dataclass or mapping as JSON, or the equivalent text."""
    if as_json:
        typer.echo(json.dumps(facts, default=_plain))
    else:
        say(text)


def say(text: str, *, err: bool = False) -> None:
    """Print lines for users. Escapes control characters, because names, errors, logs and values come from tasks and
    tenants."""
    typer.echo(printable(text), err=err)


def show_list(name: str, items: Sequence[object], columns: Sequence[str], *, as_json: bool) -> None:
    """Print a list as JSON under its name, or as a table of the given columns."""
    rows = [[cell(getattr(item, column)) for column in columns] for item in items]
    show({name: items}, table(columns, rows) if rows else f"no {name}", as_json=as_json)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Formats a table of fields under their names in capitals."""
    return plain_table([column.upper().replace("_", " ") for column in columns], rows)


def plain_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Formats a table with these headings, unchanged. Lines are never wrapped or cut, not even on a terminal, so that
    ids can be copied and programs can read the lines."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for heading in headings:
        grid.add_column(Text(heading), no_wrap=True)
    for row in rows:
        grid.add_row(*map(Text, row))
    console = Console(width=MAX_WIDTH, color_system=None)
    with console.capture() as printed:
        console.print(grid)
    return "\n".join(line.rstrip() for line in printed.get().splitlines())


def fields(facts: "DataclassInstance", *, hide: Collection[str] = (), **instead: str | None) -> str:
    """Formats every non-empty field, one per line, and below them the traceback of an error. `instead` replaces or adds
    fields."""
    shown = {**vars(facts), **instead}
    values = {name: value for name, value in shown.items() if value not in (None, [], {}) and name not in hide}
    texts = {name: _field(name, value) for name, value in values.items()}
    width = max(map(len, texts))
    lines = [f"{name.ljust(width)}  {value}" for name, value in texts.items()]
    error: Json = values.get("error")
    if isinstance(error, dict) and error.get("traceback"):
        lines += ["", INDENT + indented(str(error["traceback"]).rstrip())]
    return "\n".join(lines)


def _field(name: str, value: Cell) -> str:
    if name in ("input", "output"):  # as JSON, so that "7" differs from 7, and "a, b" from two texts
        return json.dumps(value, default=_plain, ensure_ascii=False)
    if name == "error" and isinstance(value, dict | str):
        return indented(describe_error(value) or "-")
    return cell(value)


def cell(value: Cell) -> str:
    """Formats a value as one line of text."""
    match value:
        case None:
            return "-"
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
        case timedelta():
            return f"{value.total_seconds():.3f} s"
        case float():
            return f"{value:.15g}"
        case list() if all(isinstance(item, str) for item in value):
            return one_line(",".join(map(str, value))) or "-"
        case dict() | list():
            return json.dumps(value, default=_plain)
        case _:
            return one_line(str(value))


def value_cell(value: Json) -> str:
    """Formats a value of a query as one line of text: texts as they are, numbers with all digits, the rest as JSON."""
    match value:
        case None:
            return ""
        case str():
            return one_line(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def attempts(number: int, maximum: int) -> str:
    """Formats the number of an attempt, `2 of 3`; `-` before the first attempt."""
    return f"{number} of {maximum}" if number else "-"


def counted(number: int, what: str) -> str:
    """Formats how many there are: 1 row, 2,000 rows."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def duration(seconds: float | None) -> str:
    """Formats how long something took: 0.12 s, 65 s, 2 h 5 min."""
    if seconds is None:
        return "-"
    if seconds < 100:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def shorten(text: str) -> str:
    """Shortens the text of a cell to 80 characters."""
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…"


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value)
