"""Runs the commands with which a dispatcher is configured. Each command runs in its own process group, so that a
command that does not end in time is killed together with the processes that it started."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass


class CommandNotEnded(Exception):
    """The command could not be started, or did not end in time. The message has no subject: the caller writes the name
    of the command before it ("NAME did not end within 5 s, and was killed")."""


@dataclass(frozen=True)
class EndedCommand:
    """The exit status of a command, its stdout and its stderr. Both are empty if they were not captured."""

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
    """Run a command until it ends. With `capture`, its stdout and stderr are returned. Otherwise its stdout is
    discarded, and its stderr goes to the stderr of this process. Raises CommandNotEnded if the command cannot be
    started, or if it was killed because it did not end within `seconds`."""
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
        raise CommandNotEnded(f"did not end within {seconds:.15g} s, and was killed") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return EndedCommand(process.returncode or 0, output or b"", errors or b"")
