"""Runs `tenuto` as a user does: as a process, with an environment."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tests.support.processes.fork_server import PROGRAM as TENUTO
from tests.support.processes.forked_tenuto import ROOT, ForkedTenuto
from tests.support.waiting import wait_until

__all__ = ["ROOT", "TENUTO", "Running", "running", "running_from_start", "start", "tenuto"]


def tenuto(*arguments: str, **environment: str | Path) -> subprocess.CompletedProcess[str]:
    """What the command said and how it ended."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = ForkedTenuto(*arguments, env=_environment(environment), stdout=out, stderr=err).wait()
        return subprocess.CompletedProcess([TENUTO, *arguments], code, _text(out), _text(err))


def _text(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode()


@dataclass(frozen=True)
class Running:
    """A command that stays until it is told to stop."""

    process: subprocess.Popen[bytes] | ForkedTenuto
    output: Path

    def said(self) -> str:
        return self.output.read_text()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Tell it to stop; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def running(*arguments: str, ready: str, **environment: str | Path) -> Iterator[Running]:
    """A command that has printed `ready`; modules of the repository can be imported by it."""
    with _running(arguments, ready, environment, from_start=False) as command:
        yield command


@contextmanager
def running_from_start(*arguments: str, ready: str, **environment: str | Path) -> Iterator[Running]:
    """The program itself, not a fork, for tests that are about its start or its memory."""
    with _running(arguments, ready, environment, from_start=True) as command:
        yield command


@contextmanager
def _running(
    arguments: tuple[str, ...], ready: str, environment: dict[str, str | Path], *, from_start: bool
) -> Iterator[Running]:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        with output.open("wb") as file:
            process = start(*arguments, environment=_environment(environment), output=file, from_start=from_start)
        command = Running(process, output)
        try:
            wait_until(lambda: ready in command.said() or process.poll() is not None)
            assert ready in command.said(), command.said()
            yield command
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(60)


def start(
    *arguments: str,
    environment: dict[str, str],
    output: BinaryIO,
    from_start: bool = False,
    inherited: Sequence[int] = (),
) -> "subprocess.Popen[bytes] | ForkedTenuto":
    """A process that imports modules of the repository too."""
    if not from_start:
        return ForkedTenuto(*arguments, env=environment, stdout=output, cwd=ROOT)
    return subprocess.Popen(
        [TENUTO, *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=inherited,
    )


def _environment(said: dict[str, str | Path]) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    return {**clean, **{name: str(value) for name, value in said.items()}, "TERM": "dumb"}
