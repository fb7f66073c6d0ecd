"""The reference of the Python API is complete: every public name, every option with its meaning."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import command_pages
import python_pages
import tenuto
import tenuto.testing
from python_source import fields_of, find
from tenuto.cli.root import build_app
from tenuto.sdk import option_types
from tenuto.sdk.options import TaskOptions

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def test_every_public_name_is_on_a_page() -> None:
    index = python_pages.python_pages()["python.md"]

    assert [name for name in (*tenuto.__all__, *tenuto.testing.__all__) if f"| `{name}` |" not in index] == []


def test_every_command_is_on_a_page() -> None:
    pages = "".join(command_pages.command_pages().values())

    assert [name for name in commands() if f"* `{name}" not in pages] == []


def commands() -> Iterator[str]:
    root: Any = get_command(build_app())
    for name, command in root.commands.items():
        for below in getattr(command, "commands", {"": command}):
            yield f"tenuto {name} {below}".rstrip()


def test_the_index_of_the_reference_links_every_page() -> None:
    index = (REFERENCE / "README.md").read_text() + (REFERENCE / "python.md").read_text()

    assert [page.name for page in REFERENCE.glob("*.md") if page.name != "README.md" and page.name not in index] == []


@pytest.mark.parametrize("name", python_pages.OPTIONS)
def test_every_option_has_a_meaning(name: str) -> None:
    node = find("tenuto.sdk.option_types", name)
    assert isinstance(node, ast.ClassDef)

    assert [option for option, _, meaning in fields_of(node) if not meaning] == []


def test_the_options_of_a_task_are_those_that_are_checked() -> None:
    checked = {field.name for field in fields(TaskOptions)}

    assert {*option_types.Declared.__annotations__} == checked | {"name", "every"}


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (tenuto.App.task, option_types.Declared),
        (tenuto.Task.options, option_types.StartOptions),
        (tenuto.Client.start, option_types.StartOptions),
        (tenuto.SyncClient.start_many, option_types.ManyOptions),
        (tenuto.Context.start, option_types.ChildOptions),
    ],
)
def test_help_shows_every_option(function: object, options: type) -> None:
    shown = inspect.signature(function).parameters  # pyright: ignore[reportArgumentType]

    assert [name for name in options.__annotations__ if name not in shown] == []
    assert tenuto.App.task.__signature__.parameters["max_attempts"].default == 3  # pyright: ignore[reportFunctionMemberAccess]
