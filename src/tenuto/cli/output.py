"""Prints results: text for users, one JSON object for programs."""

import dataclasses
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from tenuto.model.text import INDENT, indented, one_line, printable

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def show(facts: Any, text: str, *, as_json: bool) -> None:
    """Print a dataclass or mapping as JSON, or the equivalent text."""
    if as_json:
        typer.echo(json.dumps(facts, default=_plain))
    else:
        say(text)


def say(text: str, *, err: bool = False) -> None:
    """Print lines for users. Escapes control characters, because names, errors, logs and values come from tasks and
    tenants."""
    typer.echo(printable(text), err=err)


def show_list(name: str, items: Sequence[Any], columns: Sequence[str], *, as_json: bool) -> None:
    """Print a list as JSON under its name, or as a table of the given columns."""
    rows = [[cell(getattr(item, column)) for column in columns] for item in items]
    show({name: items}, table(columns, rows) if rows else f"no {name}", as_json=as_json)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Formats a table with columns as wide as needed, under their names."""
    lines = [[column.upper().replace("_", " ") for column in columns], *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(columns))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def fields(facts: Any) -> str:
    """Formats every non-empty field, one per line, and below them the traceback of an error."""
    values = {name: value for name, value in _plain(facts).items() if value not in (None, [], {})}
    texts = {name: _field(name, value) for name, value in values.items()}
    width = max(map(len, texts))
    lines = [f"{name.ljust(width)}  {value}" for name, value in texts.items()]
    if isinstance(error := values.get("error"), dict) and error.get("traceback"):
        lines += ["", INDENT + indented(str(error["traceback"]).rstrip())]
    return "\n".join(lines)


def _field(name: str, value: Any) -> str:
    if name in ("input", "output"):  # as JSON, so that "7" differs from 7, and "a, b" from two texts
        return json.dumps(value, default=_plain, ensure_ascii=False)
    return cell(reason(value) if name == "error" else value)


def cell(value: Any) -> str:
    """Formats a value as one line of text."""
    match value:
        case None:
            return "-"
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
        case timedelta():
            return f"{value.total_seconds():.3f} s"
        case float():
            return f"{value:g}"
        case list() if all(isinstance(item, str) for item in value):
            return one_line(",".join(value)) or "-"
        case dict() | list():
            return json.dumps(value, default=_plain)
        case _:
            return one_line(str(value))


def reason(error: Any) -> Any:
    """Returns the type and message of an error as one line."""
    if not isinstance(error, dict) or "message" not in error:
        return error
    return ": ".join(str(error[key]) for key in ("type", "message") if error.get(key))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value)
