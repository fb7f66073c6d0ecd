"""Runs the commands with which a dispatcher is configured. Each runs in its own session, so that a command that does
not end in time is killed with everything that it started."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass


class CommandNotEnded(Exception):
    """The command could not be started, or did not end in time. The message is a text that follows the name of the
    command."""


@dataclass(frozen=True)
class EndedCommand:
    """The exit status of a command, and its output and errors if they were captured."""

    status: int
    output: bytes
    errors: bytes


async def run_command(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    seconds: float,
    input: bytes | None = None,
    folder: str | None = None,
    capture: bool = False,
) -> EndedCommand:
    """Run a command until it ends. With `capture`, its stdout and stderr are returned; otherwise stdout is discarded,
    and stderr is that of this process. Raises CommandNotEnded if the command cannot be started or does not end within
    `seconds`; it is then killed."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=environment,
            stdin=DEVNULL if input is None else PIPE,
            stdout=PIPE if capture else DEVNULL,
            stderr=PIPE if capture else None,
            start_new_session=True,
        )
    except OSError as error:
        raise CommandNotEnded(f"cannot be started: {error.strerror or error}") from error
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(input)
    except TimeoutError:
        raise CommandNotEnded(f"did not end within {seconds:g} s, and was killed") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return EndedCommand(process.returncode or 0, output or b"", errors or b"")
