"""Help: quick, and the same promises for every command."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import typer

from tenuto.cli.root import COMMANDS, build_app


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with its full name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_every_command_takes_json_but_another_program_and_the_demo():
    found = dict(commands(typer.main.get_command(build_app())))
    without = [
        name for name, command in found.items() if not any("--json" in parameter.opts for parameter in command.params)
    ]

    assert without == ["demo", "db psql"]
    assert len(found) > 30


def test_every_command_says_what_it_does():
    found = dict(commands(typer.main.get_command(build_app())))

    assert [name for name, command in found.items() if not command.help] == []


def test_flags_are_shown_without_a_type():
    group = typer.main.get_command(build_app())
    for name, command in [("tenuto", group), *commands(group)]:
        flags = [one for one in command.get_params(typer.Context(command)) if getattr(one, "is_flag", False)]
        assert {one.display_type_rich(ctx=None) for one in flags} == {""}, name


def test_help_is_fast_because_it_loads_no_driver_and_no_user_code():
    heavy = ("psycopg", "psutil", "pydantic", "prometheus_client", "cronsim", "tenuto.sdk", "tenuto.worker")

    assert loaded("build_app()", heavy) == []


def test_a_command_imports_no_other_command():
    modules = tuple(f"tenuto.cli.commands.{module}" for _, module, _ in COMMANDS.values())

    assert loaded("build_app(['worker'])", modules) == ["tenuto.cli.commands.worker"]


def loaded(statement: str, names: tuple[str, ...]) -> list[str]:
    """Return those of the modules that the statement imports."""
    code = f"import json, sys; from tenuto.cli.root import build_app; {statement}; "
    code += f"print(json.dumps([name for name in {names} if name in sys.modules]))"
    return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
