"""Help: quick, and the same promises for every command."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import typer

from tenuto.cli.root import app


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with its full name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_every_command_takes_json_but_the_one_that_is_another_program():
    found = dict(commands(typer.main.get_command(app)))
    without = [
        name for name, command in found.items() if not any("--json" in parameter.opts for parameter in command.params)
    ]

    assert without == ["db psql"]
    assert len(found) > 30


def test_every_command_says_what_it_does():
    found = dict(commands(typer.main.get_command(app)))

    assert [name for name, command in found.items() if not command.help] == []


def test_help_is_fast_because_it_loads_no_driver_and_no_user_code():
    heavy = ("psycopg", "psutil", "pydantic", "prometheus_client", "cronsim", "tenuto.sdk", "tenuto.worker")
    loaded = f"import sys, tenuto.cli.root; print([name for name in {heavy} if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout == "[]\n"
