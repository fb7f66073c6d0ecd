"""Delivers effects to commands. The environment of the dispatcher declares the commands; an org can only choose one of
them by name."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from tenuto.model.deliveries import COMMAND_NAME
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.outbox import Effect
from tenuto.providers.commands import CommandNotEnded, run_command

COMMAND_SECONDS = 30.0


class CommandFailed(Exception):
    """The command did not end with exit status 0."""


def read_commands(text: str | None) -> dict[str, str]:
    """Parse TENUTO_NOTIFY_COMMANDS: pairs name=path, separated by commas. Raises InvalidInput for any other text."""
    commands: dict[str, str] = {}
    for pair in filter(None, map(str.strip, (text or "").split(","))):
        name, _, path = pair.partition("=")
        if not COMMAND_NAME.fullmatch(name) or not Path(path).is_absolute() or name in commands:
            raise InvalidInput(
                f"TENUTO_NOTIFY_COMMANDS has {pair[:100]!r}, which declares no command",
                "write name=/absolute/path, separated by commas, each name once",
            )
        commands[name] = path
    return commands


async def notify_by_command(commands: Mapping[str, str], effect: Effect, command: str, name: str, body: Json) -> None:
    """Run a declared command with the body as JSON on stdin. The command does not inherit the environment of the
    dispatcher, but writes to the same stderr. Raises CommandFailed unless the command is declared and ends with exit
    status 0."""
    if command not in commands:
        raise CommandFailed(f"TENUTO_NOTIFY_COMMANDS in the dispatcher's environment declares no command {command!r}")
    try:
        ended = await run_command(
            [commands[command]],
            environment={
                "PATH": os.defpath,
                "LANG": "C.UTF-8",
                "TENUTO_EFFECT": str(effect.id),
                "TENUTO_ORG": str(effect.org_id),
                "TENUTO_DESTINATION": name,
            },
            seconds=COMMAND_SECONDS,
            input=json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode(),
            folder="/",
        )
    except CommandNotEnded as problem:
        raise CommandFailed(f"command {command} {problem}") from problem
    if ended.status != 0:
        raise CommandFailed(f"command {command} ended with exit status {ended.status}")
