"""Delivers effects to commands. The operator of the dispatcher declares them; an org can only name one."""

import asyncio
import json
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tenuto.model.deliveries import COMMAND_NAME
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.outbox import Effect

COMMAND_SECONDS = 30.0


class CommandFailed(Exception):
    """The command did not end with exit status 0."""


def read_commands(text: str | None) -> dict[str, str]:
    """Parse TENUTO_NOTIFY_COMMANDS: pairs name=path, separated by commas. Raises InvalidInput."""
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


async def run_command(commands: Mapping[str, str], effect: Effect, command: str, name: str, body: Json) -> None:
    """Run a declared command with the body as JSON on stdin. Its environment has nothing of the dispatcher's; what it
    prints as errors goes where those of the dispatcher go. Raises CommandFailed."""
    if command not in commands:
        raise CommandFailed(f"TENUTO_NOTIFY_COMMANDS in the dispatcher's environment declares no command {command!r}")
    try:
        process = await asyncio.create_subprocess_exec(
            commands[command],
            cwd="/",
            env={
                "PATH": os.defpath,
                "LANG": "C.UTF-8",
                "TENUTO_EFFECT": str(effect.id),
                "TENUTO_ORG": str(effect.org_id),
                "TENUTO_DESTINATION": name,
            },
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise CommandFailed(f"command {command} cannot be started: {error.strerror or error}") from error
    try:
        async with asyncio.timeout(COMMAND_SECONDS):
            await process.communicate(json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode())
    except TimeoutError:
        raise CommandFailed(f"command {command} did not end within {COMMAND_SECONDS:g} s, and was killed") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode != 0:
        raise CommandFailed(f"command {command} ended with exit status {process.returncode}")
