"""What a command says: lines for people, one JSON object for programs."""

import dataclasses
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from tenuto.model.text import INDENT, indented, one_line, printable

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def show(facts: Any, text: str, *, as_json: bool) -> None:
    """Print a dataclass or mapping as JSON, or the text that says the same."""
    if as_json:
        typer.echo(json.dumps(facts, default=_plain))
    else:
        say(text)


def say(text: str, *, err: bool = False) -> None:
    """Print lines for people. Names, errors, logs and values in them come from tasks and tenants: nothing that a
    terminal would act on passes."""
    typer.echo(printable(text), err=err)


def show_list(name: str, items: Sequence[Any], columns: Sequence[str], *, as_json: bool) -> None:
    """A list under its name, or a table of some of its fields."""
    rows = [[cell(getattr(item, column)) for column in columns] for item in items]
    show({name: items}, table(columns, rows) if rows else f"no {name}", as_json=as_json)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns as wide as they need to be, under their names."""
    lines = [[column.upper().replace("_", " ") for column in columns], *map(list, rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def fields(facts: Any) -> str:
    """Every field that says something, one a line; below them the traceback of an error."""
    said = {name: value for name, value in _plain(facts).items() if value not in (None, [], {})}
    found = {name: _field(name, value) for name, value in said.items()}
    width = max(map(len, found))
    lines = [f"{name.ljust(width)}  {value}" for name, value in found.items()]
    if isinstance(error := said.get("error"), dict) and error.get("traceback"):
        lines += ["", INDENT + indented(str(error["traceback"]).rstrip())]
    return "\n".join(lines)


def _field(name: str, value: Any) -> str:
    if name in ("input", "output"):  # what people passed and got: "7" is not 7, nor "a, b" two texts
        return json.dumps(value, default=_plain, ensure_ascii=False)
    return cell(reason(value) if name == "error" else value)


def cell(value: Any) -> str:
    """A value as one line of text."""
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
    """What went wrong, in a line."""
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
