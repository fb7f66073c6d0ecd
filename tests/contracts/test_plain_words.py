"""Words that STYLE replaces by plain ones do not come back into code, SQL, messages, help texts, the OpenAPI document
or pages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from tenuto.cli.root import build_app
from tenuto.model.keys import Peppers
from tenuto.server.app import create_app
from tenuto.server.settings import ServerSettings

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tenuto"
PLACES = ("src/**/*.py", "src/**/*.sql", "docs/**/*.md", "examples/*.py", "tools/*.py", "bench/*.py", "*.md")
SETTINGS = ServerSettings("postgresql://nobody@127.0.0.1:1/none", "tenuto_api", Peppers((b"p" * 32,)), env="test")
# What a user or an engineer reads anywhere.
WORDS = {
    "whoever": "name the actor: the caller, the client, the worker",
    "somebody|someone": "name the actor: the caller, the client, a user",
    "strangers?": "unauthenticated clients",
    "who asks": "the caller",
    "anew": "again",
    "(a mistake|one|none) of ours": "internal error",
    r"\d+ (queries|requests|tasks|calls|rows|times) a (second|minute|hour)": "per second",
    "(listener|connection|query|row|object|function) a (process|file|line|call)": "per process",
    "(MOST|LEAST|LONGEST|SHORTEST|LARGEST|PATIENCE)(_[A-Z_]+)?": "MAX_…, MIN_…, …_SECONDS, …_BYTES",
}
# What a running program shows: errors, hints, log lines, help texts, the OpenAPI document; and docstrings.
MESSAGES = {
    "answers|answered|answering|(not|no|an|the) answer": "returns (a function), responds (a server), result, response",
    "said": "passed, set, given",
    "(?<!')nobody(?!')": "no user, no worker; you cannot …",
    "people|person": "user",
    "(goes|go|going) on": "continues",
    "trying again": "retrying",
    "those there are": "lists the …",
    "there already|not there": "exists already, missing",
    "lets? in|vouch(es)?": "accepts, admits",
    "moments?": "time",
    "of yours|of its kind": "your …",
    "for ever": "forever, without end",
    "also (if|not)|, also (behind|below|for|from|in|under|when|with)": "even if, not even, including",
}
START = re.compile(r"(?:^|[.;] )(Who|Whoever|What)\b(?! to )")  # a sentence whose subject is a relative clause
SQL = re.compile(r"\s*(select|with|insert|update) |\S*$")  # and single words
SHOWN = re.compile(r'"([^"\n]+)"|`([^`]+)`|>([^<>{};=]+)<')  # texts in quotes, and between tags
NAMES = {"said": "options, text", "told": "result", "anew": "again"}


def test_files_have_no_banned_words() -> None:
    paths = [path for place in PLACES for path in ROOT.glob(place) if "migrations" not in path.parts]

    assert len(paths) > 600
    assert [found for path in paths for found in _in_lines(path)] == []


def test_messages_and_docstrings_have_no_banned_words() -> None:
    texts = [*_python_texts(), *_sql_texts()]

    assert len(texts) > 2000
    assert [found for place, text in texts for found in _in_text(place, text, {**WORDS, **MESSAGES})] == []


def test_help_texts_have_no_banned_words() -> None:
    texts = list(_help_texts("tenuto", typer.main.get_command(build_app())))

    assert len(texts) > 200
    assert [found for place, text in texts for found in _in_text(place, text, {**WORDS, **MESSAGES})] == []


def test_the_openapi_document_has_no_banned_words() -> None:
    texts = list(_descriptions("", create_app(SETTINGS).openapi()))

    assert len(texts) > 500
    assert [found for place, text in texts for found in _in_text(place, text, {**WORDS, **MESSAGES})] == []


def test_the_dashboard_has_no_banned_words() -> None:
    texts = list(_dashboard_texts())

    assert len(texts) > 1000
    assert [found for place, text in texts for found in _in_text(place, text, {**WORDS, **MESSAGES})] == []


def test_variables_have_plain_names() -> None:
    names = [
        f"{path}:{getattr(node, 'lineno', 0)}: {name}, write {NAMES[name]!r}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if (name := _name(node)) in NAMES
    ]

    assert names == []


@pytest.mark.parametrize("line", ["Wake whoever waits.", "# done anew", "MOST_BYTES = 1", "60 queries a second"])
def test_a_banned_word_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "page.md").write_text(f"fine\n{line}\n")

    assert len(_in_lines(tmp_path / "page.md")) == 1


@pytest.mark.parametrize("text", ["the server does not answer", "it is not said which", "What is sent is too large"])
def test_a_banned_message_is_found(text: str) -> None:
    assert len(_in_text("here", text, MESSAGES)) == 1


def _in_lines(path: Path) -> list[str]:
    lines = enumerate(path.read_text().splitlines(), start=1)
    return [found for number, text in lines for found in _in_text(f"{path}:{number}", text, WORDS)]


def _in_text(place: str, text: str, banned: dict[str, str]) -> list[str]:
    found = [
        f"{place}: write {instead!r} instead of {match[0]!r}"
        for word, instead in banned.items()
        if (match := re.search(rf"\b({word})\b", text))
    ]
    if banned is not WORDS and START.search(text):
        found.append(f"{place}: name the subject of {text[:60]!r}")
    return found


def _python_texts() -> Iterator[tuple[str, str]]:
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and not SQL.match(node.value):
                yield f"{path}:{node.lineno}", node.value


def _sql_texts() -> Iterator[tuple[str, str]]:
    for path in (SOURCE / "sql").rglob("*.sql"):
        if "migrations" not in path.parts:
            yield str(path), " ".join(re.findall(r"^ *-- ?(.*)", path.read_text(), re.M))
            code = re.sub(r"--[^\n]*", "", path.read_text())
            for text in re.findall(r"'((?:[^'\n]|'')*)'", code):
                if " " in text:
                    yield str(path), text


def _dashboard_texts() -> Iterator[tuple[str, str]]:
    for path in (ROOT / "web" / "src").rglob("*.ts*"):
        for match in SHOWN.finditer(path.read_text()):
            text = " ".join(match[match.lastindex or 0].split())
            if " " in text and path.name != "schema.ts":
                yield str(path), text


def _help_texts(path: str, command: Any) -> Iterator[tuple[str, str]]:
    yield path, command.help or ""
    for parameter in command.params:
        yield f"{path} {parameter.name}", getattr(parameter, "help", None) or ""
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from _help_texts(f"{path} {name}", inner)


def _descriptions(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("description", "summary") and isinstance(inner, str):
                yield place, inner
            yield from _descriptions(f"{place}/{key}", inner)
    elif isinstance(value, list):
        for no, inner in enumerate(value):
            yield from _descriptions(f"{place}/{no}", inner)


def _name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case _:
            return None
