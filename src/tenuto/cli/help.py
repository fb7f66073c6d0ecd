"""Makes help texts show flags without a type, and arguments in capitals."""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command whose help shows `--json`, not `--json <bool>`, and arguments as `QUEUE`, not `queue`."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _with_plain_names(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of such commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _with_plain_names(super().get_params(ctx))


def use_plain_help(app: typer.Typer) -> None:
    """Make all commands and groups below an app use these classes."""
    for command in app.registered_commands:
        command.cls = PlainCommand
    for group in app.registered_groups:
        group.cls = PlainGroup
        if group.typer_instance is not None:
            use_plain_help(group.typer_instance)


def _with_plain_names(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
        elif parameter.param_type_name == "argument" and parameter.metavar is None:
            parameter.metavar = parameter.name.upper()
    return parameters
